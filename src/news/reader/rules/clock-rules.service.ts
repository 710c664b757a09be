import { Injectable } from '@nestjs/common';
import { keepLatest } from '../../../common/keep-latest.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import type { SqlRunner } from '../../../database/database.js';
import type { RuleAction } from '../../tables/rule.entity.js';
import { ClientIsPaging, ReaderClientsRepository } from '../delivery/reader-clients.repository.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { RuleCandidatesRepository, type UnreadCandidate } from './rule-candidates.repository.js';
import { RuleMoments } from './rule-moments.service.js';
import { isOn, ON_CLOCK, problemOf } from './rule-set.js';
import { RuleTrials } from './rule-trials.service.js';
import { RulesRepository, type Rule } from './rules.repository.js';

const MOST_CANDIDATES = 100_000;

/** Readers whose last run ended early. */
const MOST_CUT = 10_000;

/** Rules with a clock, over unread items that nobody touched. */
@Injectable()
export class ClockRules {
  /** A run of a reader's rules takes about as long at most: those of others wait for it. */
  longestMs = 60_000;

  /** The rule with which the next run begins here, by the reader of one that ended early. */
  readonly #next = new Map<number, number>();

  constructor(
    private readonly rules: RulesRepository,
    private readonly candidates: RuleCandidatesRepository,
    private readonly moments: RuleMoments,
    private readonly trials: RuleTrials,
    private readonly clients: ReaderClientsRepository,
  ) {}

  /** Does what the clock asks of the reader's rules, in their order; where one run ends early, the next one goes on. */
  async runFor(reader: Reader, signal?: AbortSignal): Promise<void> {
    const begun = performance.now();
    const isOver = () => performance.now() - begun > this.longestMs;
    const rules = (await this.rules.list(reader.id)).filter(({ hasClock }) => hasClock);
    const moment = await this.moments.of(reader.id, rules);
    const first = rules.findIndex(({ id }) => id === this.#next.get(reader.id));
    const inTurn = first <= 0 ? rules : [...rules.slice(first), ...rules.slice(0, first)];
    this.#next.delete(reader.id);
    for (const rule of inTurn) {
      signal?.throwIfAborted();
      if (isOver()) {
        keepLatest(this.#next, reader.id, rule.id, MOST_CUT);
        return;
      }
      if (!isOn(rule, moment.now) || problemOf(rule, moment) !== null) {
        continue;
      }
      await this.runRule(reader, rule, isOver, async (locked, tx) => {
        if (await this.clients.isPaging(locked.id, tx)) {
          throw new ClientIsPaging();
        }
      });
    }
  }

  /**
   * @param isOver true ends early; another run does the rest
   * @param check before each batch, under the lock; may throw
   * @returns items that it marked read
   * @throws InvalidRule for one that has a problem
   */
  async runRule(
    reader: Reader,
    rule: Rule,
    isOver?: () => boolean,
    check?: (reader: LockedReader, tx: SqlRunner) => Promise<void>,
  ): Promise<number> {
    let marked = 0;
    for (const action of rule.actions) {
      const due = await this.#due(reader, rule, action, isOver);
      marked += await this.trials.carryOut(reader, reading(rule), due, check);
    }
    return marked;
  }

  /** Ids of items that match and whose time has come. */
  async #due(
    reader: Reader,
    rule: Rule,
    action: RuleAction,
    isOver?: () => boolean,
  ): Promise<number[]> {
    if (!ON_CLOCK.has(action.type)) {
      return [];
    }
    const unread = await this.candidates.unread(reader.id, rule.scope, MOST_CANDIDATES);
    const timely = await this.#timely(unread, action);
    const matching = await this.trials.matching(
      reader,
      reading(rule),
      timely.map(({ itemId }) => itemId),
      isOver,
    );
    const due = timely.filter(({ itemId }) => matching.has(itemId));
    const late = action.type === 'newest' ? beyondNewest(due, action.count) : due;
    return late.filter(({ mayBeMarked }) => mayBeMarked).map(({ itemId }) => itemId);
  }

  async #timely(
    unread: readonly UnreadCandidate[],
    action: RuleAction,
  ): Promise<readonly UnreadCandidate[]> {
    if (action.type === 'readAfter') {
      const before = this.moments.nowMicros() - action.hours * HOUR_SECONDS * 1_000_000;
      return unread.filter(({ arrivedMicros }) => arrivedMicros <= before);
    }
    if (action.type === 'readWhenUnlisted') {
      const unlisted = await this.candidates.unlisted(unread.map(({ articleId }) => articleId));
      return unread.filter(({ articleId }) => unlisted.has(articleId));
    }
    return unread;
  }
}

/** What the clock does with what matches. */
const reading = (rule: Rule): Rule => ({ ...rule, actions: [{ type: 'read' }], stopAfter: false });

/** All but the newest of each feed, by date. */
function beyondNewest(items: readonly UnreadCandidate[], count: number): UnreadCandidate[] {
  const byFeed = Map.groupBy(items, ({ feedId }) => feedId);
  return [...byFeed.values()].flatMap((ofFeed) =>
    ofFeed.toSorted((a, b) => b.dateSeconds - a.dateSeconds || b.itemId - a.itemId).slice(count),
  );
}

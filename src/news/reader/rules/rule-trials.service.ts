import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { leavesOf, replaceLeaves } from '../../query/bind-places.js';
import type { Query } from '../../query/query.js';
import { wantedTokens } from '../../query/wanted-tokens.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { QueriedArticlesRepository } from '../items/queried-articles.repository.js';
import { RowsRepository } from '../rows/rows.repository.js';
import type { ListedRow } from '../rows/rows.sql.js';
import { tsqueryOf } from '../search/token-text.js';
import { MOST_PARTS, RuleCandidatesRepository } from './rule-candidates.repository.js';
import { RuleMoments } from './rule-moments.service.js';
import { RulePlans } from './rule-plans.service.js';
import { RuleRuns } from './rule-runs.service.js';
import { problemOf, RuleSet, type Moment } from './rule-set.js';
import { InvalidRule } from './rules.errors.js';
import type { Rule } from './rules.repository.js';

/** The newest ones; what is older is not looked at. */
const MOST_CANDIDATES = 100_000;
const MOST_EXAMPLES = 20;
const DAYS = 30;
const DAY_MS = 86_400_000;

/** A trial ends early after so long. */
const PATIENCE_MS = 1500;

/** Items per transaction: other changes of the user wait for it. */
const ITEMS_PER_SET = 500;

/** What one request applies a rule to; the next one goes on. */
const MOST_PER_REQUEST = 5000;
const REQUEST_MS = 5000;

/** What a rule would have done within 30 days. */
export interface Trial {
  readonly matches: number;
  /** Each of the days, the oldest first; `YYYY-MM-DD` in the user's time zone. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
  readonly examples: readonly ListedRow[];
  /** Articles of these days whose text the condition has to look at. */
  readonly cost: number;
  /** Further articles that have the words, if they are few, as a part of a word, without their texts. */
  readonly partOfWord: number;
  /** Articles of any age that it would change if it were applied. */
  readonly existing: number;
  /** False: it ended before it had looked at all. */
  readonly isComplete: boolean;
}

/** How far a rule was applied to what is there. */
export interface Application {
  /** Items. */
  readonly changed: number;
  /** The oldest item that was looked at; null when all were. */
  readonly next: number | null;
}

/** Tries rules on what is there, and applies them to it. */
@Injectable()
export class RuleTrials {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly candidates: RuleCandidatesRepository,
    private readonly articles: QueriedArticlesRepository,
    private readonly rows: RowsRepository,
    private readonly plans: RulePlans,
    private readonly runs: RuleRuns,
    private readonly moments: RuleMoments,
  ) {}

  /** @throws InvalidRule for a rule that would have no effect */
  async try(reader: Reader, rule: Rule): Promise<Trial> {
    const { set, moment } = await this.#alone(reader, rule);
    const words = wordsIn(rule.query);
    const query = words.length > MOST_PARTS ? null : asParts(rule.query);
    const parts = await RuleSet.of([{ ...switchedOn(rule), query }], moment);
    const newest = await this.candidates.newest(reader.id, rule.scope, MOST_CANDIDATES);
    const since = (moment.now.getTime() - DAYS * DAY_MS) * 1000;
    const preselected = await this.#preselected(reader, rule, moment);
    const recentOnes = newest.filter(({ arrivedMicros }) => arrivedMicros >= since);
    const inTitles = await this.candidates.withTitles(recentOnes, words);
    const candidates = newest.filter(
      ({ articleId }) => preselected?.has(articleId) !== false || inTitles.has(articleId),
    );
    const deadline = performance.now() + PATIENCE_MS;
    let isOver = false;
    const withText = new Set<number>();
    const partly = new Set<number>();
    const asked = await this.plans.ask(
      reader.id,
      candidates.map(({ itemId }) => itemId),
      (article, itemId) => {
        const text = () => {
          withText.add(itemId);
          return article.text();
        };
        const found = set.matching({ ...article, text }, moment.now);
        if (
          found.length === 0 &&
          parts.matching({ ...article, text: () => '' }, moment.now).length > 0
        ) {
          partly.add(itemId);
        }
        return found;
      },
      undefined,
      () => (isOver ||= performance.now() > deadline),
    );
    const found = candidates.filter(({ itemId }) => (asked.get(itemId) ?? null) !== null);
    const recent = found.filter(({ arrivedMicros }) => arrivedMicros >= since);
    const planned = await this.plans.ofAsked(
      reader.id,
      found.map(({ itemId }) => ({ itemId, isNew: false, isNews: false })),
      asked,
    );
    const examples = recent.slice(0, MOST_EXAMPLES).map(({ itemId }) => itemId);
    return {
      matches: recent.length,
      days: byDay(
        recent.map(({ arrivedMicros }) => arrivedMicros / 1000),
        moment,
      ),
      examples: await this.rows.ofItems(reader.id, examples),
      cost: recentOnes.filter(({ itemId }) => withText.has(itemId)).length,
      partOfWord: recentOnes.filter(({ itemId }) => partly.has(itemId)).length,
      existing: planned.filter(({ isChanged }) => isChanged).length,
      isComplete: !isOver,
    };
  }

  /**
   * Does what a rule wants to what is there, newest first, as far as it comes in some seconds.
   *
   * @param beforeId exclusive; null begins with the newest
   * @throws InvalidRule
   */
  async apply(reader: Reader, rule: Rule, beforeId: number | null): Promise<Application> {
    const deadline = performance.now() + REQUEST_MS;
    const moment = await this.moments.of(reader.id, [rule]);
    const preselected = await this.#preselected(reader, rule, moment);
    let next = beforeId;
    let changed = 0;
    let looked = 0;
    do {
      const some = await this.candidates.newest(reader.id, rule.scope, ITEMS_PER_SET, next);
      const itemIds = some
        .filter(({ articleId }) => preselected?.has(articleId) !== false)
        .map(({ itemId }) => itemId);
      const matching = await this.matching(reader, rule, itemIds);
      changed += await this.carryOut(reader, rule, [...matching]);
      looked += some.length;
      next = some.length < ITEMS_PER_SET ? null : (some.at(-1)?.itemId ?? null);
    } while (next !== null && looked < MOST_PER_REQUEST && performance.now() < deadline);
    return { changed, next };
  }

  /**
   * Which of these items match a rule, which need not be on.
   *
   * @param isOver true ends early: what was not looked at yet counts as not matching
   * @throws InvalidRule
   */
  async matching(
    reader: Reader,
    rule: Rule,
    itemIds: readonly number[],
    isOver?: () => boolean,
  ): Promise<ReadonlySet<number>> {
    const { set, moment } = await this.#alone(reader, rule);
    const asked = await this.articles.ask(
      reader.id,
      itemIds,
      (article) => set.matching(article, moment.now).length > 0,
      undefined,
      isOver,
    );
    return new Set(itemIds.filter((itemId) => asked.get(itemId) === true));
  }

  /**
   * Does what a rule, which need not be on, wants to those of the items that match, in batches.
   *
   * @param check before each batch, under the lock; may throw
   * @returns changed items
   */
  async carryOut(
    reader: Reader,
    rule: Rule,
    itemIds: readonly number[],
    check: (reader: LockedReader, tx: SqlRunner) => Promise<void> = async () => {},
  ): Promise<number> {
    const { set } = await this.#alone(reader, rule);
    let changed = 0;
    for (let at = 0; at < itemIds.length; at += ITEMS_PER_SET) {
      const some = itemIds.slice(at, at + ITEMS_PER_SET);
      changed += await this.readers.change(
        reader,
        async (tx, locked) => {
          await check(locked, tx);
          return this.runs.applyTo(locked, some, set, tx);
        },
        'deliveries',
      );
    }
    return changed;
  }

  async #preselected(
    reader: Reader,
    { query }: Rule,
    { places }: Moment,
  ): Promise<ReadonlySet<number> | null> {
    const tokens = query === null ? null : tsqueryOf(wantedTokens(query, places));
    return this.candidates.preselected(reader.id, tokens);
  }

  async #alone(reader: Reader, rule: Rule): Promise<{ set: RuleSet; moment: Moment }> {
    const moment = await this.moments.of(reader.id, [rule]);
    const problem = problemOf(rule, moment);
    if (problem !== null) {
      throw new InvalidRule(`is inactive. ${problem.replace(/\.$/, '')}`);
    }
    return { set: await RuleSet.of([switchedOn(rule)], moment), moment };
  }
}

const switchedOn = (rule: Rule): Rule => ({ ...rule, enabled: true, untilSeconds: null });

/** The words and phrases of a condition. */
function wordsIn(query: Query | null): string[] {
  return (query === null ? [] : leavesOf(query)).flatMap((leaf) =>
    leaf.kind === 'text' && leaf.find.kind === 'phrase' ? leaf.find.text : [],
  );
}

/** The same condition with its words as parts of words. */
function asParts(query: Query | null): Query | null {
  return (
    query &&
    replaceLeaves(query, (leaf) =>
      leaf.kind === 'text' && leaf.find.kind === 'phrase' && leaf.in !== 'address'
        ? {
            ...leaf,
            find: {
              kind: 'pattern',
              source: leaf.find.text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
              flags: 'i',
            },
          }
        : leaf,
    )
  );
}

function byDay(timesMs: readonly number[], { now, timeZone }: Moment) {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone });
  const dayOf = (ms: number) => format.format(ms);
  const counts = new Map(
    Array.from({ length: DAYS }, (_, n) => [dayOf(now.getTime() - (DAYS - 1 - n) * DAY_MS), 0]),
  );
  for (const ms of timesMs) {
    const day = dayOf(ms);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return [...counts]
    .map(([day, count]) => ({ day, count }))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

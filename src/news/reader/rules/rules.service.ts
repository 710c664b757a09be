import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { Config } from '../../../common/config/config.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { textIn } from '../../../common/texts/translations.js';
import { shownSentence, visitorLanguage } from '../../../common/texts/visitor-language.js';
import { Turns } from '../../../common/turns.js';
import type { SqlRunner } from '../../../database/database.js';
import { bindPlaces, leavesOf, searchesIn } from '../../query/bind-places.js';
import { describeQuery, type QueryTexts } from '../../query/describe-query.js';
import { parseQuery } from '../../query/parse-query.js';
import { printQuery } from '../../query/print-query.js';
import { QueryError } from '../../query/query-error.js';
import type { Query, UserPlaces } from '../../query/query.js';
import { assertRuleQuery } from '../../query/rule-query.js';
import type { RuleAction, RuleScope } from '../../tables/rule.entity.js';
import { EarlyReadersRepository } from '../delivery/early-readers.repository.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { LockedReader } from '../delivery/reader-locks.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { LabelsService } from '../labels/labels.service.js';
import { NoticesRepository } from '../notices/notices.repository.js';
import { SearchUsersOffer, type SearchUsers } from '../search/search-users.offer.js';
import { RuleMoments } from './rule-moments.service.js';
import { labelsMadeBy, labelsOf, ON_CLOCK, problemOf, type Moment } from './rule-set.js';
import { InvalidRule, RuleNotFound, RuleOfGroup } from './rules.errors.js';
import { RulesRepository, type Rule, type RuleUse } from './rules.repository.js';

const LONGEST_NAME = 255;

/** Ids are safe integers that no other rule of any user has by chance. */
const LARGEST_ID = 2 ** 48 - 1;

export type GivenAction =
  | Exclude<RuleAction, { type: 'label' }>
  | { readonly type: 'label'; readonly names: readonly string[] };

/** A rule as its user writes it. */
export interface GivenRule {
  /** Empty: its condition. */
  readonly name: string;
  readonly enabled: boolean;
  readonly scope: RuleScope;
  readonly query: string;
  readonly actions: readonly GivenAction[];
  readonly stopAfter: boolean;
  readonly untilSeconds: number | null;
}

/** A rule as its user reads it. */
export type ShownRule = Omit<GivenRule, 'untilSeconds'> &
  Pick<Rule, 'id' | 'untilSeconds' | 'createdAt' | 'place' | 'groupName'> & {
    /** The condition in words. */
    readonly words: string;
    /** Why it is inactive; null if it is not. */
    readonly problem: string | null;
    readonly use: RuleUse | null;
  };

/** @see docs/news-api.md "Rules" */
@Injectable()
export class RulesService implements SearchUsers {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly rules: RulesRepository,
    private readonly moments: RuleMoments,
    private readonly labels: LabelsService,
    private readonly notices: NoticesRepository,
    private readonly early: EarlyReadersRepository,
    private readonly config: Config,
    searchUsers: SearchUsersOffer,
  ) {
    searchUsers.fill(this);
  }

  async bySearch(readerId: number, tx?: SqlRunner): Promise<Map<number, string[]>> {
    const names = new Map<number, string[]>();
    for (const { name, query } of await this.rules.list(readerId, tx)) {
      for (const id of query === null ? [] : searchesIn(query)) {
        names.set(id, [...(names.get(id) ?? []), name]);
      }
    }
    return names;
  }

  async changed(reader: LockedReader, tx: SqlRunner): Promise<void> {
    await this.#noteTelling(reader, await this.rules.list(reader.id, tx), tx);
  }

  /** In their order. */
  async list(reader: Reader): Promise<ShownRule[]> {
    const rules = await this.rules.list(reader.id);
    const [moment, uses] = [
      await this.moments.of(reader.id, rules),
      await this.rules.uses(reader.id),
    ];
    const useOf = new Map(uses.map((use) => [use.ruleId, use]));
    return new Turns().map(rules, (rule) => shown(rule, moment, useOf.get(rule.id) ?? null));
  }

  /** @throws InvalidRule, QueryError, LimitReached */
  async create(reader: Reader, given: GivenRule): Promise<ShownRule> {
    return this.#save(reader, given, null);
  }

  /** What is absent stays. @throws RuleNotFound, RuleOfGroup, InvalidRule, QueryError, LimitReached */
  async change(reader: Reader, ruleId: number, given: Partial<GivenRule>): Promise<ShownRule> {
    return this.#save(reader, given, ruleId);
  }

  /** Removes a rule; what it did stays. @throws RuleNotFound, RuleOfGroup */
  async remove(reader: Reader, ruleId: number): Promise<void> {
    await this.readers.change(reader, async (tx, reader) => {
      const rules = await this.rules.list(reader.id, tx);
      const rule = RuleNotFound.unless(
        rules.find(({ id }) => id === ruleId),
        ruleId,
      );
      assertOwn(rule);
      await this.rules.remove(reader.id, ruleId, tx);
      await this.notices.withdraw(reader.id, ruleId, tx);
      const others = rules.filter(({ id }) => id !== ruleId);
      await this.#noteTelling(
        reader,
        rule.tells ? [...others, { ...rule, enabled: false }] : others,
        tx,
      );
      await this.rules.removeUnusedLabels(reader.id, labelsLeftBy([rule], others), tx);
    });
  }

  /** @param ruleIds in their new order; the others follow */
  async order(reader: Reader, ruleIds: readonly number[]): Promise<void> {
    await this.readers.change(reader, (tx, reader) => this.rules.order(reader, ruleIds, tx));
  }

  /**
   * Saves rules with their ids, replacing those that are there. A condition that cannot be read is kept as text, and
   * the rule is inactive.
   *
   * @param given `problem`: why its condition is known to be unreadable
   * @returns each rule as it is saved, or why it is not
   */
  async putAll(
    reader: Reader,
    given: readonly { readonly id: number; readonly rule: GivenRule; readonly problem?: string }[],
  ): Promise<(ShownRule | DomainError)[]> {
    const saved = await this.readers.change(reader, async (tx, reader) => {
      const before = await this.rules.list(reader.id, tx);
      const { places } = await this.moments.of(reader.id, [], tx);
      const rules = new Map(before.map((rule) => [rule.id, rule]));
      const results: (Rule | DomainError)[] = [];
      const turns = new Turns();
      for (const { id, rule: one, problem } of given) {
        await turns.take();
        try {
          const former = rules.get(id) ?? null;
          assertOwn(former);
          const condition =
            problem === undefined ? conditionOf(one.query, places) : unread(one.query, problem);
          const rule = { ...(await this.#toRule(reader, one, former, places, tx, condition)), id };
          const stored = await this.#store(reader, rule, [...rules.values()], tx);
          results.push(stored);
          rules.set(id, stored);
        } catch (error) {
          if (!(error instanceof DomainError)) {
            throw error;
          }
          results.push(error);
        }
      }
      const off = before.map((rule) => ({ ...rule, enabled: false }));
      await this.#noteTelling(reader, [...off, ...rules.values()], tx);
      return results;
    });
    const rules = saved.flatMap((one) => (one instanceof DomainError ? [] : [one]));
    const moment = await this.moments.of(reader.id, rules);
    return new Turns().map(saved, (one) =>
      one instanceof DomainError ? one : shown(one, moment, null),
    );
  }

  /** @param ruleId null makes a new one, of which nothing is absent */
  async #save(
    reader: Reader,
    given: Partial<GivenRule>,
    ruleId: number | null,
  ): Promise<ShownRule> {
    const saved = await this.readers.change(reader, async (tx, reader) => {
      const rules = await this.rules.list(reader.id, tx);
      const former = rules.find(({ id }) => id === ruleId) ?? null;
      RuleNotFound.unless(ruleId === null || former, ruleId ?? 0);
      assertOwn(former);
      const { places } = await this.moments.of(reader.id, [], tx);
      const rule = await this.#toRule(reader, given, former, places, tx);
      if (given.scope ?? given.query ?? given.actions) {
        const problem = problemOf(rule, await this.moments.of(reader.id, [rule], tx));
        if (problem !== null) {
          throw new InvalidRule(`would be inactive. ${problem.replace(/\.$/, '')}`);
        }
      }
      const others = rules.filter((one) => one !== former);
      const stored = await this.#store(reader, rule, others, tx);
      const before = former === null ? [] : [{ ...former, enabled: false }];
      await this.#noteTelling(reader, [...others, ...before, rule], tx);
      return stored;
    });
    return shown(saved, await this.moments.of(reader.id, [saved]), null);
  }

  /** A new rule comes last. @param others of the reader @throws LimitReached */
  async #store(
    reader: LockedReader,
    given: Rule,
    others: readonly Rule[],
    tx: SqlRunner,
  ): Promise<Rule> {
    const own = others.filter(({ id, groupFolderId }) => id !== given.id && groupFolderId === null);
    assertRoom(this.config, [...own, given]);
    const last = Math.max(0, ...others.map(({ place }) => place));
    const rule = { ...given, place: given.place || last + 1 };
    await this.rules.save(reader, rule, tx);
    if (!rule.enabled) {
      await this.notices.withdraw(reader.id, rule.id, tx);
    }
    return rule;
  }

  /** Articles are delivered as they arrive to readers who are told something. */
  async #noteTelling(reader: LockedReader, rules: readonly Rule[], tx: SqlRunner): Promise<void> {
    const telling = rules.filter(({ tells }) => tells);
    if (telling.length > 0) {
      const isOn = telling.some(({ enabled }) => enabled);
      await this.early.set(reader, 'tells', isOn, tx);
    }
  }

  /** A rule to be saved, with the labels that it sets. */
  async #toRule(
    reader: LockedReader,
    { actions, ...rest }: Partial<GivenRule>,
    former: Rule | null,
    places: UserPlaces,
    tx: SqlRunner,
    condition?: Condition,
  ): Promise<Rule> {
    const stored = actions && (await this.#withLabels(reader, actions, former, tx));
    const given = { ...rest, ...(stored && { actions: stored }) };
    return toUnsavedRule(given, places, former, condition);
  }

  async #withLabels(
    reader: LockedReader,
    actions: readonly GivenAction[],
    former: Rule | null,
    tx: SqlRunner,
  ): Promise<RuleAction[]> {
    const created = labelsMadeBy(former?.actions ?? []);
    const stored: RuleAction[] = [];
    for (const action of actions) {
      if (action.type === 'label') {
        const { ids, createdIds } = await this.labels.idsOf(reader, action.names, tx);
        const own = created.filter((id) => ids.includes(id));
        stored.push({ type: 'label', labelIds: ids, createdIds: [...own, ...createdIds] });
      } else {
        stored.push(action);
      }
    }
    return stored;
  }
}

const TELLING = new Set(['notify', 'mail', 'send']);
const MARKING = new Set(['read', 'hide']);

export const newRuleId = () => randomInt(1, LARGEST_ID);

/** A rule as it is given; what is absent stays. @throws InvalidRule, QueryError */
export function toUnsavedRule(
  given: Partial<Omit<GivenRule, 'actions'>> & { readonly actions?: readonly RuleAction[] },
  places: UserPlaces,
  former: Rule | null,
  read?: Condition,
): Rule {
  const actions = given.actions ?? former?.actions ?? [];
  const types = actions.map(({ type }) => type);
  const stopAfter = (given.stopAfter ?? former?.stopAfter ?? false) || types.includes('stop');
  if (types.length === 0 && !stopAfter) {
    throw new InvalidRule('does nothing: choose at least one action');
  }
  if (types.some((type) => MARKING.has(type)) && types.some((type) => TELLING.has(type))) {
    throw new InvalidRule('cannot both mark an article as read and tell you of it');
  }
  const condition =
    read ??
    (given.query === undefined && former !== null
      ? former
      : readCondition(given.query ?? '', places));
  const isForArrival = types.some((type) => !ON_CLOCK.has(type)) || stopAfter;
  if (isForArrival && condition.query !== null) {
    assertRuleQuery(condition.query, places);
  }
  const name = (given.name ?? former?.name ?? '').trim() || condition.queryText || 'Everything';
  if (name.includes('\0') || (given.name ?? '').length > LONGEST_NAME) {
    throw new InvalidRule(`has a name of at most ${LONGEST_NAME} characters`);
  }
  return {
    id: former?.id ?? newRuleId(),
    name: name.slice(0, LONGEST_NAME).toWellFormed(),
    enabled: given.enabled ?? former?.enabled ?? true,
    place: former?.place ?? 0,
    scope: given.scope ?? former?.scope ?? NOTHING,
    query: condition.query,
    queryText: condition.queryText,
    actions,
    stopAfter,
    hasClock: types.some((type) => ON_CLOCK.has(type)),
    tells: types.some((type) => TELLING.has(type)),
    untilSeconds:
      given.untilSeconds === undefined ? (former?.untilSeconds ?? null) : given.untilSeconds,
    createdAt: former?.createdAt ?? new Date(),
    changedMicros: 0,
    problem: condition.problem,
    toldFromSeconds: former?.toldFromSeconds ?? 0,
    groupFolderId: null,
    groupName: null,
  };
}

const NOTHING: RuleScope = {
  everything: false,
  feedIds: [],
  folderIds: [],
  exceptFeedIds: [],
  exceptFolderIds: [],
};

type Condition = Pick<Rule, 'query' | 'queryText' | 'problem'>;

const unread = (queryText: string, problem: string): Condition => ({
  query: null,
  queryText,
  problem,
});

/** What cannot be read is kept as text. */
function conditionOf(text: string, places: UserPlaces): Condition {
  try {
    return readCondition(text, places);
  } catch (error) {
    if (!(error instanceof QueryError)) {
      throw error;
    }
    return unread(text, error.message);
  }
}

/** @throws QueryError */
function readCondition(text: string, places: UserPlaces): Condition {
  const query = bindPlaces(parseQuery(text), places);
  return { query, queryText: printQuery(query, places), problem: null };
}

/** @param rules all that a reader, or a group's folder, has @throws LimitReached */
export function assertRoom(config: Config, rules: readonly Rule[]): void {
  assertBelowLimit(config, 'rules-per-user', rules.length, 0);
  const characters = rules.reduce((sum, { queryText }) => sum + queryText.length, 0);
  assertBelowLimit(config, 'rule-characters-per-user', characters, 0);
  const patterns = rules.reduce((sum, { query }) => sum + patternsIn(query), 0);
  assertBelowLimit(config, 'rule-patterns-per-user', patterns, 0);
}

function assertOwn(rule: Rule | null): void {
  if (rule !== null && rule.groupFolderId !== null) {
    throw new RuleOfGroup(rule.groupName ?? '');
  }
}

/** Labels that were made for rules that are gone, and that no rule which is left sets or names. */
export function labelsLeftBy(gone: readonly Rule[], left: readonly Rule[]): number[] {
  const used = new Set(
    left.flatMap(({ actions, query }) => [...labelsOf(actions), ...labelsIn(query)]),
  );
  return gone.flatMap(({ actions }) => labelsMadeBy(actions)).filter((id) => !used.has(id));
}

/** Ids of labels that a condition names. */
const labelsIn = (query: Query | null): number[] =>
  (query === null ? [] : leavesOf(query)).flatMap((leaf) =>
    leaf.kind === 'place' && leaf.of === 'label' ? (leaf.id ?? []) : [],
  );

const LITERAL = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\p{L}\p{N}])+$/u;

/** Counted once: an import of a thousand rules asks for each of them a thousand times. */
const patternCounts = new WeakMap<Query, number>();

/** How many patterns cost more than a search for their letters. */
function patternsIn(query: Query | null): number {
  if (query === null) {
    return 0;
  }
  const known = patternCounts.get(query);
  if (known !== undefined) {
    return known;
  }
  const { length } = leavesOf(query).filter(
    (leaf) =>
      leaf.kind === 'text' && leaf.find.kind === 'pattern' && !LITERAL.test(leaf.find.source),
  );
  patternCounts.set(query, length);
  return length;
}

const queryTexts: QueryTexts = (key, values) => textIn(visitorLanguage(), 'query', key, values);

function shown(rule: Rule, moment: Moment, use: RuleUse | null): ShownRule {
  const { query, queryText, actions, problem: _stored, ...rest } = rule;
  const { places } = moment;
  const nameOf = (id: number) => places.label.find((label) => label.id === id)?.name;
  return {
    ...rest,
    query: query === null ? queryText : printQuery(query, places),
    words: query === null ? '' : describeQuery(query, places, queryTexts),
    actions: actions.map((action) =>
      action.type === 'label'
        ? { type: 'label', names: action.labelIds.flatMap((id) => nameOf(id) ?? []) }
        : action,
    ),
    problem: shownSentence(problemOf(rule, moment)),
    use,
  };
}

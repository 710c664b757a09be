import { entityOf, p } from '../../database/entity-of.js';
import type { Query } from '../query/query.js';

/** The articles that a rule looks at. What is added to a folder, or to everything, later belongs. */
export interface RuleScope {
  readonly everything: boolean;
  readonly feedIds: readonly number[];
  readonly folderIds: readonly number[];
  readonly exceptFeedIds: readonly number[];
  readonly exceptFolderIds: readonly number[];
}

/** What a rule does, as it is stored: labels by id. */
export type RuleAction =
  | { readonly type: 'read' | 'hide' | 'star' | 'retain' | 'fulltext' | 'stop' }
  /** `createdIds`: those that were made for this rule. */
  | {
      readonly type: 'label';
      readonly labelIds: readonly number[];
      readonly createdIds: readonly number[];
    }
  /** Null: all channels that are on. */
  | {
      readonly type: 'notify';
      readonly urgent: boolean;
      readonly channelIds: readonly number[] | null;
    }
  /** `now`, or the time of day of a digest, `HH:MM`. */
  | { readonly type: 'mail'; readonly at: string }
  | { readonly type: 'send'; readonly channelId: number }
  | { readonly type: 'readAfter'; readonly hours: number }
  | { readonly type: 'newest'; readonly count: number }
  | { readonly type: 'readWhenUnlisted' };

/** What a user wants to happen to articles that match a condition. */
export class RuleEntity extends entityOf('rule', {
  readerId: p.bigint('number').primary(),
  /** Random, unique per reader: it survives export and import, so that no effect is repeated. */
  id: p.bigint('number').primary(),
  name: p.text(),
  enabled: p.boolean().default(true),
  /** Order of the rules, rising; below zero for those of groups. */
  place: p.integer(),
  scope: p.json().$type<RuleScope>(),
  /** With its places bound to ids; null for the text of another reader that cannot be read. */
  query: p.json().$type<Query>().strictNullable(),
  /** The condition as it was written or, without `query`, imported. */
  queryText: p.text(),
  actions: p.json().$type<readonly RuleAction[]>(),
  /** Whether the rules below see no article that it matches. */
  stopAfter: p.boolean().default(false),
  /** Whether any action is for the clock. */
  hasClock: p.boolean().default(false),
  /** Whether any action tells the user. */
  tells: p.boolean().default(false),
  untilSeconds: p.bigint('number').strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  /** The reader's stamp when it was saved last. */
  changedMicros: p.bigint('number'),
  /** Why it is inactive, in a sentence: only of `queryText` that cannot be read. */
  problem: p.text().strictNullable(),
  /** Articles dated before are not told: those that a restore brings again. Unix seconds. */
  toldFromSeconds: p.bigint('number').default(0),
  /** When its actions for the clock were planned last. */
  clockRanAt: p.datetime().defaultRaw('now()'),
  /** The folder of a group that gives it, with its id there; null for the user's own. */
  groupFolderId: p.bigint('number').strictNullable(),
  /** The name of that group, when it was given. */
  groupName: p.text().strictNullable(),
}) {}

export type RuleEffect =
  | 'read'
  | 'hide'
  | 'star'
  | 'label'
  | 'retain'
  | 'fulltext'
  | 'tell'
  | 'stop';

/**
 * What a rule or an import did to an item, for 30 days: the memory by which it is done once, and undone exactly.
 */
export class RuleEffectEntity extends entityOf('rule_effect', {
  readerId: p.bigint('number').primary(),
  itemId: p.bigint('number').primary(),
  /** Of an import its id, negative. */
  ruleId: p.bigint('number').primary(),
  effect: p.text().primary().$type<RuleEffect>(),
  /** 0 for other effects. */
  labelId: p.bigint('number').primary(),
  /** Rising, for pages. */
  id: p.bigint('number').autoincrement().generated('identity'),
  /** The item's stamp, as long as only rules and its publisher change it; unix microseconds. */
  stampMicros: p.bigint('number'),
  at: p.datetime().defaultRaw('now()'),
  undoneAt: p.datetime().strictNullable(),
  /** Whether the user has marked a list read since that had the item. */
  covered: p.boolean().default(false),
}) {}

/** What rules, stories, highlights and merges of feeds keep about an item for as long as it exists. */
export class ItemMarkEntity extends entityOf('item_mark', {
  readerId: p.bigint('number').primary(),
  itemId: p.bigint('number').primary(),
  /** Left out of the lists of the pages while it is filtered, read and not starred. */
  hidden: p.boolean().default(false),
  /** Never removed as an old read item. */
  retained: p.boolean().default(false),
  /** Has highlights or a note of the user: is never removed, nor marked by rules. */
  highlighted: p.boolean().default(false),
  /** Shows the full text of its page. */
  fullText: p.boolean().default(false),
  /**
   * Its stamp, if only rules and its publisher have changed it since its delivery; null while it has that of
   * its delivery. Unix microseconds.
   */
  untouchedMicros: p.bigint('number').strictNullable(),
  /** The item by which the user has its story; not shown once that item is gone. */
  duplicateOf: p.bigint('number').strictNullable(),
  /** A feed was merged: `duplicateOf` is of the same feed and has the state, whether stories are on or not. */
  merged: p.boolean().default(false),
}) {}

import { requestJson } from '../../host/http.js';
import { addressOf } from '../../host/page-context.js';
import type { RowJson } from './items-api.js';
import { change, NEWS_ROOT } from './news-request.js';

/** What a rule does with an article. `stop` alone lets it through. */
export type RuleAction =
  | { readonly type: 'read' | 'hide' | 'star' | 'retain' | 'fulltext' | 'stop' }
  | { readonly type: 'label'; readonly names: readonly string[] }
  | {
      readonly type: 'notify';
      /** Passes quiet hours. */
      readonly urgent: boolean;
      /** Null: all channels that are on. */
      readonly channelIds: readonly number[] | null;
    }
  /** `at` is `now`, or the time of a digest: `HH:MM`. */
  | { readonly type: 'mail'; readonly at: string }
  | { readonly type: 'send'; readonly channelId: number }
  /** By the clock, over unread articles. */
  | { readonly type: 'readAfter'; readonly hours: number }
  | { readonly type: 'newest'; readonly count: number }
  | { readonly type: 'readWhenUnlisted' };

/** Feeds and folders, including those that are added later. */
export interface RuleScope {
  readonly everything: boolean;
  readonly feedIds: readonly number[];
  readonly folderIds: readonly number[];
  readonly exceptFeedIds: readonly number[];
  readonly exceptFolderIds: readonly number[];
}

/** The fields that users set. */
export interface RuleDraft {
  readonly name: string;
  readonly enabled: boolean;
  readonly scope: RuleScope;
  readonly query: string;
  readonly actions: readonly RuleAction[];
  /** Rules below see nothing of an article that matched. */
  readonly stopAfter: boolean;
  /** Unix seconds; null: without an end. */
  readonly until: number | null;
}

export interface Rule extends RuleDraft {
  /** Survives export and import. */
  readonly id: number;
  /** Why it is inactive, as a sentence; null if it is not. */
  readonly problem: string | null;
  /** The query in words. */
  readonly words: string;
  readonly order: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly matches30d: number;
  readonly lastMatchAt: number | null;
  /** The name of the group that gives it, whose editors change it; null for one's own. */
  readonly group: string | null;
}

/** What a rule would have done during the last 30 days. */
export interface DryRun {
  readonly matches: number;
  /** `day` is `YYYY-MM-DD`, the oldest first. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
  readonly examples: readonly RowJson[];
  /** Articles of these days whose text the condition looks at. */
  readonly cost: number;
  /** More articles that contain the words as a part of a word. */
  readonly partOfWord: number;
  /** Articles on which it would act if it were applied to what is there. */
  readonly existing: number;
  /** False: older articles were not looked at. */
  readonly isComplete: boolean;
}

export interface RuleEffect {
  /** Unix seconds. */
  readonly at: number;
  readonly effect: string;
  readonly itemId: number;
  readonly title: string;
  readonly feedId: number;
  readonly undoneAt: number | null;
}

export interface EffectPage {
  readonly effects: readonly RuleEffect[];
  /** Value for `before`; null at the end. */
  readonly next: string | null;
}

interface ApplyStep {
  readonly changed: number;
  /** Value for `before`; null at the end. */
  readonly next: string | null;
}

export async function listRules(): Promise<readonly Rule[]> {
  return (await requestJson<{ rules: Rule[] }>(`${NEWS_ROOT}/rules`)).rules;
}

export async function addRule(rule: RuleDraft): Promise<Rule> {
  return (await change<{ rules: [Rule] }>('POST', '/rules', rule)).rules[0];
}

export async function changeRule(id: number, rule: Partial<RuleDraft>): Promise<Rule> {
  return (await change<{ rules: [Rule] }>('PUT', `/rules/${id}`, rule)).rules[0];
}

export const removeRule = (id: number): Promise<void> => change('DELETE', `/rules/${id}`);

/** @param ruleIds all, the first at the top */
export const orderRules = (ruleIds: readonly number[]): Promise<void> =>
  change('POST', '/rules/order', { ruleIds });

export const dryRun = (rule: RuleDraft): Promise<DryRun> =>
  change<DryRun>('POST', '/rules/dry-run', { rule });

/** Applies a rule to the articles that are there, in steps. @returns how many it changed */
export async function applyRule(id: number): Promise<number> {
  let [changed, next]: [number, string | null] = [0, null];
  do {
    const given: object = next === null ? {} : { before: next };
    const step = await change<ApplyStep>('POST', `/rules/${id}/apply`, given);
    changed += step.changed;
    ({ next } = step);
  } while (next !== null);
  return changed;
}

/** Undoes its effects on articles that were not touched since. */
export const undoRule = (id: number): Promise<{ readonly undone: number }> =>
  change('POST', `/rules/${id}/undo`);

export const ruleEffects = (id: number, before: string | null): Promise<EffectPage> =>
  requestJson<EffectPage>(`${NEWS_ROOT}/rules/${id}/effects`, {
    query: before === null ? {} : { before },
  });

export const rulesExportAddress = () => addressOf(`${NEWS_ROOT}/rules/export`);

/** @param rules what `rules/export` answered */
export const importRules = (rules: unknown): Promise<unknown> =>
  change('POST', '/rules/import', rules);

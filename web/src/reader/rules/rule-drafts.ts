import type { Rule, RuleAction, RuleDraft, RuleScope } from '../model/rules-api.js';

/** Actions that are a choice without a value. */
export const PLAIN_ACTIONS = ['read', 'hide', 'star', 'retain', 'fulltext'] as const;
/** Actions of rules with a clock, over unread articles. */
const CLOCK_ACTIONS: ReadonlySet<string> = new Set(['readAfter', 'newest', 'readWhenUnlisted']);

export const EVERYTHING: RuleScope = {
  everything: true,
  feedIds: [],
  folderIds: [],
  exceptFeedIds: [],
  exceptFolderIds: [],
};

const DAY_SECONDS = 86_400;

/** Periods for which a word is muted. */
export const PERIODS = { day: DAY_SECONDS, week: 7 * DAY_SECONDS, month: 30 * DAY_SECONDS };

export function newRule(given: Partial<RuleDraft> = {}): RuleDraft {
  return {
    name: '',
    enabled: true,
    scope: EVERYTHING,
    query: '',
    actions: [],
    stopAfter: false,
    until: null,
    ...given,
  };
}

export function draftOf({
  name,
  enabled,
  scope,
  query,
  actions,
  stopAfter,
  until,
}: Rule): RuleDraft {
  return { name, enabled, scope, query, actions, stopAfter, until };
}

/** @returns the scope of a single feed or folder; everything without an id */
export function scopeOf(feedId: number, folderId: number): RuleScope {
  const isPlace = feedId > 0 || folderId > 0;
  return {
    ...EVERYTHING,
    everything: !isPlace,
    feedIds: feedId > 0 ? [feedId] : [],
    folderIds: folderId > 0 ? [folderId] : [],
  };
}

export function actionOf<Type extends RuleAction['type']>(
  actions: readonly RuleAction[],
  type: Type,
): Extract<RuleAction, { type: Type }> | undefined {
  return actions.find((action) => action.type === type) as
    | Extract<RuleAction, { type: Type }>
    | undefined;
}

/** @param action null removes it */
export function withAction(
  actions: readonly RuleAction[],
  type: RuleAction['type'],
  action: RuleAction | null,
): readonly RuleAction[] {
  const at = actions.findIndex((one) => one.type === type);
  if (action === null || at < 0) {
    const others = actions.filter((one) => one.type !== type);
    return action === null ? others : [...others, action];
  }
  return actions.with(at, action);
}

export function isByClock(actions: readonly RuleAction[]): boolean {
  return actions.some(({ type }) => CLOCK_ACTIONS.has(type));
}

/** "Everything except …" as a condition. */
export function exceptQuery(exceptions: string): string {
  return exceptions.trim() === '' ? '' : `-(${exceptions.trim()})`;
}

/** @returns what is excepted; null if the condition has another form */
export function exceptionsOf(query: string): string | null {
  const inner = /^-\(([^]*)\)$/.exec(query.trim())?.[1];
  return inner !== undefined && isBalanced(inner) ? inner : null;
}

/** Whether the brackets outside of phrases belong together. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [part] of text.matchAll(/"(?:\\.|[^"\\])*"|\\.|[()]/g)) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}

/** Words of a title that may be muted, each once. */
export function wordsOf(title: string): readonly string[] {
  const words = title.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}+#'’&.-]*[\p{L}\p{N}+#]/gu) ?? [];
  return [...new Set(words)].slice(0, 12);
}

/** @returns the ids with one of them at another place */
export function moved(ids: readonly number[], id: number, to: number): readonly number[] {
  return ids.filter((one) => one !== id).toSpliced(to, 0, id);
}

/** Names of labels as they are typed: parted by commas. */
export function namesIn(text: string): readonly string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ];
}

/** Whether a condition names feeds, folders, labels or searches, which each user has of their own. */
export function namesPlaces(query: string): boolean {
  const bare = query.replaceAll(/"(?:\\.|[^"\\])*"|(?<=[\s(:]|^)\/(?:\\.|[^/\\])+\//g, '""');
  return /(?<=(?:^|[\s(])[-!]?)(?:feed|folder|in|label|search):/i.test(bare);
}

/** Why a draft cannot be saved, as a key of a text; null if it can. */
export function lackOf(
  { actions, scope, stopAfter, query }: RuleDraft,
  isOfGroup = false,
): string | null {
  if (isOfGroup && namesPlaces(query)) {
    return 'rules.lacks.noPlaces';
  }
  if (!scope.everything && scope.feedIds.length + scope.folderIds.length === 0) {
    return 'rules.lacks.scope';
  }
  if (actions.length === 0 && !stopAfter) {
    return 'rules.lacks.action';
  }
  return actionOf(actions, 'label')?.names.length === 0 ? 'rules.lacks.label' : null;
}

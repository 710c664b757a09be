import type { BellPlace } from '../model/belled-place.js';
import type { Rule, RuleAction, RuleDraft } from '../model/rules-api.js';

type NotifyAction = Extract<RuleAction, { type: 'notify' }>;
type Place = Pick<BellPlace, 'of' | 'id'>;
/** The folder of a feed; null: the root, or an unknown feed. */
type FolderOf = (feedId: number) => number | null;

const TELLING: ReadonlySet<string> = new Set(['notify', 'mail', 'send']);

/** What a bell says: an action `notify`, in the words of a form. */
export interface Bell {
  readonly isOn: boolean;
  readonly urgent: boolean;
  /** Null: all channels that are on. */
  readonly channelIds: readonly number[] | null;
}

/** The rule that is the bell of a feed or folder: exactly this scope, no condition, and only a notice. */
export function bellRule(rules: readonly Rule[], { of, id }: Place): Rule | undefined {
  return rules.find(
    (rule) =>
      bellAction(rule) !== undefined &&
      [...rule.scope.feedIds].join() === (of === 'feed' ? String(id) : '') &&
      [...rule.scope.folderIds].join() === (of === 'folder' ? String(id) : ''),
  );
}

/** The action of a rule that may be a bell. */
function bellAction({ scope, query, actions, until }: Rule): NotifyAction | undefined {
  const [only, ...others] = actions;
  const isOfPlaces =
    !scope.everything && scope.exceptFeedIds.length === 0 && scope.exceptFolderIds.length === 0;
  return isOfPlaces && query.trim() === '' && until === null && others.length === 0
    ? only?.type === 'notify'
      ? only
      : undefined
    : undefined;
}

export function bellOf(rules: readonly Rule[], place: Place): Bell {
  const rule = bellRule(rules, place);
  const action = rule && bellAction(rule);
  return {
    isOn: rule?.enabled === true,
    urgent: action?.urgent ?? false,
    channelIds: action?.channelIds ?? null,
  };
}

/** Places whose bell is on. */
export function placesWithBell(rules: readonly Rule[], of: BellPlace['of']): ReadonlySet<number> {
  const ids = rules.flatMap(({ scope }) => (of === 'feed' ? scope.feedIds : scope.folderIds));
  return new Set(ids.filter((id) => bellOf(rules, { of, id }).isOn));
}

/** Other rules that are on and may tell about articles of a place, in their order. */
export function otherTellingRules(
  rules: readonly Rule[],
  place: Place,
  folderOf: FolderOf,
): readonly Rule[] {
  const bell = bellRule(rules, place);
  return rules.filter(
    (rule) =>
      rule !== bell &&
      rule.enabled &&
      rule.problem === null &&
      rule.actions.some(({ type }) => TELLING.has(type)) &&
      reaches(rule.scope, place, folderOf),
  );
}

function reaches(scope: Rule['scope'], { of, id }: Place, folderOf: FolderOf): boolean {
  const { everything, feedIds, folderIds, exceptFeedIds, exceptFolderIds } = scope;
  if (of === 'folder') {
    return (
      !exceptFolderIds.includes(id) &&
      (everything || folderIds.includes(id) || feedIds.some((feedId) => folderOf(feedId) === id))
    );
  }
  const folderId = folderOf(id) ?? 0;
  const isExcepted = exceptFeedIds.includes(id) || exceptFolderIds.includes(folderId);
  return !isExcepted && (everything || feedIds.includes(id) || folderIds.includes(folderId));
}

/** The rule of a bell. */
export function ruleOf({ of, id }: Place, name: string, { urgent, channelIds }: Bell): RuleDraft {
  return {
    name,
    enabled: true,
    scope: {
      everything: false,
      feedIds: of === 'feed' ? [id] : [],
      folderIds: of === 'folder' ? [id] : [],
      exceptFeedIds: [],
      exceptFolderIds: [],
    },
    query: '',
    actions: [{ type: 'notify', urgent, channelIds }],
    stopAfter: false,
    until: null,
  };
}

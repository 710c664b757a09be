import type { BellPlace } from '../model/belled-place.js';
import type { Rule, RuleDraft } from '../model/rules-api.js';

type Place = Pick<BellPlace, 'of' | 'id'>;
/** The folder of a feed; null: the root, or an unknown feed. */
type FolderOf = (feedId: number) => number | null;

const TELLING: ReadonlySet<string> = new Set(['notify', 'mail', 'send']);

/** The rule that is the bell of a feed or folder: exactly this scope, no condition, and only a notice. */
export function bellRule(rules: readonly Rule[], { of, id }: Place): Rule | undefined {
  return rules.find(
    (rule) =>
      isBell(rule) &&
      rule.scope.feedIds.join() === (of === 'feed' ? String(id) : '') &&
      rule.scope.folderIds.join() === (of === 'folder' ? String(id) : ''),
  );
}

function isBell({ scope, query, actions, until }: Rule): boolean {
  const isOfPlaces =
    !scope.everything && scope.exceptFeedIds.length === 0 && scope.exceptFolderIds.length === 0;
  const isNotice = actions.length === 1 && actions[0]?.type === 'notify';
  return isOfPlaces && isNotice && query.trim() === '' && until === null;
}

/** Places whose bell is on. */
export function placesWithBell(rules: readonly Rule[], of: BellPlace['of']): ReadonlySet<number> {
  const ids = rules.flatMap(({ scope }) => (of === 'feed' ? scope.feedIds : scope.folderIds));
  return new Set(ids.filter((id) => bellRule(rules, { of, id })?.enabled));
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
  const folderId = of === 'folder' ? id : folderOf(id);
  const isIn = (ids: readonly number[]) => folderId !== null && ids.includes(folderId);
  if (isIn(exceptFolderIds) || (of === 'feed' && exceptFeedIds.includes(id))) {
    return false;
  }
  const isOfFeeds =
    of === 'feed' ? feedIds.includes(id) : feedIds.some((feedId) => folderOf(feedId) === id);
  return everything || isIn(folderIds) || isOfFeeds;
}

/** The rule of a bell: by all channels that are on, not in quiet hours. */
export function newBell({ of, id }: Place, name: string): RuleDraft {
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
    actions: [{ type: 'notify', urgent: false, channelIds: null }],
    stopAfter: false,
    until: null,
  };
}

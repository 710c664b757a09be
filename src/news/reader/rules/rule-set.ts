import { Turns } from '../../../common/turns.js';
import { missingPlaces } from '../../query/bind-places.js';
import { Phrase, PhraseSearch } from '../../query/phrase.js';
import { compileQuery, SeenText, Sight } from '../../query/query-matcher.js';
import type { QueriedArticle, UserPlaces } from '../../query/query.js';
import type { RuleAction, RuleScope } from '../../tables/rule.entity.js';
import type { Rule } from './rules.repository.js';

/** Rules that take effect on one article; the others are as below a `stop`. */
const MOST_ON_ONE = 50;

/** Actions that the clock carries out, not a delivery. */
export const ON_CLOCK: ReadonlySet<RuleAction['type']> = new Set([
  'readAfter',
  'newest',
  'readWhenUnlisted',
]);

/** When and for whom conditions are asked. */
export interface Moment extends RuleContext {
  readonly now: Date;
}

/** For whom conditions are asked. */
export interface RuleContext {
  readonly timeZone: string;
  readonly places: UserPlaces;
  /** Channels that the actions name and that exist. */
  readonly channelIds: ReadonlySet<number>;
}

/** A sentence if the rule has no effect because of what it names; null otherwise. */
export function problemOf(rule: Rule, { places, channelIds }: Omit<RuleContext, 'timeZone'>) {
  if (rule.query === null) {
    return rule.problem;
  }
  const [missing] = missingPlaces(rule.query, places);
  if (missing !== undefined) {
    return `The condition names ${WHAT[missing.of]} that was deleted: "${missing.name}".`;
  }
  const { everything, feedIds, folderIds } = rule.scope;
  const isThere = (of: keyof UserPlaces) => (id: number) => places[of].some((one) => one.id === id);
  if (!everything && !feedIds.some(isThere('feed')) && !folderIds.some(isThere('folder'))) {
    return 'The feeds and folders that it looks at were deleted.';
  }
  // Those of a rule that is only tried are below zero.
  if (!labelsOf(rule.actions).every((id) => id < 0 || isThere('label')(id))) {
    return 'It sets a label that was deleted.';
  }
  if (!channelsOf(rule.actions).every((id) => channelIds.has(id))) {
    return 'It tells by a channel that was deleted.';
  }
  return null;
}

const WHAT = {
  feed: 'a feed',
  folder: 'a folder',
  label: 'a label',
  search: 'a saved search',
} as const;

export function labelsOf(actions: readonly RuleAction[]): readonly number[] {
  return actions.flatMap((action) => (action.type === 'label' ? action.labelIds : []));
}

/** Labels that were made for the rule. */
export function labelsMadeBy(actions: readonly RuleAction[]): readonly number[] {
  return actions.flatMap((action) => (action.type === 'label' ? action.createdIds : []));
}

export function channelsOf(actions: readonly RuleAction[]): readonly number[] {
  return actions.flatMap((action) => {
    if (action.type === 'send') {
      return [action.channelId];
    }
    return action.type === 'notify' ? (action.channelIds ?? []) : [];
  });
}

/** An active rule, ready to be asked. */
interface ReadyRule {
  readonly rule: Rule;
  readonly isInScope: (place: Pick<QueriedArticle, 'feedId' | 'folderId'>) => boolean;
  readonly holds: (sight: Sight) => boolean;
  readonly labelIds: readonly number[];
}

/** Whether rules are on now, apart from what they name. */
export function isOn({ enabled, untilSeconds }: Rule, now: Date): boolean {
  return enabled && (untilSeconds === null || untilSeconds > now.getTime() / 1000);
}

/** Active rules of a reader, in their order. All of their words are sought in one pass. */
export class RuleSet {
  private constructor(
    private readonly rules: readonly ReadyRule[],
    private readonly search: PhraseSearch,
  ) {}

  /** @param rules only those that are on are asked, and only without a problem */
  static async of(rules: readonly Rule[], context: RuleContext): Promise<RuleSet> {
    const turns = new Turns();
    const phrases = new Map<string, Phrase>();
    const ready: ReadyRule[] = [];
    for (const rule of rules) {
      await turns.take();
      if (rule.query === null || !rule.enabled || problemOf(rule, context) !== null) {
        continue;
      }
      const { holds } = compileQuery(rule.query, context, (find) => {
        const key = JSON.stringify(find);
        const phrase = phrases.get(key) ?? new Phrase(find);
        phrases.set(key, phrase);
        return phrase;
      });
      const { scope, actions } = rule;
      ready.push({ rule, holds, isInScope: scopeTest(scope), labelIds: labelsOf(actions) });
    }
    return new RuleSet(ready, await PhraseSearch.inTurns([...phrases.values()], turns));
  }

  /** Whether none is on now. */
  isEmpty(now: Date): boolean {
    return !this.rules.some(({ rule }) => isOn(rule, now));
  }

  /**
   * The rules that match an article, in their order, up to one that stops. A rule sees the labels of those
   * above it.
   */
  matching(article: QueriedArticle, now: Date): Rule[] {
    const found: Rule[] = [];
    const labelIds = new Set(article.labelIds);
    const texts = new Map<string, SeenText>();
    const see = (text: string) => {
      const seen = texts.get(text) ?? new SeenText(text, this.search);
      texts.set(text, seen);
      return seen;
    };
    let sight = new Sight(article, now, see);
    for (const ready of this.rules) {
      if (!isOn(ready.rule, now) || !ready.isInScope(article) || !ready.holds(sight)) {
        continue;
      }
      found.push(ready.rule);
      if (ready.rule.stopAfter || found.length === MOST_ON_ONE) {
        break;
      }
      if (ready.labelIds.length > 0) {
        ready.labelIds.forEach((id) => labelIds.add(id));
        sight = new Sight(withLabels(article, [...labelIds]), now, see);
      }
    }
    return found;
  }
}

const withLabels = (article: QueriedArticle, labelIds: readonly number[]): QueriedArticle => ({
  ...article,
  labelIds,
  states: { ...article.states, labelled: true },
  parts: { ...article.parts, label: true },
});

function scopeTest(scope: RuleScope): ReadyRule['isInScope'] {
  const [feeds, folders] = [new Set(scope.feedIds), new Set(scope.folderIds)];
  const [noFeeds, noFolders] = [new Set(scope.exceptFeedIds), new Set(scope.exceptFolderIds)];
  const has = (ids: ReadonlySet<number>, id: number | null) => id !== null && ids.has(id);
  return ({ feedId, folderId }) =>
    (scope.everything || feeds.has(feedId) || has(folders, folderId)) &&
    !noFeeds.has(feedId) &&
    !has(noFolders, folderId);
}

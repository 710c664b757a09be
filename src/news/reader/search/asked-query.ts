import { leavesOf } from '../../query/bind-places.js';
import { foldExact, isJoinedAt } from '../../query/folded-text.js';
import { momentsOf, type Clock } from '../../query/moments.js';
import { QueryMatcher } from '../../query/query-matcher.js';
import type { Query, UserPlaces } from '../../query/query.js';
import { tokensOf } from '../../query/tokens.js';
import { wantedTokens } from '../../query/wanted-tokens.js';
import type { ItemSelection } from '../items/item-list.sql.js';
import { tsqueryOf } from './token-text.js';

/** What is selected of a list before it is looked at. */
export interface Narrowed {
  readonly selection: ItemSelection;
  /** Dates of items, from the first on and before the second; null is open. */
  readonly fromSeconds: number | null;
  readonly beforeSeconds: number | null;
  /** Whether rows are shown that rules hide: if the query asks for it. Other clients are shown them as read. */
  readonly hasHidden: boolean;
}

/** A query, and what can be decided before articles are looked at. */
export interface AskedQuery extends Narrowed {
  readonly query: Query;
  /** Decides. */
  readonly matcher: QueryMatcher;
  /** What is left to decide of an article that has exactly the tokens; null for nothing. */
  readonly rest: QueryMatcher | null;
  /** See `tsqueryOf`. */
  readonly tokens: string | null;
}

export function askedQuery(
  query: Query,
  selection: ItemSelection,
  context: Clock & { readonly places: UserPlaces },
): AskedQuery {
  const parts = query.kind === 'and' ? query.of : [query];
  const left = parts.filter((part) => !isExact(part));
  return {
    query,
    matcher: new QueryMatcher(query, context),
    rest: left.length === 0 ? null : new QueryMatcher({ kind: 'and', of: left }, context),
    tokens: tsqueryOf(wantedTokens(query, context.places)),
    ...parts.reduce((narrowed, part) => narrow(narrowed, part, context), {
      selection,
      fromSeconds: null,
      beforeSeconds: null,
      hasHidden: leavesOf(query).some((leaf) => leaf.kind === 'is' && leaf.state === 'filtered'),
    } as Narrowed),
  };
}

/** Whether the tokens alone decide: words in any part, without accents and signs. */
function isExact(query: Query): boolean {
  if (query.kind === 'and' || query.kind === 'or') {
    return query.of.every(isExact);
  }
  if (query.kind !== 'text' || query.in !== 'words' || query.find.kind !== 'phrase') {
    return false;
  }
  const { text, isWhole } = query.find;
  const word = foldExact(text);
  const [token, ...others] = tokensOf(word);
  return !isWhole && token === word && others.length === 0 && !isJoinedAt(word, 0);
}

/** Narrows a list of all items by a condition that all of them must meet. */
function narrow(to: Narrowed, part: Query, clock: Clock): Narrowed {
  const { selection } = to;
  const isOpen = selection.of === 'all' || selection.of === 'unread';
  const unreadOnly = selection.of === 'unread' || selection.unreadOnly;
  const select = (narrower: ItemSelection) => ({ ...to, selection: narrower });
  switch (part.kind) {
    case 'is': {
      if (part.state === 'unread') {
        return select({ ...selection, unreadOnly: true });
      }
      return isOpen && (part.state === 'starred' || part.state === 'highlighted')
        ? select({ of: part.state, unreadOnly })
        : to;
    }
    case 'place': {
      const { of, id } = part;
      if (id === null || !isOpen || of === 'search') {
        return to;
      }
      return select(
        of === 'feed'
          ? { of, feedId: id, unreadOnly }
          : of === 'folder'
            ? { of, folderId: id, unreadOnly }
            : { of, labelId: id, unreadOnly },
      );
    }
    case 'date':
    case 'age': {
      if (part.kind === 'date' && part.of === 'arrived') {
        return to;
      }
      const { from, before } = momentsOf(part, clock);
      return {
        ...to,
        fromSeconds: highest(to.fromSeconds, from),
        beforeSeconds: lowest(to.beforeSeconds, before),
      };
    }
    default: {
      return to;
    }
  }
}

const highest = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

const lowest = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

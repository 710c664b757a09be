import type { RouteLocationNormalizedLoaded, RouteLocationRaw } from 'vue-router';

/** The items of a list. */
export type Selection =
  | { readonly of: 'unread' | 'all' | 'starred' }
  | SearchPlace
  | SearchSelection;

export interface SearchSelection {
  readonly of: 'search';
  /** Empty for a saved search. */
  readonly query: string;
  readonly searchId?: number | undefined;
  /** Undefined: everywhere. */
  readonly within?: SearchPlace | undefined;
  /** Instead of the newest first. */
  readonly byRelevance?: true | undefined;
}

/** The feed, folder or label that is searched. */
export type SearchPlace =
  | { readonly of: 'feed'; readonly feedId: number }
  | { readonly of: 'folder'; readonly folderId: number }
  | { readonly of: 'label'; readonly labelId: number };

/** A list that is marked read as a whole, also without a connection. */
export type WholeList = Exclude<Selection, { of: 'starred' | 'label' | 'search' }>;

export function isWholeList(selection: Selection): selection is WholeList {
  return !['starred', 'label', 'search'].includes(selection.of);
}

/** The list that a route shows. */
export function selectionOf(route: RouteLocationNormalizedLoaded): Selection {
  const id = Number(route.params['id']);
  switch (route.meta['list']) {
    case 'feed':
      return { of: 'feed', feedId: id };
    case 'folder':
      return { of: 'folder', folderId: id };
    case 'label':
      return { of: 'label', labelId: id };
    case 'search':
    case 'savedSearch':
      return {
        of: 'search',
        query: String(route.query['q'] ?? ''),
        searchId: route.meta['list'] === 'search' ? undefined : id,
        within: searchPlaceOf(route),
        byRelevance: route.query['order'] === 'relevance' || undefined,
      };
    case 'all':
    case 'starred':
      return { of: route.meta['list'] };
    default:
      return { of: 'unread' };
  }
}

/** The feed, folder or label in which one searches from a list. */
export function placeWithin(selection: Selection): SearchPlace | undefined {
  switch (selection.of) {
    case 'feed':
    case 'folder':
    case 'label':
      return selection;
    case 'search':
      return selection.within;
    default:
      return undefined;
  }
}

/** The open article of a route; null if it shows only a list. */
export function itemIdOf(route: RouteLocationNormalizedLoaded): number | null {
  const id = Number(route.params['itemId']);
  return id > 0 ? id : null;
}

/** @param itemId the open article */
export function placeOf(selection: Selection, itemId: number | null = null): RouteLocationRaw {
  const list = listPath(selection);
  const path = itemId === null ? list : `${list.replace(/\/$/, '')}/items/${itemId}`;
  return selection.of === 'search' ? { path, query: searchQuery(selection) } : { path };
}

/** Equal for equal lists. */
export function keyOf(selection: Selection): string {
  return (
    listPath(selection) + (selection.of === 'search' ? JSON.stringify(searchQuery(selection)) : '')
  );
}

function listPath(selection: Selection): string {
  switch (selection.of) {
    case 'unread':
      return '/apps/news/';
    case 'feed':
      return `/apps/news/feeds/${selection.feedId}`;
    case 'folder':
      return `/apps/news/folders/${selection.folderId}`;
    case 'label':
      return `/apps/news/labels/${selection.labelId}`;
    case 'search':
      return selection.searchId === undefined
        ? '/apps/news/search'
        : `/apps/news/searches/${selection.searchId}`;
    default:
      return `/apps/news/${selection.of}`;
  }
}

function searchPlaceOf({ query }: RouteLocationNormalizedLoaded): SearchPlace | undefined {
  const feedId = Number(query['feed']);
  const folderId = Number(query['folder']);
  if (feedId > 0) {
    return { of: 'feed', feedId };
  }
  if (folderId > 0) {
    return { of: 'folder', folderId };
  }
  const labelId = Number(query['label']);
  return labelId > 0 ? { of: 'label', labelId } : undefined;
}

function searchQuery({ query, searchId, within, byRelevance }: SearchSelection) {
  return {
    ...(searchId === undefined ? { q: query } : {}),
    ...(within?.of === 'feed' ? { feed: within.feedId } : {}),
    ...(within?.of === 'folder' ? { folder: within.folderId } : {}),
    ...(within?.of === 'label' ? { label: within.labelId } : {}),
    ...(byRelevance === true ? { order: 'relevance' } : {}),
  };
}

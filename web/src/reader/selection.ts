import type { RouteLocationNormalizedLoaded, RouteLocationRaw } from 'vue-router';

/** The items of a list. */
export type Selection =
  | { readonly of: 'unread' | 'all' | 'starred' }
  | { readonly of: 'feed'; readonly feedId: number }
  | { readonly of: 'folder'; readonly folderId: number }
  | { readonly of: 'search'; readonly query: string };

/** The list that a route shows. */
export function selectionOf(route: RouteLocationNormalizedLoaded): Selection {
  const id = Number(route.params['id']);
  switch (route.meta['list']) {
    case 'feed':
      return { of: 'feed', feedId: id };
    case 'folder':
      return { of: 'folder', folderId: id };
    case 'search':
      return { of: 'search', query: String(route.query['q'] ?? '') };
    case 'all':
    case 'starred':
      return { of: route.meta['list'] };
    default:
      return { of: 'unread' };
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
  return selection.of === 'search' ? { path, query: { q: selection.query } } : { path };
}

/** Equal for equal lists. */
export function keyOf(selection: Selection): string {
  return listPath(selection) + (selection.of === 'search' ? selection.query : '');
}

function listPath(selection: Selection): string {
  switch (selection.of) {
    case 'unread':
      return '/apps/news/';
    case 'feed':
      return `/apps/news/feeds/${selection.feedId}`;
    case 'folder':
      return `/apps/news/folders/${selection.folderId}`;
    default:
      return `/apps/news/${selection.of}`;
  }
}

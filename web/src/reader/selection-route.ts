import type { RouteLocationNormalizedLoaded, RouteLocationRaw } from 'vue-router';
import type { Selection } from './news-api.js';

/** Which list an address shows. */
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

/** The article that an address shows; null when it shows a list alone. */
export function itemIdOf(route: RouteLocationNormalizedLoaded): number | null {
  const id = Number(route.params['itemId']);
  return id > 0 ? id : null;
}

/** @param itemId of the article that is open */
export function placeOf(selection: Selection, itemId: number | null = null): RouteLocationRaw {
  const list = listPath(selection);
  const path = itemId === null ? list : `${list.replace(/\/$/, '')}/items/${itemId}`;
  return selection.of === 'search' ? { path, query: { q: selection.query } } : { path };
}

/** Two lists are the same when these are. */
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

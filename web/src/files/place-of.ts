import type { RouteLocationRaw } from 'vue-router';

/** @param folder path; empty: the root @param words of a search below it */
export function placeOf(folder: string, words = ''): RouteLocationRaw {
  return {
    name: 'files',
    params: { path: folder.split('/').filter(Boolean) },
    query: words === '' ? {} : { search: words },
  };
}

export const TRASH_PLACE: RouteLocationRaw = {
  name: 'files',
  params: { path: [] },
  query: { view: 'trash' },
};

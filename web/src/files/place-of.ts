import type { RouteLocationRaw } from 'vue-router';

/** @param folder path; empty: the root @param words of a search below it @param file id of a file to be marked */
export function placeOf(folder: string, words = '', file = ''): RouteLocationRaw {
  return {
    name: 'files',
    params: { path: folder.split('/').filter(Boolean) },
    query: { ...(words !== '' && { search: words }), ...(file !== '' && { file }) },
  };
}

export const FAVORITES_PLACE: RouteLocationRaw = {
  name: 'files',
  params: { path: [] },
  query: { view: 'favorites' },
};

export const TRASH_PLACE: RouteLocationRaw = {
  name: 'files',
  params: { path: [] },
  query: { view: 'trash' },
};

import type { RouteLocationNormalized, RouteRecordRaw } from 'vue-router';
import { addressOf } from '../host/page-context.js';
import { placeOf } from './place-of.js';

/** Followed by the segments of a folder path. */
export const FILES_ROUTES: RouteRecordRaw[] = [
  {
    path: '/apps/files/:path(.*)*',
    name: 'files',
    component: () => import('./FilesPage.vue'),
    meta: { texts: 'files' },
    beforeEnter: placeOfQuery,
  },
];

/** Links of clients, apps and bots name the folder in the query, and a file in it. */
function placeOfQuery({ query }: RouteLocationNormalized) {
  const { dir, openfile, fileid = openfile } = query;
  const file = /^\d+$/.test(String(fileid)) ? String(fileid) : '';
  if (typeof dir === 'string') {
    return placeOf(dir, '', file);
  }
  if (file !== '') {
    location.replace(addressOf(`/f/${file}`));
  }
  return file === '';
}

import type { RouteRecordRaw } from 'vue-router';

/** Followed by the segments of a folder path. */
export const FILES_ROUTES: RouteRecordRaw[] = [
  {
    path: '/apps/files/:path(.*)*',
    name: 'files',
    component: () => import('./FilesPage.vue'),
    meta: { texts: 'files' },
  },
];

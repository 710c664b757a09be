import type { RouteRecordRaw } from 'vue-router';

/** What follows is the path of a folder, segment by segment. */
export const FILES_ROUTES: RouteRecordRaw[] = [
  { path: '/apps/files/:path(.*)*', name: 'files', component: () => import('./FilesPage.vue') },
];

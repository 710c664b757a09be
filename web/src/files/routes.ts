import type { RouteRecordRaw } from 'vue-router';

export const FILES_ROUTES: RouteRecordRaw[] = [
  { path: '/apps/files/:rest(.*)*', component: () => import('../shell/MissingPage.vue') },
];

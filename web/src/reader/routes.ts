import type { RouteRecordRaw } from 'vue-router';

export const READER_ROUTES: RouteRecordRaw[] = [
  { path: '/apps/news/:rest(.*)*', component: () => import('../shell/MissingPage.vue') },
];

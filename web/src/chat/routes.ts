import type { RouteRecordRaw } from 'vue-router';

export const CHAT_ROUTES: RouteRecordRaw[] = [
  { path: '/apps/spreed/:rest(.*)*', component: () => import('../shell/MissingPage.vue') },
];

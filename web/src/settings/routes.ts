import type { RouteRecordRaw } from 'vue-router';

export const SETTINGS_ROUTES: RouteRecordRaw[] = [
  { path: '/settings/user/:rest(.*)*', component: () => import('../shell/MissingPage.vue') },
];

import type { RouteRecordRaw } from 'vue-router';

export const ADMIN_ROUTES: RouteRecordRaw[] = [
  { path: '/settings/admin/:rest(.*)*', component: () => import('../shell/MissingPage.vue') },
];

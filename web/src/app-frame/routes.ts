import type { RouteRecordRaw } from 'vue-router';

/** Pages of external apps that have an origin of their own. Others are documents without this router. */
export const APP_FRAME_ROUTES: RouteRecordRaw[] = [
  {
    path: '/apps/app_api/embedded/:appId/:name/:rest(.*)*',
    component: () => import('./AppFramePage.vue'),
  },
];

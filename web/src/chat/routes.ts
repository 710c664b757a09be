import type { RouteRecordRaw } from 'vue-router';

export const CHAT_ROUTES: RouteRecordRaw[] = [
  {
    path: '/apps/spreed/:token?',
    name: 'chat',
    component: () => import('./ChatPage.vue'),
    meta: { texts: 'chat' },
  },
  // The form of links in Nextcloud Talk.
  { path: '/call/:token', redirect: ({ params }) => ({ name: 'chat', params }) },
];

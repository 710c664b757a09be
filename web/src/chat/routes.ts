import type { RouteRecordRaw } from 'vue-router';

export const CHAT_ROUTES: RouteRecordRaw[] = [
  {
    path: '/apps/spreed/:token?',
    name: 'chat',
    component: () => import('./ChatPage.vue'),
  },
  // How links to conversations look in the field.
  { path: '/call/:token', redirect: ({ params }) => ({ name: 'chat', params }) },
];

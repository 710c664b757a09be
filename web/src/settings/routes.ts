import type { RouteRecordRaw } from 'vue-router';

export const SETTINGS_ROUTES: RouteRecordRaw[] = [
  {
    path: '/settings/user',
    component: () => import('./SettingsPage.vue'),
    children: [
      { path: '', redirect: '/settings/user/profile' },
      { path: 'profile', component: () => import('./profile/ProfileSection.vue') },
      { path: 'security', component: () => import('./security/SecuritySection.vue') },
      { path: ':section', component: () => import('./AppsSection.vue'), props: true },
    ],
  },
];

import type { RouteRecordRaw } from 'vue-router';

/** @param others sections of other areas, at their paths below `/settings/user` */
export const settingsRoutes = (others: readonly RouteRecordRaw[]): RouteRecordRaw[] => [
  {
    path: '/settings/user',
    component: () => import('./SettingsPage.vue'),
    meta: { texts: 'settings' },
    children: [
      { path: '', redirect: '/settings/user/profile' },
      { path: 'profile', component: () => import('./profile/ProfileSection.vue') },
      { path: 'connect', component: () => import('./connect/ConnectSection.vue') },
      { path: 'security', component: () => import('./security/SecuritySection.vue') },
      { path: 'apps', component: () => import('./acting/AppAccessSection.vue') },
      ...others,
      {
        path: ':section',
        component: () => import('../parts/declarative/AppSection.vue'),
        props: ({ params }) => ({
          area: 'personal',
          section: params['section'],
          instead: {
            title: 'settings.noSuchSection',
            text: 'settings.noSuchSectionText',
            to: '/settings/user/profile',
            label: 'settings.profile',
          },
        }),
      },
    ],
  },
  // Short enough to be typed on a phone.
  { path: '/settings', redirect: '/settings/user' },
  { path: '/settings/connect', redirect: '/settings/user/connect' },
];

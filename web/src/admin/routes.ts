import type { RouteRecordRaw } from 'vue-router';
import { page } from '../host/page-context.js';

const ROOT = '/settings/admin';

/** Other users get the page for unknown addresses. */
export const ADMIN_ROUTES: RouteRecordRaw[] = page.isAdmin
  ? [
      {
        path: ROOT,
        component: () => import('./AdminPage.vue'),
        meta: { texts: 'admin' },
        children: [
          { path: '', redirect: `${ROOT}/overview` },
          { path: 'overview', component: () => import('./overview/OverviewSection.vue') },
          { path: 'users', component: () => import('./users/UsersSection.vue') },
          { path: 'groups', component: () => import('./groups/GroupsSection.vue') },
          {
            path: 'groups/:groupId',
            component: () => import('./groups/GroupPage.vue'),
            props: true,
          },
          { path: 'apps', component: () => import('./apps/AppsSection.vue') },
          { path: 'apps/:appId', component: () => import('./apps/AppPage.vue'), props: true },
          { path: 'feeds', component: () => import('./feeds/FeedsSection.vue') },
          {
            path: 'feeds/address',
            component: () => import('./feeds/AddressPage.vue'),
            props: ({ query }) => ({ address: String(query['url'] ?? '') }),
          },
          {
            path: 'feeds/:sourceId(\\d+)',
            component: () => import('./feeds/SourcePage.vue'),
            props: ({ params }) => ({ sourceId: Number(params['sourceId']) }),
          },
          {
            path: 'processing',
            component: () => import('./processing/ProcessingSection.vue'),
          },
          { path: 'tasks', component: () => import('./work/WorkSection.vue') },
          { path: 'security', component: () => import('./security/SecuritySection.vue') },
          { path: 'check', component: () => import('./check/CheckSection.vue') },
          {
            path: ':section',
            component: () => import('../parts/declarative/AppSection.vue'),
            props: ({ params }) => ({
              area: 'admin',
              section: params['section'],
              instead: {
                title: 'admin.noSuchSection',
                text: 'admin.noSuchSectionText',
                to: `${ROOT}/overview`,
                label: 'admin.overview.title',
              },
            }),
          },
        ],
      },
    ]
  : [{ path: `${ROOT}/:rest(.*)*`, component: () => import('../shell/MissingPage.vue') }];

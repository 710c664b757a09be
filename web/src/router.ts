import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router';
import { ADMIN_ROUTES } from './admin/routes.js';
import { APP_FRAME_ROUTES } from './app-frame/routes.js';
import { CHAT_ROUTES } from './chat/routes.js';
import { FILES_ROUTES } from './files/routes.js';
import { page } from './host/page-context.js';
import { READER_ROUTES, READER_SETTINGS } from './reader/routes.js';
import { settingsRoutes } from './settings/routes.js';

/** The areas by part; the page at `/` is the first whose part is on. */
const PLACES = [
  ['reader', '/apps/news/', READER_ROUTES],
  ['files', '/apps/files/', FILES_ROUTES],
  ['chat', '/apps/spreed/', CHAT_ROUTES],
] as const;
const places = PLACES.filter(([part]) => page.parts.has(part));

const routes: RouteRecordRaw[] = [
  { path: '/', redirect: places[0]?.[1] ?? '/settings' },
  ...places.flatMap(([, , ofPart]) => ofPart),
  ...settingsRoutes(page.parts.has('reader') ? READER_SETTINGS : []),
  ...ADMIN_ROUTES,
  ...APP_FRAME_ROUTES,
  { path: '/:missing(.*)*', component: () => import('./shell/MissingPage.vue') },
];

/** Addresses may begin with `/index.php`, as in links of clients and apps. */
export const router = createRouter({
  history: createWebHistory(`${page.webRoot}/`),
  routes: routes.concat({
    path: '/index.php/:rest(.*)*',
    redirect: (to) => to.fullPath.replace(/^\/index\.php/, '') || '/',
  }),
});

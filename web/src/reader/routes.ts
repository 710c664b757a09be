import type { RouteRecordRaw } from 'vue-router';
import { page } from '../host/page-context.js';

const LISTS = [
  { list: 'unread', path: '/apps/news' },
  { list: 'all', path: '/apps/news/all' },
  { list: 'starred', path: '/apps/news/starred' },
  { list: 'search', path: '/apps/news/search' },
  { list: 'savedSearch', path: '/apps/news/searches/:id(\\d+)' },
  { list: 'feed', path: '/apps/news/feeds/:id(\\d+)' },
  { list: 'folder', path: '/apps/news/folders/:id(\\d+)' },
  { list: 'label', path: '/apps/news/labels/:id(\\d+)' },
];

const ReaderPage = () => import('./ReaderPage.vue');

/** Texts that few visits need. */
const RULES = { meta: { texts: 'rules' } };
const GROUP_RULES = '/apps/news/groups/:groupFolderId(\\d+)/rules';
const RuleEditor = () => import('./rules/RuleEditor.vue');

/** Every list exists with and without an open article, so that articles can be linked to. */
export const READER_ROUTES: RouteRecordRaw[] = [
  ...LISTS.flatMap(({ list, path }) => [
    { path: `${path}/`, meta: { list }, component: ReaderPage },
    { path: `${path}/items/:itemId(\\d+)`, meta: { list }, component: ReaderPage },
  ]),
  ...(page.parts.has('saved-pages')
    ? [{ path: '/apps/news/save', component: () => import('./saving/SavePage.vue') }]
    : []),
  { path: '/apps/news/rules', component: () => import('./rules/RulesPage.vue'), ...RULES },
  { path: '/apps/news/rules/new', component: RuleEditor, ...RULES },
  { path: '/apps/news/rules/:ruleId(\\d+)', component: RuleEditor, ...RULES },
  ...(page.parts.has('highlights')
    ? [
        {
          path: '/apps/news/highlights',
          component: () => import('./highlights/HighlightsPage.vue'),
          meta: { texts: 'highlights' },
        },
      ]
    : []),
  ...(page.parts.has('group-folders')
    ? [
        {
          path: '/apps/news/groups',
          component: () => import('./groups/GroupFoldersPage.vue'),
          meta: { texts: 'groups' },
        },
        {
          path: `${GROUP_RULES}/`,
          component: () => import('./rules/GroupRulesPage.vue'),
          ...RULES,
        },
        { path: `${GROUP_RULES}/new`, component: RuleEditor, ...RULES },
        { path: `${GROUP_RULES}/:ruleId(\\d+)`, component: RuleEditor, ...RULES },
      ]
    : []),
  ...(page.parts.has('boards')
    ? [
        {
          path: '/apps/news/boards/:boardId(\\d+)',
          component: () => import('./groups/BoardPage.vue'),
          meta: { texts: 'publishing' },
        },
      ]
    : []),
  { path: '/apps/news/:rest(.*)*', component: () => import('../shell/MissingPage.vue') },
];

/** Sections of the person's settings. */
export const READER_SETTINGS: RouteRecordRaw[] = [
  { path: 'reader', component: () => import('./appearance/ReaderSettings.vue') },
  { path: 'notices', component: () => import('./notices/NoticesSettings.vue') },
  { path: 'notices/told', component: () => import('./notices/ToldPage.vue') },
];

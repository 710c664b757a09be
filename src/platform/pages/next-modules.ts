import type { Language } from '../../common/texts/languages.js';

/** The page of an address by its beginning, as in `web/src/router.ts`; `/` leads to the reader. */
const PAGES: readonly (readonly [string, string])[] = [
  ['/apps/files', 'src/files/FilesPage.vue'],
  ['/apps/spreed', 'src/chat/ChatPage.vue'],
  ['/call/', 'src/chat/ChatPage.vue'],
  ['/apps/app_api/embedded', 'src/app-frame/AppFramePage.vue'],
  ['/settings', 'src/settings/SettingsPage.vue'],
  ['/', 'src/reader/ReaderPage.vue'],
];

/** Areas of texts that every page needs, as in `web/src/texts/i18n.ts`. */
const AREAS = ['declarative', 'reader', 'shell'];

/**
 * Source files that the script of the pages imports as soon as it runs. The document names them, so
 * that browsers load them together with the script and not after it.
 *
 * @param path of the request, without the path prefix
 */
export function nextModules(path: string, language: Language): string[] {
  const page = PAGES.find(([start]) => path.startsWith(start))?.[1];
  return [
    ...(page === undefined ? [] : [page]),
    ...AREAS.map((area) => `src/texts/${language}/${area}.json`),
  ];
}

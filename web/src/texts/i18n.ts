import { createI18n } from 'vue-i18n';
import { pagesPreferences } from '../host/pages-preferences.js';
import { savePreferences } from '../host/preferences.js';
import { pluralRule, supportedLanguage, type Language } from './languages.js';

/** Texts by language, then by area (`reader`, `files`, …), then by key: `t('reader.markAllRead')`. */
type AreaTexts = { [key: string]: string | AreaTexts };
type Texts = Record<string, AreaTexts>;

/** The build puts all areas of a language into one file. */
const files = import.meta.glob<AreaTexts>('./*/*.json', { import: 'default' });

/** The chosen language, or the first supported one of the browser. */
export function preferredLanguage(): Language {
  const wanted = [pagesPreferences.language, ...navigator.languages];
  for (const tag of wanted) {
    const language = supportedLanguage(tag);
    if (language !== undefined) {
      return language;
    }
  }
  return 'en';
}

/** @param language null: the browser's */
export async function chooseLanguage(language: Language | null): Promise<void> {
  pagesPreferences.language = language ?? '';
  await savePreferences();
  location.reload();
}

export function chosenLanguage(): Language | null {
  return supportedLanguage(pagesPreferences.language) ?? null;
}

async function textsOf(language: Language): Promise<Texts> {
  const areas = Object.entries(files).filter(([path]) => path.startsWith(`./${language}/`));
  const loaded = await Promise.all(
    areas.map(async ([path, load]) => [path.split('/')[2]?.replace('.json', ''), await load()]),
  );
  return Object.fromEntries(loaded) as Texts;
}

export async function loadTexts() {
  const language = preferredLanguage();
  document.documentElement.lang = language;
  return createI18n({
    legacy: false,
    locale: language,
    fallbackLocale: 'en',
    messages: { [language]: await textsOf(language) },
    pluralRules: { [language]: pluralRule(language) },
    datetimeFormats: {
      [language]: {
        short: { dateStyle: 'short', timeStyle: 'short' },
        day: { dateStyle: 'medium' },
        time: { timeStyle: 'short' },
        long: { dateStyle: 'full', timeStyle: 'short' },
      },
    },
  });
}

import { createI18n, type Composer } from 'vue-i18n';
import { pagesPreferences } from '../host/pages-preferences.js';
import { savePreferences } from '../host/preferences.js';
import { directionOf, pluralRule, supportedLanguage, type Language } from './languages.js';

/** Texts by language, then by area (`reader`, `files`, …), then by key: `t('reader.markAllRead')`. */
export type AreaTexts = { [key: string]: string | AreaTexts };
type Texts = Record<string, AreaTexts>;

/** Texts of every visit; `texts-of-routes.ts` has the others. The build bundles a language's areas. */
const files = import.meta.glob<AreaTexts>('./*/{declarative,reader,shell}.json', {
  import: 'default',
});

/** Keys of texts without a translation, and these texts as they are shown. */
const english = { keys: new Set<string>(), texts: new Set<string>() };

/** @param inEnglish keys in the area, parted by spaces; the build names them */
function noteEnglish(area: string, { inEnglish }: AreaTexts): void {
  if (typeof inEnglish === 'string') {
    if (english.keys.size === 0) {
      void import('./english-parts.js').then(({ markEnglish }) => markEnglish(english.texts));
    }
    inEnglish.split(' ').forEach((key) => english.keys.add(`${area}.${key}`));
  }
}

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

declare module 'vue-router' {
  interface RouteMeta {
    /** Area of texts that most visits do not open. */
    readonly texts?: string;
  }
}

async function textsOf(language: Language, from = files, wanted?: string): Promise<Texts> {
  const loaded = await Promise.all(
    Object.entries(from).flatMap(([path, load]) => {
      const [, of, area = ''] = path.replace('.json', '').split('/');
      return of === language && (wanted ?? area) === area
        ? [
            load().then((texts) => {
              noteEnglish(area, texts);
              return [area, directionOf(language) === 'rtl' ? isolated(texts) : texts];
            }),
          ]
        : [];
    }),
  );
  return Object.fromEntries(loaded) as Texts;
}

/** Names and addresses in a text may be written in the other direction: each keeps its own. */
function isolated(texts: AreaTexts): AreaTexts {
  return JSON.parse(JSON.stringify(texts).replace(/\{\w+\}/g, '\u2068$&\u2069')) as AreaTexts;
}

/** Called before a page, or a part of one, of such an area is shown. */
export async function loadTextsOf(
  area: string | undefined,
  { global }: { readonly global: Pick<Composer, 'locale' | 'messages' | 'mergeLocaleMessage'> },
): Promise<void> {
  const { locale, messages } = global;
  const present: Readonly<Record<string, object>> = messages.value;
  if (area !== undefined && !Object.hasOwn(present[locale.value] ?? {}, area)) {
    const { textsOfRoutes } = await import('./texts-of-routes.js');
    const texts = await textsOf(locale.value as Language, textsOfRoutes, area);
    global.mergeLocaleMessage(locale.value, texts);
  }
}

export async function loadTexts() {
  const language = preferredLanguage();
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  return createI18n({
    legacy: false,
    locale: language,
    fallbackLocale: 'en',
    messages: { [language]: await textsOf(language) },
    postTranslation: (text, key) => {
      if (english.keys.has(key)) {
        english.texts.add(String(text));
      }
      return text;
    },
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

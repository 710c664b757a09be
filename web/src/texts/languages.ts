/** Languages of the pages, each by its own name, in the order of the chooser. */
export const LANGUAGES = {
  ar: 'العربية',
  cs: 'Čeština',
  de: 'Deutsch',
  en: 'English',
  es: 'Español',
  fr: 'Français',
  he: 'עברית',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
  pt: 'Português (Brasil)',
  tr: 'Türkçe',
  ru: 'Русский',
  uk: 'Українська',
  zh: '简体中文',
  ja: '日本語',
} as const;

export type Language = keyof typeof LANGUAGES;

/** Right-to-left languages. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' || language === 'he' ? 'rtl' : 'ltr';
}

/** @param tag of BCP 47: `pt-BR` is served by `pt`, `zh-TW` by `zh` */
export function supportedLanguage(tag: string): Language | undefined {
  const primary = tag.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(LANGUAGES, primary) ? (primary as Language) : undefined;
}

/**
 * Categories that whole numbers have in the supported languages, in the order of a text's forms. Arabic has
 * one for zero, too: a text says it as the last, or in front of all.
 */
const CATEGORIES: readonly Intl.LDMLPluralRule[] = ['one', 'two', 'few', 'many', 'other'];

/**
 * Forms of a text with a count, without the one for zero, which a text may have in front of them:
 * `Nothing new | {n} new article | {n} new articles`.
 */
export function pluralCategories(language: Language): readonly Intl.LDMLPluralRule[] {
  const rules = new Intl.PluralRules(language);
  const used = new Set(Array.from({ length: 101 }, (_, count) => rules.select(count)));
  return CATEGORIES.filter((category) => used.has(category));
}

/** Plural rule of vue-i18n. @returns which of `forms` forms is used for `count` */
export function pluralRule(language: Language): (count: number, forms: number) => number {
  const rules = new Intl.PluralRules(language);
  const categories = pluralCategories(language);
  return (count, forms) => {
    const zeroForms = forms > categories.length ? 1 : 0;
    if (zeroForms === 1 && count === 0) {
      return 0;
    }
    const found = categories.indexOf(rules.select(count));
    return Math.min(zeroForms + (found === -1 ? categories.length - 1 : found), forms - 1);
  };
}

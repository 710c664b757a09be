type Texts = Record<string, string | readonly string[]>;
type PluralForm = (count: number) => number;
type Values = Readonly<Record<string, unknown>>;

/** Packages bundled with apps look up these globals. */
export const registeredTexts: Record<string, Texts> = {};
export const registeredPlurals: Record<string, PluralForm> = {};

interface TranslateOptions {
  /** Escape values for HTML; default: true. */
  readonly escape?: boolean;
}

/**
 * Called by Nextcloud's translation files when they are loaded.
 *
 * @param pluralRule for example `nplurals=2; plural=(n != 1);`; only the number of forms is used,
 *   since the browser knows the plural rules
 */
export function registerTexts(app: string, texts: Texts, pluralRule?: string): void {
  registeredTexts[app] = { ...registeredTexts[app], ...texts };
  registeredPlurals[app] = pluralFormOf(Number(/nplurals\s*=\s*(\d)/.exec(pluralRule ?? '')?.[1]));
}

export function translate(
  app: string,
  text: string,
  values: Values = {},
  count?: number,
  options: TranslateOptions = {},
): string {
  const found = registeredTexts[app]?.[text];
  return filled(typeof found === 'string' ? found : text, values, count, options);
}

export function translatePlural(
  app: string,
  singular: string,
  plural: string,
  count: number,
  values: Values = {},
  options: TranslateOptions = {},
): string {
  const forms = registeredTexts[app]?.[`_${singular}_::_${plural}_`];
  const form = registeredPlurals[app]?.(count) ?? 0;
  const fallback = count === 1 ? singular : plural;
  const found = typeof forms === 'string' ? forms : forms?.[form];
  return filled(found ?? fallback, values, count, options);
}

/** Plural forms are in the usual order of the language's categories. */
const ORDER = ['zero', 'one', 'two', 'few', 'many', 'other'];

function pluralFormOf(howMany: number): PluralForm {
  const rules = new Intl.PluralRules(document.documentElement.lang || 'en');
  const categories = ORDER.filter((category) =>
    rules.resolvedOptions().pluralCategories.includes(category as Intl.LDMLPluralRule),
  );
  const last = (Number.isNaN(howMany) ? categories.length : howMany) - 1;
  return (count) => Math.min(categories.indexOf(rules.select(count)), last);
}

function filled(
  text: string,
  values: Values,
  count: number | undefined,
  { escape = true }: TranslateOptions,
): string {
  const written = (value: string) => (escape ? escapeHtml(value) : value);
  return text
    .replaceAll('%n', count === undefined ? '%n' : String(count))
    .replace(/\{([^{}]*)\}/g, (place, name: string) => {
      const value = values[name];
      return typeof value === 'string' || typeof value === 'number'
        ? written(String(value))
        : place;
    });
}

const HARMLESS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#039;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HARMLESS[character] ?? character);
}

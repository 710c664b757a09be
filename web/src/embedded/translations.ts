type Texts = Record<string, string | readonly string[]>;
type PluralForm = (count: number) => number;
type Values = Readonly<Record<string, unknown>>;

/** Shared with the packages in bundles of apps, which look here under these names. */
export const registeredTexts: Record<string, Texts> = {};
export const registeredPlurals: Record<string, PluralForm> = {};

interface TranslateOptions {
  /** Whether values are made harmless for HTML; they are unless told otherwise. */
  readonly escape?: boolean;
}

/**
 * As the field's text files do it when they are loaded.
 *
 * @param pluralRule for instance `nplurals=2; plural=(n != 1);`; only the number of forms is read,
 *   since the browser knows the rules of languages itself
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

/** Forms stand in the order in which the language's categories are usually listed. */
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

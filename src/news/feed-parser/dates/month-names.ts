const ENGLISH =
  'january february march april may june july august september october november december';

/** Languages in order of precedence for names that mean different months. */
const LANGUAGES = [
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'sv',
  'da',
  'nb',
  'fi',
  'pl',
  'cs',
  'sk',
  'hu',
  'ro',
  'el',
  'tr',
  'ru',
  'uk',
  'bg',
  'et',
  'lv',
  'lt',
  'sl',
  'ca',
  'id',
  'vi',
  'th',
  'ar',
  'he',
  'fa',
];

/** Spellings that the tables of languages lack. */
const EXTRAS: ReadonlyArray<readonly [string, number]> = [
  ['sept', 9],
  ['mrz', 3],
  ['maerz', 3],
  ['jänner', 1],
  ['iούν', 6],
  ['φεβρουάριος', 2],
  ['ιουν', 6],
  ['ιουλ', 7],
  ['ιούν', 6],
  ['ιούλ', 7],
  ['μάϊ', 5],
  ['αυγ', 8],
];

const english = new Map<string, number>();
ENGLISH.split(' ').forEach((name, index) => {
  english.set(name, index + 1);
  english.set(name.slice(0, 3), index + 1);
});
for (const [name, month] of EXTRAS) {
  english.set(name, month);
}

/** Words of most dates that are no month in any language. */
const NO_MONTHS = new Set('mon tue wed thu fri sat sun gmt utc'.split(' '));

let others: Map<string, number> | null = null;

/** @returns 1 to 12; null if the word is not a month in any known language */
export function monthOf(word: string): number | null {
  const plain = word.toLowerCase().replace(/\.$/, '');
  const found = english.get(plain);
  if (found !== undefined) {
    return found;
  }
  if (plain.length < 3 || NO_MONTHS.has(plain)) {
    return null;
  }
  others ??= namesOfOtherLanguages();
  return others.get(plain) ?? others.get(withoutAccents(plain)) ?? null;
}

/** Read from the runtime once, on first use. */
function namesOfOtherLanguages(): Map<string, number> {
  const names = new Map<string, number>();
  const add = (name: string, month: number): void => {
    const plain = name.toLowerCase().replace(/\.$/, '');
    for (const spelling of [plain, withoutAccents(plain)]) {
      if (spelling.length > 2 && !names.has(spelling)) {
        names.set(spelling, month);
      }
    }
  };
  for (const language of LANGUAGES) {
    const formats = (['long', 'short'] as const).flatMap((month) => [
      new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { month, timeZone: 'UTC' }),
      new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
        month,
        day: 'numeric',
        timeZone: 'UTC',
      }),
    ]);
    for (let month = 1; month <= 12; month++) {
      const day = Date.UTC(2001, month - 1, 15);
      for (const format of formats) {
        const part = format.formatToParts(day).find(({ type }) => type === 'month');
        if (part && !/^\d/.test(part.value)) {
          add(part.value, month);
        }
      }
    }
  }
  return names;
}

function withoutAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{Mn}/gu, '');
}

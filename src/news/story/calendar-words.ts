import { foldText } from '../query/folded-text.js';

const LANGUAGES =
  'en ar cs de el es fa fi fr he hi hu id it ja ko nl no pl pt ro ru sv th tr uk vi zh'.split(' ');

/** Names of months and weekdays, folded, with what they mean: `3. month`, `0. weekday`. */
export const CALENDAR_WORDS: ReadonlyMap<string, string> = new Map(
  [...calendarWords('long')].filter(([word]) => !isCommon(word)),
);

/** Their abbreviations, which are other words in other languages unless a number is beside them. */
export const CALENDAR_ABBREVIATIONS: ReadonlyMap<string, string> = new Map([
  ...calendarWords('short'),
  ...[...calendarWords('long')].filter(([word]) => isCommon(word)),
]);

/** Such as `may` and `mars`. */
function isCommon(word: string): boolean {
  return /^[a-z]{1,4}$/.test(word);
}

function calendarWords(length: 'long' | 'short'): Map<string, string> {
  const words = new Map<string, string>();
  const learn = (name: string | undefined, meaning: string) => {
    const { bare } = foldText((name ?? '').replace(/[.\d]/g, '').trim());
    if (bare.length > 1 && !bare.includes(' ') && !words.has(bare)) {
      words.set(bare, meaning);
    }
  };
  for (const language of LANGUAGES) {
    const format = (parts: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { ...parts, timeZone: 'UTC' });
    const month = format({ month: length });
    // In some languages a month has another form beside a day.
    const dated = format({ month: length, day: 'numeric' });
    const weekday = format({ weekday: length });
    for (let n = 0; n < 12; n += 1) {
      const date = Date.UTC(2023, n, 1);
      const parts = dated.formatToParts(date);
      learn(month.format(date), `${n + 1}. month`);
      learn(parts.find(({ type }) => type === 'month')?.value, `${n + 1}. month`);
      learn(weekday.format(Date.UTC(2023, 0, 1 + (n % 7))), `${n % 7}. weekday`);
    }
  }
  return words;
}

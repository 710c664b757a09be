import { foldText } from '../query/folded-text.js';

const LANGUAGES =
  'en ar cs de el es fa fi fr he hi hu id it ja ko nl no pl pt ro ru sv th tr uk vi zh'.split(' ');

/** Names of months and weekdays, folded, with what they mean: `month 3`, `weekday 0`. */
export const CALENDAR_WORDS: ReadonlyMap<string, string> = calendarWords();

function calendarWords(): Map<string, string> {
  const words = new Map<string, string>();
  const learn = (name: string, meaning: string) => {
    const { bare } = foldText(name.replace(/[.\d]/g, '').trim());
    if (bare.length > 1 && !bare.includes(' ') && !words.has(bare)) {
      words.set(bare, meaning);
    }
  };
  for (const language of LANGUAGES) {
    for (const length of ['long', 'short'] as const) {
      const month = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
        month: length,
        timeZone: 'UTC',
      });
      const dayAndMonth = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
        month: length,
        day: 'numeric',
        timeZone: 'UTC',
      });
      const weekday = new Intl.DateTimeFormat(language, { weekday: length, timeZone: 'UTC' });
      for (let n = 0; n < 12; n += 1) {
        const date = Date.UTC(2023, n, 1 + n);
        learn(month.format(date), `month ${n + 1}`);
        const part = dayAndMonth.formatToParts(date).find(({ type }) => type === 'month');
        learn(part?.value ?? '', `month ${n + 1}`);
        if (n < 7) {
          learn(weekday.format(Date.UTC(2023, 0, 1 + n)), `weekday ${n}`);
        }
      }
    }
  }
  return words;
}

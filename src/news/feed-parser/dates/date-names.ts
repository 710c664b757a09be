import { table, words } from '../words.js';

const ENGLISH =
  'january february march april may june july august september october november december';

/** Languages in order of precedence for names that mean different months. */
const LANGUAGES = words(`
  de fr es it pt nl sv da nb fi pl cs sk hu ro el tr ru uk bg et lv lt sl ca id vi th ar he fa`);

/** Spellings that the tables of languages lack. */
const EXTRAS = table(`
  sept=9 mrz=3 maerz=3 jänner=1 iούν=6 φεβρουάριος=2 ιουν=6 ιουλ=7 ιούν=6 ιούλ=7 μάϊ=5 αυγ=8`);

const english = new Map([...EXTRAS].map(([name, month]) => [name, Number(month)]));
ENGLISH.split(' ').forEach((name, index) => {
  english.set(name, index + 1);
  english.set(name.slice(0, 3), index + 1);
});

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

/** Seconds east of UTC of names in feeds that the time zone database lacks. */
const HOURS = table(`
  ut=0 utc=0 gmt=0 z=0 wet=0 west=1 bst=1 ist=5.5 met=1 mez=1 cet=1 mest=2 mesz=2 cest=2 eet=2
  eest=3 msk=3 msd=4 sast=2 pkt=5 ict=7 wib=7 wita=8 wit=9 sgt=8 hkt=8 pht=8 awst=8 jst=9 kst=9
  acst=9.5 acdt=10.5 aest=10 aedt=11 nzst=12 nzdt=13 nst=-3.5 ndt=-2.5 art=-3 brt=-3 brst=-2
  adt=-3 ast=-4 at=-4 edt=-4 est=-5 et=-5 cdt=-5 cst=-6 ct=-6 mdt=-6 mst=-7 mt=-7 pdt=-7 pst=-8
  pt=-8 akdt=-8 akst=-9 hst=-10 hast=-10`);

/**
 * The letters of RFC 822 count westwards. Military time zones count eastwards, but feeds follow the
 * RFC. J is unused.
 */
const WESTWARDS = 'abcdefghiklm';
const EASTWARDS = 'nopqrstuvwxy';

/** @returns seconds east of UTC; null for a name without a fixed offset */
export function offsetOfZoneName(name: string): number | null {
  const hours = HOURS.get(name);
  if (hours !== undefined) {
    return Number(hours) * 3600;
  }
  if (name.length !== 1) {
    return null;
  }
  const west = WESTWARDS.indexOf(name);
  if (west !== -1) {
    return (west + 1) * -3600;
  }
  const east = EASTWARDS.indexOf(name);
  return east === -1 ? null : (east + 1) * 3600;
}

const formats = new Map<string, Intl.DateTimeFormat | null>();

/** Size of the cache; only a hostile document names more zones. */
const MOST_FORMATS = 200;

/**
 * The offset of a zone of the time zone database, such as `Europe/Berlin`, at a local time.
 *
 * @param localSeconds the local time as if it were UTC
 * @returns seconds east of UTC, null for an unknown zone
 */
export function offsetOfRegion(region: string, localSeconds: number): number | null {
  const format = formatOf(region);
  if (!format) {
    return null;
  }
  const first = offsetAt(format, localSeconds);
  // The first guess may be on the wrong side of a clock change.
  return offsetAt(format, localSeconds - first);
}

function formatOf(region: string): Intl.DateTimeFormat | null {
  const known = formats.get(region);
  if (known !== undefined) {
    return known;
  }
  if (formats.size >= MOST_FORMATS) {
    return null;
  }
  let format: Intl.DateTimeFormat | null = null;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: region,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // Not a zone: that is cached, too.
  }
  formats.set(region, format);
  return format;
}

function offsetAt(format: Intl.DateTimeFormat, utcSeconds: number): number {
  const parts = new Map(
    format.formatToParts(utcSeconds * 1000).map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local / 1000 - utcSeconds;
}

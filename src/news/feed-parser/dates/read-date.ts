import { monthOf, offsetOfRegion, offsetOfZoneName } from './date-names.js';

/** Broken software writes years outside this range for "no date". */
const FIRST_YEAR = 1901;
const LAST_YEAR = 2200;

/** Thai software uses the Buddhist calendar. */
const BUDDHIST_YEARS = 543;
const FIRST_BUDDHIST_YEAR = 2500;

const LONGEST_DATE = 120;

interface Moment {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
  /** Seconds east of UTC, or the name of a region; default UTC. */
  readonly zone?: number | string;
}

/**
 * Reads a date in any of the forms publishers use. Without a zone it is UTC, so that the result does
 * not depend on the time zone of the server.
 *
 * @returns whole unix seconds; null if there is no plausible date
 */
export function readDate(text: string | null): number | null {
  if (text === null) {
    return null;
  }
  const milliseconds = /^\s*\/?Date\((\d{1,16})/i.exec(text)?.[1];
  const plain = milliseconds ?? normalise(text);
  if (plain === '' || plain.length > LONGEST_DATE) {
    return null;
  }
  if (/^\d+(?:\.\d+)?$/.test(plain)) {
    return readDigits(plain);
  }
  const moment =
    readIso(plain) ??
    readEastAsian(plain) ??
    readWords(plain) ??
    readIsoBehindWords(plain) ??
    // The day, whatever stands in place of a clock.
    readIso(/^\d{4}-\d{2}-\d{2}(?=[t ])/.exec(plain)?.[0] ?? '');
  return moment && toSeconds(moment);
}

function normalise(text: string): string {
  return (
    withoutMarkup(text.slice(0, 1000))
      .normalize('NFKC')
      .replace(/\([^()]*\)/g, ' ')
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase()
      // `@1380000000` and `20031231101455z`
      .replace(/^@(?=\d+$)|(?<=^\d{14})z$/g, '')
      // `2003:12:31 10:14` and `2003 12 31`
      .replace(/^(\d{4})([: ])(\d{2})\2(\d{2})(?= |$)/, '$1-$3-$4')
      // `31dec2003` and `31/dec/2003:10:14:55`
      .replace(/(?<=^|[ ,])(\d{1,2})(\p{L}{3,9})(\d{4})(?=$|[ ,])/u, '$1 $2 $3')
      .replace(/(?<=\/\d{4}):(?=\d{2}:)/, ' ')
      // `10.14.55`, `10h14`, `10h14m55s`, `10;14;55` and `10-14-55` behind a date
      .replace(/(?<=\d[ ,t] ?)(\d{1,2})[.h;](\d{2})(?:[.:m;](\d{2})s?)?(?![\d.:])/, clockOf)
      .replace(/(?<=[^\d]\d{4} )(\d{2})-(\d{2})-(\d{2})(?= |$)/, clockOf)
      // `3:05 pm - 31 dec 2003`
      .replace(/ - (?=\d{1,2} \p{L}{3})/u, ' ')
  );
}

/** Some publishers escape markup around a date, as in `<time datetime="…">yesterday</time>`. */
function withoutMarkup(text: string): string {
  if (!text.includes('<')) {
    return text;
  }
  const time = /<time\s(?:[^<>]{0,200}\s)?datetime\s*=\s*["']?([^"'<>]{1,100})/i.exec(text);
  return time?.[1] ?? text.replace(/<[^<>]*>/g, ' ');
}

function clockOf(_all: string, hour: string, minute: string, second = '00'): string {
  return `${hour}:${minute}:${second}`;
}

/** Digits only: a compact date or a unix time, depending on the length. */
function readDigits(digits: string): number | null {
  const whole = digits.split('.', 1)[0] ?? '';
  const number = (from: number, to: number): number => Number(whole.slice(from, to));
  if (whole.length === 4) {
    return toSeconds({ year: number(0, 4), month: 1, day: 1 });
  }
  if (whole.length === 5) {
    return toSeconds(ofDayInYear(fullYear(number(0, 2)), number(2, 5)));
  }
  if (whole.length === 6 && number(4, 6) < 32) {
    return toSeconds({ year: fullYear(number(0, 2)), month: number(2, 4), day: number(4, 6) });
  }
  if (whole.length === 7) {
    return toSeconds(ofDayInYear(number(0, 4), number(4, 7)));
  }
  const date = { year: number(0, 4), month: number(4, 6), day: number(6, 8) };
  if (whole.length === 8) {
    return toSeconds(date);
  }
  const time = { hour: number(8, 10), minute: number(10, 12), second: number(12, 14) };
  if (whole.length === 12 || whole.length === 14) {
    const compact = toSeconds({ ...date, ...time });
    if (compact !== null) {
      return compact;
    }
  }
  if (whole.length >= 9 && whole.length <= 10) {
    return plausible(Number(whole));
  }
  if (whole.length >= 12 && whole.length <= 13) {
    return plausible(Math.floor(Number(whole) / 1000));
  }
  if (whole.length === 16) {
    return plausible(Math.floor(Number(whole) / 1_000_000));
  }
  return null;
}

const ISO_DATE =
  /^(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{4})(\d{2})(\d{2})(?=[t ])|(\d{4})-?(\d{3})(?!\d)|(\d{4})-?w(\d{2})(?:-?(\d))?|(\d{4})-(\d{2})|(\d{2})-(\d{2})-(\d{2})(?=$|[t ])|(\d{4})(?=$|t|z)|(\d{4})\/(\d{1,2})\/(\d{1,2})|-(\d{2})-?(\d{2})|--(\d{2})-?(\d{2}))/;
const ISO_TIME =
  /^(?:[t ]\s?| ?t ?|,? at |, )(\d{1,2})(?::?(\d{1,2})(?::?(\d{1,2})(?:[.,:]\d+)?)?)?(?:[.,]\d+)?\s*(?:(am|pm|a\.m\.|p\.m\.)(?![a-z]))?\s*/;

/** ISO 8601, W3CDTF, RFC 3339 and the formats of databases. */
function readIso(text: string): Moment | null {
  const head = ISO_DATE.exec(text);
  if (!head) {
    return null;
  }
  const date = isoDate(head);
  if (!date) {
    return null;
  }
  let rest = text.slice(head[0].length);
  if (rest === '' || rest === 'z') {
    return date;
  }
  const time = ISO_TIME.exec(rest);
  if (!time) {
    const zone = readZone(rest.trim());
    return zone === null ? null : { ...date, zone };
  }
  rest = rest.slice(time[0].length);
  const zone = rest === '' ? 0 : readZone(rest);
  if (zone === null) {
    return null;
  }
  return {
    ...date,
    hour: onTwentyFourHours(Number(time[1]), time[4]),
    minute: Number(time[2] ?? 0),
    second: Number(time[3] ?? 0),
    zone,
  };
}

/** `Thu, 2004-01-01 19:48:21 GMT`, `Published: 2004-01-01` */
function readIsoBehindWords(text: string): Moment | null {
  const start = /^[^\d-]{1,40}(?=\d{4}-\d{2}-\d{2})/.exec(text);
  return start && readIso(text.slice(start[0].length));
}

function isoDate(found: RegExpExecArray): Moment | null {
  const at = (index: number): number | null =>
    found[index] === undefined ? null : Number(found[index]);
  const year = at(1) ?? at(4) ?? at(18);
  if (year !== null) {
    const month = at(2) ?? at(5) ?? at(19) ?? 1;
    return { year, month, day: at(3) ?? at(6) ?? at(20) ?? 1 };
  }
  const ordinalYear = at(7);
  if (ordinalYear !== null) {
    return ofDayInYear(ordinalYear, at(8) ?? 0);
  }
  const weekYear = at(9);
  if (weekYear !== null) {
    return ofWeek(weekYear, at(10) ?? 0, at(11) ?? 1);
  }
  const monthYear = at(12);
  if (monthYear !== null) {
    return { year: monthYear, month: at(13) ?? 0, day: 1 };
  }
  const shortYear = at(14);
  if (shortYear !== null) {
    return { year: fullYear(shortYear), month: at(15) ?? 0, day: at(16) ?? 0 };
  }
  const loneYear = at(17);
  if (loneYear !== null) {
    return { year: loneYear, month: 1, day: 1 };
  }
  const truncatedYear = at(21);
  if (truncatedYear !== null) {
    return { year: fullYear(truncatedYear), month: at(22) ?? 0, day: 1 };
  }
  return null;
}

/** `2004年5月25日 下午11:23` and `2004년 05월 28일 오후 1:31:15` */
function readEastAsian(text: string): Moment | null {
  const date = /^(\d{4}) ?[년年] ?(\d{1,2}) ?[월月] ?(\d{1,2}) ?[일日]/.exec(text);
  const dashed = date ?? /^(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?= ?\D)/.exec(text);
  if (!dashed) {
    return null;
  }
  const rest = text.slice(dashed[0].length);
  const time =
    /^[^\d:]{0,20}?(오전|오후|上午|下午|午前|午後)? ?(\d{1,2}) ?[:시時点點] ?(\d{1,2})(?: ?[:분分] ?(\d{1,2}))?/.exec(
      rest,
    );
  const moment = { year: Number(dashed[1]), month: Number(dashed[2]), day: Number(dashed[3]) };
  if (!time) {
    return date && rest.trim() === '' ? moment : null;
  }
  const half = /^[오午下上]/.test(time[1] ?? '')
    ? /[후後]|下/.test(time[1] ?? '')
      ? 'pm'
      : 'am'
    : '';
  const zoneText = rest
    .slice(time[0].length)
    .replace(/^[초秒]/, '')
    .trim();
  const zone = zoneText === '' ? 0 : readZone(zoneText);
  return {
    ...moment,
    hour: onTwentyFourHours(Number(time[2]), half),
    minute: Number(time[3]),
    second: Number(time[4] ?? 0),
    zone: zone ?? 0,
  };
}

const TIME =
  /(?:^|[ ,t])(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,]\d+)?)?\s?(?:(am|pm|a\.m\.?|p\.m\.?)(?![a-z]))?/;
const HOUR_ALONE = /(?:^|[ ,])(\d{1,2})\s?(am|pm|a\.m\.?|p\.m\.?)(?![a-z])/;

/** RFC 822 and other forms with month names. */
function readWords(text: string): Moment | null {
  let rest = text;
  let time = { hour: 0, minute: 0, second: 0 };
  let zone: number | string | null = null;
  const clock = TIME.exec(rest) ?? HOUR_ALONE.exec(rest);
  if (clock) {
    const isAlone = clock.length === 3;
    time = {
      hour: onTwentyFourHours(Number(clock[1]), isAlone ? clock[2] : clock[4]),
      minute: isAlone ? 0 : Number(clock[2]),
      second: isAlone ? 0 : Number(clock[3] ?? 0),
    };
    const behind = rest.slice(clock.index + clock[0].length).trim();
    const end = /(?:^|[ ,])((?:19|20|21)\d{2})$/.exec(behind);
    // asctime: the year follows the time and the zone.
    const zoneText = (end ? behind.slice(0, end.index) : behind).trim();
    zone = zoneText === '' ? 0 : readZone(zoneText);
    const kept = zone === null ? behind : (end?.[0] ?? '');
    const before = rest.slice(0, clock.index).replace(/ at$/, '');
    rest = `${before} ${kept}`;
    if (zoneText === '') {
      zone = null;
    }
  }
  const date = readDayMonthYear(rest);
  if (!date) {
    return null;
  }
  return { ...date.day, ...time, zone: zone ?? date.zone ?? 0 };
}

function readDayMonthYear(text: string): { day: Moment; zone: number | null } | null {
  const numeric =
    /(?:^|[ ,])(\d{1,4})[/.](\d{1,2})[/.](\d{2,4})(?:$|[ ,])/.exec(text) ??
    /(?:^|[ ,])(\d{1,2})-(\d{1,2})-(\d{4})(?:$|[ ,])/.exec(text);
  if (numeric) {
    const [all, a, b, year = ''] = numeric;
    return wrap(ofNumbers(!all.includes('/'), weekdayOf(text), Number(a), Number(b), year));
  }

  let month: number | null = null;
  let zone: number | null = null;
  const numbers: string[] = [];
  for (const word of text.split(/[\s,/]+|(?<=[\p{L}.])-|-(?=\p{L})|(?<=\d)-(?=\d)/u)) {
    const number = /^(\d{1,4})(?:st|nd|rd|th|er|e|\.|º|ª|o)?$/.exec(word);
    if (number?.[1]) {
      numbers.push(number[1]);
      continue;
    }
    if (/^[+-]\d{2}:?\d{2}$/.test(word)) {
      zone ??= offsetOfNumber(word);
      continue;
    }
    const named = monthOf(word);
    if (named !== null) {
      month ??= named;
    } else {
      zone ??= word.length > 1 ? offsetOfZoneName(word) : null;
    }
  }
  if (month === null || numbers.length === 0 || numbers.length > 2) {
    return null;
  }
  const [first = '', second] = numbers;
  if (second === undefined) {
    return first.length === 4 ? { day: { year: Number(first), month, day: 1 }, zone } : null;
  }
  const isYearFirst = first.length >= 3;
  const year = isYearFirst ? first : second;
  const day = isYearFirst ? second : first;
  return { day: { year: yearOf(year), month, day: Number(day) }, zone };
}

function wrap(day: Moment | null): { day: Moment; zone: number | null } | null {
  return day && { day, zone: null };
}

/**
 * `2006/09/15`, `15.9.2006`, `15-09-2006`, and with slashes the month first unless it cannot be one
 * or the day of the week says otherwise.
 */
function ofNumbers(
  isDayFirst: boolean,
  weekday: number | null,
  a: number,
  b: number,
  c: string,
): Moment | null {
  if (a > 31) {
    return { year: a, month: b, day: Number(c) };
  }
  const year = yearOf(c);
  const dayFirst = { year, month: b, day: a };
  const monthFirst = { year, month: a, day: b };
  if (a > 12) {
    return dayFirst;
  }
  if (b > 12) {
    return monthFirst;
  }
  const [usual, other] = isDayFirst ? [dayFirst, monthFirst] : [monthFirst, dayFirst];
  return weekday === weekdayOfDate(other) && weekday !== weekdayOfDate(usual) ? other : usual;
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** @returns 0 for Sunday; null without an English weekday */
function weekdayOf(text: string): number | null {
  const found = WEEKDAYS.indexOf(text.trimStart().slice(0, 3));
  return found === -1 ? null : found;
}

function weekdayOfDate({ year, month, day }: Moment): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

/** @returns seconds east of UTC, or a region; null if it is not a zone */
function readZone(text: string): number | string | null {
  const plain = text.replace(/^[\s,]+|[\s,]+$/g, '');
  if (plain === '') {
    return 0;
  }
  const named = offsetOfZoneName(plain);
  if (named !== null) {
    return named;
  }
  const numeric = /^(?:gmt|utc|ut|z)?\s?([+-]\s?\d{1,2}:?(?:\d{2})?)(?: ?[a-z]{1,5})?$/.exec(plain);
  if (numeric?.[1]) {
    return offsetOfNumber(numeric[1].replace(/\s/g, ''));
  }
  if (/^\d{4}$/.test(plain)) {
    return offsetOfNumber(`+${plain}`);
  }
  // `EST5EDT`-like and `Europe/Berlin`
  if (/^[a-z]+(?:\/[a-z0-9_+-]+){1,2}$|^[a-z]{3}\d[a-z]{3}$/.test(plain)) {
    return plain;
  }
  const last = plain.split(' ').at(-1) ?? '';
  if (last !== plain) {
    return readZone(plain.split(' ', 1)[0] ?? '');
  }
  return null;
}

function offsetOfNumber(text: string): number | null {
  const found = /^([+-])(\d{1,2}?):?(\d{2})?$/.exec(text);
  if (!found) {
    return null;
  }
  const hours = Number(found[2]);
  const minutes = Number(found[3] ?? 0);
  if (hours > 15 || minutes > 59) {
    return null;
  }
  return (found[1] === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function onTwentyFourHours(hour: number, half: string | undefined): number {
  const letter = half?.charAt(0) ?? '';
  if (letter === 'p' && hour < 12) {
    return hour + 12;
  }
  if (letter === 'a' && hour === 12) {
    return 0;
  }
  return hour;
}

function ofDayInYear(year: number, day: number): Moment {
  if (day < 1 || day > 366) {
    return { year, month: 0, day: 0 };
  }
  const date = new Date(Date.UTC(year, 0, day));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function ofWeek(year: number, week: number, weekday: number): Moment | null {
  if (week < 1 || week > 53 || weekday < 1 || weekday > 7) {
    return null;
  }
  const fourth = new Date(Date.UTC(year, 0, 4));
  const monday = 4 - ((fourth.getUTCDay() + 6) % 7);
  const date = new Date(Date.UTC(year, 0, monday + (week - 1) * 7 + weekday - 1));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function fullYear(twoDigits: number): number {
  return twoDigits + (twoDigits < 70 ? 2000 : 1900);
}

function yearOf(digits: string): number {
  if (digits.length <= 2) {
    return fullYear(Number(digits));
  }
  // Software that counts years from 1900 writes 104 for 2004.
  return digits.length === 3 ? 1900 + Number(digits) : Number(digits);
}

function toSeconds(moment: Moment): number | null {
  const { month, day, hour = 0, minute = 0, second = 0, zone = 0 } = moment;
  const isBuddhist = moment.year >= FIRST_BUDDHIST_YEAR && moment.year < FIRST_BUDDHIST_YEAR + 200;
  const year = isBuddhist ? moment.year - BUDDHIST_YEARS : moment.year;
  if (year < FIRST_YEAR || year > LAST_YEAR) {
    return null;
  }
  if (month < 1 || month > 12) {
    return null;
  }
  // What is impossible counts as little as possible: the last day of the month for the 30th of February.
  const shownDay = Math.min(Math.max(day, 1), daysOf(year, month));
  const isMidnight = hour === 24 && minute === 0 && second === 0;
  const isHour = hour < 24 || isMidnight;
  const isMinute = isHour && minute < 60;
  const time = [isHour ? hour : 0, isMinute ? minute : 0, isMinute && second <= 60 ? second : 0];
  const local = Date.UTC(year, month - 1, shownDay, ...time) / 1000;
  const offset = typeof zone === 'number' ? zone : offsetOfRegion(zone, local);
  return offset === null ? local : local - offset;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function plausible(seconds: number): number | null {
  const year = new Date(seconds * 1000).getUTCFullYear();
  return year >= FIRST_YEAR && year <= LAST_YEAR ? seconds : null;
}

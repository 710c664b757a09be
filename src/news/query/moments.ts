import { keepLatest } from '../../common/keep-latest.js';
import type { AgeQuery, DateQuery, Day } from './query.js';

/** When and where a query is asked: dates are those of the user. */
export interface Clock {
  readonly now: Date;
  /** IANA name. */
  readonly timeZone: string;
}

/** Seconds since 1970, from the first on and before the second; null is open. */
export interface Moments {
  readonly from: number | null;
  readonly before: number | null;
}

/** The moments that a date or an age means. */
export function momentsOf(query: DateQuery | AgeQuery, clock: Clock): Moments {
  if (query.kind === 'age') {
    const moment = ago(query.count, query.unit, clock);
    return query.than === 'older' ? { from: null, before: moment } : { from: moment, before: null };
  }
  const before = query.before === undefined ? null : spanOf(query.before, clock).from;
  return {
    from: query.from === null ? null : spanOf(query.from, clock).from,
    before: query.to === null ? before : spanOf(query.to, clock).before,
  };
}

const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

function spanOf(day: Day, clock: Clock): { readonly from: number; readonly before: number } {
  if (day === 'now') {
    return { from: secondsOf(clock.now), before: secondsOf(clock.now) };
  }
  const period = /^PT?(\d+)([HDWMY])$/.exec(day);
  if (period !== null) {
    const moment = ago(Number(period[1]), period[2]?.toLowerCase() as AgeQuery['unit'], clock);
    return { from: moment, before: moment };
  }
  const today = localTime(clock.now.getTime(), clock.timeZone);
  const [year = 0, month, date] =
    day === 'today' || day === 'yesterday'
      ? [
          today.getUTCFullYear(),
          today.getUTCMonth() + 1,
          today.getUTCDate() - (day === 'today' ? 0 : 1),
        ]
      : day.split('-').map(Number);
  const first = (years: number, months: number, days: number) =>
    momentOf(utc(year + years, (month ?? 1) - 1 + months, (date ?? 1) + days), clock.timeZone);
  return {
    from: first(0, 0, 0),
    before:
      month === undefined ? first(1, 0, 0) : date === undefined ? first(0, 1, 0) : first(0, 0, 1),
  };
}

/** Hours, days and weeks are as many hours; months and years are those of the calendar. */
function ago(count: number, unit: AgeQuery['unit'], { now, timeZone }: Clock): number {
  const hours = { h: 1, d: 24, w: 168 };
  if (unit !== 'm' && unit !== 'y') {
    return secondsOf(now) - count * hours[unit] * 3600;
  }
  const local = localTime(now.getTime(), timeZone);
  const month = local.getUTCMonth() - (unit === 'm' ? count : 12 * count);
  const lastDay = new Date(utc(local.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = utc(local.getUTCFullYear(), month, Math.min(local.getUTCDate(), lastDay));
  return momentOf(day + (local.getTime() % 86_400_000), timeZone);
}

/** `Date.UTC` without its first century. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** Names of time zones may be written with letters of any case. */
const MOST_FORMATS = 1000;

/** By name. Making one takes longer than a hundred uses. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for a time zone that there is not */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  keepLatest(formats, timeZone, format, MOST_FORMATS);
  return format;
}

export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** The time that clocks show, as if it were UTC. */
export function localTime(milliseconds: number, timeZone: string): Date {
  const at = Math.floor(milliseconds / 1000) * 1000;
  const part = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const day = utc(part.year ?? 0, (part.month ?? 1) - 1, part.day ?? 1);
  return new Date(
    day + (((part.hour ?? 0) * 60 + (part.minute ?? 0)) * 60 + (part.second ?? 0)) * 1000,
  );
}

/**
 * The first moment at which clocks show a time, or a later one where they skip it, in seconds since 1970. Of a time
 * that comes twice the first.
 */
export function momentOf(local: number, timeZone: string): number {
  const offsets = [local - 86_400_000, local + 86_400_000].map(
    (moment) => localTime(moment, timeZone).getTime() - moment,
  );
  const candidates = offsets.map((offset) => local - offset).toSorted((a, b) => a - b);
  const exact = candidates.find((moment) => localTime(moment, timeZone).getTime() === local);
  return (exact ?? candidates.at(-1) ?? local) / 1000;
}

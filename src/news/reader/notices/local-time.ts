import { localTime, momentOf } from '../../query/moments.js';

/** Hours in which nothing is told but what is urgent. */
export interface QuietHours {
  /** `HH:MM`; the end may be on the day after. */
  readonly from: string;
  readonly to: string;
  /** Days on which they begin: 1 is Monday, 7 Sunday. */
  readonly days: readonly number[];
}

const DAY_MS = 86_400_000;

/** The first moment after `now` at which a clock of the time zone shows `time`: once in each of its days. */
export function nextTime(now: Date, time: string, timeZone: string): Date {
  const today = localDay(now, timeZone);
  const moments = [0, 1, 2].map((days) => timeOf(today + days * DAY_MS, time, timeZone));
  return moments.find((moment) => moment > now) ?? new Date(now.getTime() + DAY_MS);
}

/** @returns the end of the quiet hours that `now` lies in; null outside of them */
export function quietUntil(now: Date, quiet: QuietHours | null, timeZone: string): Date | null {
  if (quiet === null) {
    return null;
  }
  const { from, to, days } = quiet;
  const today = localDay(now, timeZone);
  for (const day of [today - DAY_MS, today]) {
    const weekday = new Date(day).getUTCDay() || 7;
    const end = timeOf(to > from ? day : day + DAY_MS, to, timeZone);
    if (days.includes(weekday) && timeOf(day, from, timeZone) <= now && now < end) {
      return end;
    }
  }
  return null;
}

/**
 * The moment of a local day at which its clock first shows `time`. Where the clock is set forward over it,
 * it is as much later.
 */
function timeOf(day: number, time: string, timeZone: string): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(momentOf(day + (hours * 60 + minutes) * 60_000, timeZone) * 1000);
}

/** The local date, as the milliseconds of its midnight in UTC. */
function localDay(at: Date, timeZone: string): number {
  return localTime(at.getTime(), timeZone).setUTCHours(0, 0, 0, 0);
}

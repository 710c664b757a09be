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
  const moments = [0, 1, 2].map((days) => momentOf(today + days * DAY_MS, time, timeZone));
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
    const end = momentOf(to > from ? day : day + DAY_MS, to, timeZone);
    if (days.includes(weekday) && momentOf(day, from, timeZone) <= now && now < end) {
      return end;
    }
  }
  return null;
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}

/**
 * The moment of a local day at which its clock first shows `time`. Where the clock is set forward over it,
 * it is as much later.
 */
function momentOf(day: number, time: string, timeZone: string): Date {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const shown = day + (hours * 60 + minutes) * 60_000;
  // The offsets before and after a change; the larger one gives the earlier moment.
  const offsets = [shown - DAY_MS, shown + DAY_MS].map((at) => offsetAt(at, timeZone));
  const moments = offsets.map((offset) => shown - offset).toSorted((a, b) => a - b);
  const right = moments.find((moment) => moment + offsetAt(moment, timeZone) === shown);
  return new Date(right ?? shown - (offsets[0] ?? 0));
}

/** The local date, as the milliseconds of its midnight in UTC. */
function localDay(at: Date, timeZone: string): number {
  const local = at.getTime() + offsetAt(at.getTime(), timeZone);
  return local - (((local % DAY_MS) + DAY_MS) % DAY_MS);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds that the local clock is ahead of UTC. */
function offsetAt(moment: number, timeZone: string): number {
  // Making one takes longer than a hundred uses. Swedes write `2026-03-12 13:00:00`.
  const style = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', style);
  formats.set(timeZone, format);
  const second = Math.floor(moment / 1000) * 1000;
  return Date.parse(`${format.format(second).replace(' ', 'T')}Z`) - second;
}

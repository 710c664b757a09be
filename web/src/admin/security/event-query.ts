/** Empty fields match everything. */
export interface EventFilter {
  readonly kind: string;
  /** Prefix of the name of the affected user. */
  readonly user: string;
  /** Prefix of the name of who caused it. */
  readonly actor: string;
  /** Prefix of the id of the group, app and so on. */
  readonly subject: string;
  /** Prefix of the client address. */
  readonly address: string;
  /** Part of the details. */
  readonly text: string;
  /** First and last day in the visitor's time zone, as `2026-11-23`. */
  readonly from: string;
  readonly to: string;
}

/** Days become moments: `from` at its beginning, `to` at its end. */
export function queryOf({ from, to, ...others }: EventFilter): Record<string, string> {
  return { ...others, from: startOfDay(from, 0), to: startOfDay(to, 1) };
}

/** @returns Unix seconds of midnight, so many days later; empty for an unfinished date */
function startOfDay(day: string, daysLater: number): string {
  const [year = NaN, month = NaN, date = NaN] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + daysLater).getTime() / 1000;
  return Number.isFinite(start) ? String(Math.max(0, start)) : '';
}

/** A Sunday, followed by the other days of the week. */
const SUNDAY = Date.UTC(2023, 0, 1);
const DAY_MILLISECONDS = 86_400_000;

/** Names of days and months, which date pickers read from globals. */
export function calendarNames(language: string) {
  const named = (options: Intl.DateTimeFormatOptions, dates: readonly Date[]) => {
    const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
    return dates.map((date) => format.format(date));
  };
  const days = Array.from({ length: 7 }, (_, day) => new Date(SUNDAY + day * DAY_MILLISECONDS));
  const months = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2023, month, 1)));
  return {
    dayNames: named({ weekday: 'long' }, days),
    dayNamesShort: named({ weekday: 'short' }, days),
    dayNamesMin: named({ weekday: 'short' }, days).map((name) => name.slice(0, 2)),
    monthNames: named({ month: 'long' }, months),
    monthNamesShort: named({ month: 'short' }, months),
    firstDay: firstDayOf(language),
  };
}

/** 0 is Sunday. */
function firstDayOf(language: string): number {
  // Missing from the type definitions and from some browsers.
  const locale = new Intl.Locale(language) as Intl.Locale & {
    getWeekInfo?(): { readonly firstDay: number };
  };
  return (locale.getWeekInfo?.().firstDay ?? 1) % 7;
}

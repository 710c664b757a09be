import type { NoticeSettings, QuietHours } from '../model/notices-api.js';

/** ISO: 1 is Monday. */
const DAYS = [1, 2, 3, 4, 5, 6, 7];

/** What is offered to someone who has none. */
export const USUAL_QUIET: QuietHours = { from: '22:00', to: '07:00', days: DAYS };

/** The settings as a form has them: quiet hours stay while they are off. */
export interface QuietForm {
  isQuiet: boolean;
  from: string;
  to: string;
  days: number[];
  timeZone: string;
  notWhileReading: boolean;
  mostPerRuleAndHour: number;
}

export function formOf({ quiet, ...others }: NoticeSettings): QuietForm {
  const { from, to, days } = quiet ?? USUAL_QUIET;
  return { ...others, isQuiet: quiet !== null, from, to, days: [...days] };
}

export function settingsOf(form: QuietForm): NoticeSettings {
  const { isQuiet, from, to, days, ...others } = form;
  return { ...others, quiet: isQuiet ? { from, to, days: days.toSorted((a, b) => a - b) } : null };
}

/** Names of the days of the week, in the order of the locale's calendar. */
export function weekdays(
  locale: string,
  firstDay: number,
): readonly { readonly day: number; readonly name: string }[] {
  const names = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  return DAYS.map((_, n) => ((firstDay - 1 + n) % 7) + 1).map((day) => ({
    day,
    // 1 January 2024 was a Monday.
    name: names.format(Date.UTC(2024, 0, day)),
  }));
}

/** The first day of the week in a locale, 1 is Monday; Monday if the browser does not know. */
export function firstDayOf(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1;
}

/** All time zones; the chosen one also if the browser does not know it. */
export function timeZones(known: readonly string[], chosen: string): readonly string[] {
  return ['UTC', ...known, chosen].filter((name, at, all) => all.indexOf(name) === at).toSorted();
}

import type { NoticeSettings, QuietHours } from '../model/notices-api.js';

/** ISO: 1 is Monday. */
const DAYS = [1, 2, 3, 4, 5, 6, 7];

/** The settings as a form has them: quiet hours stay while they are off. */
export interface QuietForm extends Omit<NoticeSettings, 'quiet'>, QuietHours {
  readonly isQuiet: boolean;
}

/** @param ownZone of the browser, which is offered until there are quiet hours */
export function formOf({ quiet, timeZone, ...others }: NoticeSettings, ownZone: string): QuietForm {
  return quiet === null
    ? { ...others, isQuiet: false, from: '22:00', to: '07:00', days: DAYS, timeZone: ownZone }
    : { ...others, isQuiet: true, ...quiet, timeZone };
}

export function settingsOf({ isQuiet, from, to, days, ...others }: QuietForm): NoticeSettings {
  return { ...others, quiet: isQuiet ? { from, to, days: days.toSorted((a, b) => a - b) } : null };
}

/** Days of the week with their names, in the order of the locale's calendar. */
export function weekdays(
  locale: string,
): readonly { readonly day: number; readonly name: string }[] {
  const names = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  const { getWeekInfo } = Intl.Locale.prototype as { getWeekInfo?: () => { firstDay: number } };
  const first = getWeekInfo?.call(new Intl.Locale(locale)).firstDay ?? 1;
  return DAYS.map((day) => ((day + first - 2) % 7) + 1).map((day) => ({
    day,
    // 1 January 2024 was a Monday.
    name: names.format(Date.UTC(2024, 0, day)),
  }));
}

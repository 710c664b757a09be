import { useI18n } from 'vue-i18n';
import { regionalLocale } from '../../host/regional-locale.js';

interface DateTexts {
  /** Format for lists: the time (today), the day (this year) or the full date. */
  short(seconds: number): string;
  exact(seconds: number): string;
  long(seconds: number): string;
}

/** Formats unix seconds in the visitor's locale. */
export function useDates(): DateTexts {
  const { locale } = useI18n();
  const regional = regionalLocale(locale.value);
  const formatter = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(regional, options);
  const time = formatter({ timeStyle: 'short' });
  const day = formatter({ day: 'numeric', month: 'short' });
  const dayAndYear = formatter({ dateStyle: 'medium' });
  const exact = formatter({ dateStyle: 'short', timeStyle: 'short' });
  const long = formatter({ dateStyle: 'full', timeStyle: 'short' });

  return {
    short(seconds) {
      const date = new Date(seconds * 1000);
      const now = new Date();
      if (date.toDateString() === now.toDateString()) {
        return time.format(date);
      }
      return (date.getFullYear() === now.getFullYear() ? day : dayAndYear).format(date);
    },
    exact: (seconds) => exact.format(seconds * 1000),
    long: (seconds) => long.format(seconds * 1000),
  };
}

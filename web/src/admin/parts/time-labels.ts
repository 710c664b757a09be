import { useI18n } from 'vue-i18n';
import { regionalLocale } from '../../host/regional-locale.js';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Formats unix seconds in the visitor's language. */
export function useTimeLabels() {
  const { locale } = useI18n();
  const regional = regionalLocale(locale.value);
  const dateAndTime = new Intl.DateTimeFormat(regional, { dateStyle: 'short', timeStyle: 'short' });
  const time = new Intl.DateTimeFormat(regional, { timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(regional, { day: 'numeric', month: 'short' });

  /** “5 minutes ago”, “in 2 hours”. */
  function fromNow(seconds: number, nowSeconds = Date.now() / 1000): string {
    const words = new Intl.RelativeTimeFormat(regional, { numeric: 'auto', style: 'short' });
    const distance = seconds - nowSeconds;
    const [unit, length] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? ['second', 1];
    return words.format(Math.round(distance / length), unit);
  }

  /** “5 min”. */
  function span(seconds: number): string {
    const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? ['second', 1];
    return new Intl.NumberFormat(regional, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
    }).format(Math.round(seconds / length));
  }

  /** Date and time. */
  function moment(seconds: number): string {
    return dateAndTime.format(seconds * 1000);
  }

  return {
    fromNow,
    span,
    moment,
    timeOfDay: (seconds: number) => time.format(seconds * 1000),
    day: (seconds: number) => day.format(seconds * 1000),
  };
}

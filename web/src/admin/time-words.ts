import { useI18n } from 'vue-i18n';
import { habitsOf } from '../host/habits.js';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Moments in unix seconds as a person says them. */
export function useTimeWords() {
  const { locale } = useI18n();
  const habits = habitsOf(locale.value);
  const dateAndTime = new Intl.DateTimeFormat(habits, { dateStyle: 'short', timeStyle: 'short' });
  const time = new Intl.DateTimeFormat(habits, { timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(habits, { day: 'numeric', month: 'short' });

  /** “5 minutes ago”, “in 2 hours”. */
  function fromNow(seconds: number, nowSeconds = Date.now() / 1000): string {
    const words = new Intl.RelativeTimeFormat(habits, { numeric: 'auto', style: 'short' });
    const distance = seconds - nowSeconds;
    const [unit, length] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? ['second', 1];
    return words.format(Math.round(distance / length), unit);
  }

  /** “5 min”. */
  function span(seconds: number): string {
    const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? ['second', 1];
    return new Intl.NumberFormat(habits, {
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

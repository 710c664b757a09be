import { useI18n } from 'vue-i18n';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Moments in unix seconds as a person says them. */
export function useTimeWords() {
  const { d, locale } = useI18n();

  /** “5 minutes ago”, “in 2 hours”. */
  function fromNow(seconds: number, nowSeconds = Date.now() / 1000): string {
    const words = new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto', style: 'short' });
    const distance = seconds - nowSeconds;
    const [unit, length] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? ['second', 1];
    return words.format(Math.round(distance / length), unit);
  }

  /** “5 min”. */
  function span(seconds: number): string {
    const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? ['second', 1];
    return new Intl.NumberFormat(locale.value, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
    }).format(Math.round(seconds / length));
  }

  /** Date and time. */
  function moment(seconds: number): string {
    return d(seconds * 1000, 'short');
  }

  return { fromNow, span, moment };
}

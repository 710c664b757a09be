import { useI18n } from 'vue-i18n';

/** Dates as a list has room for: today the time, this year the day, else the year, too. */
export function useShortDates(): (seconds: number) => string {
  const { locale } = useI18n();
  // The browser's own habits, when it speaks the language of the page.
  const habits = navigator.languages.find((tag) => tag.startsWith(locale.value)) ?? locale.value;
  const time = new Intl.DateTimeFormat(habits, { timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(habits, { day: 'numeric', month: 'short' });
  const long = new Intl.DateTimeFormat(habits, { dateStyle: 'medium' });

  return (seconds) => {
    const date = new Date(seconds * 1000);
    const now = new Date();
    if (date.toDateString() === now.toDateString()) {
      return time.format(date);
    }
    return (date.getFullYear() === now.getFullYear() ? day : long).format(date);
  };
}

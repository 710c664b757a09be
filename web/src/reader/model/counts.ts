import { useI18n } from 'vue-i18n';
import { regionalLocale } from '../../host/regional-locale.js';

/** Formats counts with the separators of the visitor's locale: `50,000`. */
export function useCounts(): (count: number) => string {
  const { locale } = useI18n();
  const format = new Intl.NumberFormat(regionalLocale(locale.value));
  return (count) => format.format(count);
}

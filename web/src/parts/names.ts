import { useI18n } from 'vue-i18n';

/** @returns finds a name in the visitor's language; a key without a text has the other name */
export function useNames(): (key: string, otherwise: string) => string {
  const { t, te } = useI18n();
  return (key, otherwise) => (te(key) ? t(key) : otherwise);
}

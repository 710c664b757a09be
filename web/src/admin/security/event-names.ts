import { useI18n } from 'vue-i18n';

/** Names of kinds of events; a kind that this page does not know keeps its own. */
export function useEventNames(): { nameOf(kind: string): string } {
  const { t, te } = useI18n();
  return {
    nameOf(kind) {
      const key = `admin.security.kinds.${kind}`;
      return te(key) ? t(key) : kind;
    },
  };
}

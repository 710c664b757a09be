import { useI18n } from 'vue-i18n';

/** Kinds of work that the pages know are named in the visitor's language. */
export function useJobNames() {
  const { t, te } = useI18n();
  const named = (group: string, kind: string) => {
    const key = `admin.tasks.${group}.${kind}`;
    return te(key) ? t(key) : kind;
  };
  return {
    queueName: (kind: string) => named('queueNames', kind),
    taskName: (kind: string) => named('taskNames', kind),
  };
}

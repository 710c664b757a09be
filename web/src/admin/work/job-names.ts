import { useI18n } from 'vue-i18n';

/** Names of known queues and tasks in the visitor's language; unknown ones keep their technical name. */
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

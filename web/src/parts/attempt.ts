import { ref } from 'vue';
import { useI18n } from 'vue-i18n';
import { reasonOf } from './reason-of.js';

/**
 * Work that the service may refuse: `busy` while it runs, then the service's reason in `problem`. @param
 * tell receives the error instead, such as `toasts.fail`
 */
export function useAttempt(tell?: (error: unknown) => void) {
  const { t } = useI18n({ useScope: 'global' });
  const busy = ref(false);
  const problem = ref('');

  /** Never rejects. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    busy.value = true;
    problem.value = '';
    try {
      await work();
    } catch (error) {
      if (tell) {
        tell(error);
      } else {
        problem.value = reasonOf(error, t('shell.failed'));
      }
    } finally {
      busy.value = false;
    }
  }

  return { busy, problem, attempt };
}

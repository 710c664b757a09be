import { useI18n } from 'vue-i18n';
import { useToasts } from '../../parts/toasts.store.js';
import { retry } from './feeds.store.js';

/** Fetches a feed now and shows the outcome; rejects if the service refuses. */
export function useRetry(): (sourceId: number, name?: string) => Promise<void> {
  const { t } = useI18n();
  const toasts = useToasts();
  return async (sourceId, name = '') => {
    const { result } = await retry(sourceId);
    const isFailed = result.outcome === 'failed';
    toasts.show(
      isFailed
        ? (result.message ?? t('admin.feeds.outcome.failed'))
        : t('admin.feeds.retried', { name }),
      { kind: isFailed ? 'error' : 'info' },
    );
  };
}

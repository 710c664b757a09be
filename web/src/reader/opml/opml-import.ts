import { onBeforeUnmount, ref, shallowRef } from 'vue';
import { useFeeds } from '../state/feeds.store.js';
import { useItems } from '../state/items.store.js';
import {
  importOpml,
  importProgress,
  ImportRefused,
  type ImportProgress,
  type ImportStep,
  type OpmlImportResult,
} from './opml-api.js';

const POLL_MILLISECONDS = 1_500;

/**
 * Imports an OPML file: uploads it, shows the progress of subscribing, then polls the progress of
 * fetching.
 */
export function useOpmlImport() {
  const feeds = useFeeds();
  const items = useItems();
  const step = ref<'choose' | ImportStep['step'] | 'fetching' | 'done'>('choose');
  const part = ref({ done: 0, total: 1 });
  const result = shallowRef<OpmlImportResult | null>(null);
  const failures = shallowRef<ImportProgress['failures']>([]);
  const failing = ref(0);
  /** The service's error message, possibly empty; null: no error. */
  const problem = ref<string | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUnmounted = false;

  /** @param startUnread the newest articles of each feed that are unread; null: all */
  async function send(file: File, startUnread: number | null): Promise<void> {
    problem.value = null;
    show({ step: 'sending', sent: 0 });
    try {
      result.value = await importOpml(file, startUnread, show);
    } catch (error) {
      problem.value = error instanceof ImportRefused ? error.message : '';
      step.value = 'choose';
      return;
    }
    step.value = 'fetching';
    part.value = { done: 0, total: result.value.imported };
    // Ignored: the service fetches the feeds anyway, and the next poll may succeed.
    await feeds.load().catch(() => {});
    await pollProgress(result.value.after);
  }

  function show(progress: ImportStep): void {
    step.value = progress.step;
    part.value = progress.step === 'sending' ? { done: progress.sent, total: 1 } : progress;
  }

  async function pollProgress(after: number): Promise<void> {
    const progress = await importProgress(after).catch(() => null);
    if (progress !== null) {
      part.value = { done: progress.fetched, total: progress.feeds };
      failing.value = progress.failing;
      failures.value = progress.failures;
    }
    if (progress !== null && progress.fetched >= progress.feeds) {
      step.value = 'done';
      await Promise.all([feeds.load(), items.reload()]).catch(() => {});
      return;
    }
    if (!isUnmounted) {
      timer = setTimeout(() => void pollProgress(after), POLL_MILLISECONDS);
    }
  }

  onBeforeUnmount(() => {
    isUnmounted = true;
    clearTimeout(timer);
  });

  return { step, part, result, failing, failures, problem, send };
}

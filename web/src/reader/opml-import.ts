import { computed, onBeforeUnmount, ref, shallowRef } from 'vue';
import { page } from '../host/page-context.js';
import { useFeeds } from './feeds.store.js';
import { useItems } from './items.store.js';
import { importOpml, ImportRefused, type Feed, type OpmlImportResult } from './news-api.js';

const LOOK_MILLISECONDS = 1_500;

/**
 * Takes in a list of feeds: sends the file, then follows the service as it fetches the feeds one
 * after another.
 */
export function useOpmlImport() {
  const feeds = useFeeds();
  const items = useItems();
  const step = ref<'choose' | 'sending' | 'fetching' | 'done'>('choose');
  const sent = ref(0);
  const result = shallowRef<OpmlImportResult | null>(null);
  /** The service's words; empty when it had none, null when nothing is wrong. */
  const problem = ref<string | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const fetched = computed(() => feeds.feeds.filter(isFetched).length);
  const total = computed(() => feeds.feeds.length);

  async function send(file: File): Promise<void> {
    problem.value = null;
    sent.value = 0;
    step.value = 'sending';
    try {
      result.value = await importOpml(file, page.requestToken, (part) => (sent.value = part));
      step.value = 'fetching';
      await look();
    } catch (error) {
      problem.value = error instanceof ImportRefused ? error.message : '';
      step.value = 'choose';
    }
  }

  async function look(): Promise<void> {
    // The next look may succeed; the service fetches the feeds anyway.
    await feeds.load().catch(() => {});
    if (fetched.value >= total.value) {
      step.value = 'done';
      await items.reload();
      return;
    }
    timer = setTimeout(() => void look(), LOOK_MILLISECONDS);
  }

  onBeforeUnmount(() => clearTimeout(timer));

  return { step, sent, fetched, total, result, problem, send };
}

/** First fetches are due within this, and later ones are not. */
const SOON_SECONDS = 900;

/** The service does not say it in so many words, but a feed that was fetched shows signs of it. */
function isFetched({ link, nextUpdateTime, unreadCount, updateErrorCount }: Feed): boolean {
  const isDueLater = (nextUpdateTime ?? 0) > Date.now() / 1000 + SOON_SECONDS;
  return link !== '' || unreadCount > 0 || updateErrorCount > 0 || isDueLater;
}

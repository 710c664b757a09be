import { defineStore } from 'pinia';
import { shallowRef, watch } from 'vue';
import { listSearches, type SavedSearch } from '../model/search-api.js';
import { useFeeds } from './feeds.store.js';

/** Counts of searches cost the service more than those of feeds. */
const REST_MILLISECONDS = 3_000;

/** Saved searches with their counts, which follow those of the feeds. */
export const useSearches = defineStore('reader-searches', () => {
  const feeds = useFeeds();
  const searches = shallowRef<readonly SavedSearch[]>([]);
  let soon: ReturnType<typeof setTimeout> | undefined;

  async function load(): Promise<void> {
    clearTimeout(soon);
    searches.value = await listSearches();
  }

  watch(
    () => feeds.unreadTotal,
    () => {
      clearTimeout(soon);
      if (searches.value.length > 0) {
        // Failures are ignored; the next change tries again.
        soon = setTimeout(() => void load().catch(() => {}), REST_MILLISECONDS);
      }
    },
  );

  return {
    searches,
    load,
    find: (id: number | undefined) => searches.value.find((search) => search.id === id),
  };
});

import { onBeforeUnmount } from 'vue';
import { useRouter } from 'vue-router';
import { preferences } from '../model/preferences.js';
import { useReaderActions } from '../reader-actions.js';
import { useItems } from '../state/items.store.js';

const SEEN_MILLISECONDS = 900;

/** Marks entries read that were scrolled past, if the preference is on. */
export function useSeenOnScroll() {
  const items = useItems();
  const actions = useReaderActions();
  let firstSeenIndex = 0;
  let passed: number[] = [];
  let soon: ReturnType<typeof setTimeout> | undefined;

  /** @param first index of the first row that is shown now */
  function see(first: number): void {
    if (preferences.markReadOnScroll && first > firstSeenIndex) {
      const between = items.entries.slice(firstSeenIndex, first);
      passed.push(...between.filter(({ unread }) => unread).map(({ id }) => id));
      clearTimeout(soon);
      soon = setTimeout(markPassed, SEEN_MILLISECONDS);
    }
    firstSeenIndex = Math.max(first, firstSeenIndex);
  }

  function markPassed(): void {
    clearTimeout(soon);
    const ids = passed;
    passed = [];
    void actions.markSeen(ids);
  }

  // Only entries of the shown list are marked.
  onBeforeUnmount(useRouter().beforeEach(markPassed));
  onBeforeUnmount(markPassed);
  return {
    see,
    startAgain(): void {
      firstSeenIndex = 0;
    },
  };
}

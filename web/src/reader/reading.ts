import { computed, nextTick, ref, watch, type Ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { useItems } from './state/items.store.js';
import { isWebPage, openPage, opensAtWebsite } from './model/original.js';
import { useReaderActions } from './reader-actions.js';
import { itemIdOf, placeOf } from './model/selection.js';
import type { ShownList } from './shown-list.js';

/** The component that shows the list, as far as reading needs it. */
interface RowList {
  reveal(id: number, focus: boolean): Promise<void>;
}

/** The selected entry and the open article, and the ways from one to the next. */
export function useReading(shownList: ShownList, list: Readonly<Ref<RowList | null>>) {
  const route = useRoute();
  const router = useRouter();
  const items = useItems();
  const actions = useReaderActions();

  const openId = computed(() => itemIdOf(route));
  /** Selected in the list; it stays when its article is closed. */
  const currentId = ref<number | null>(openId.value);

  watch(openId, (id) => {
    if (id !== null) {
      currentId.value = id;
      void list.value?.reveal(id, false);
    }
  });
  watch(
    () => shownList.selection,
    () => (currentId.value = openId.value),
  );

  /** Shows an article here, or opens its page if its feed is set to that. */
  function open(id: number): void {
    const entry = items.entryOf(id);
    if (entry !== undefined && opensAtWebsite(entry.feedId) && isWebPage(entry.url)) {
      currentId.value = id;
      void list.value?.reveal(id, false);
      openPage(entry.url);
      void actions.markSeen([id]);
      return;
    }
    // Marked and selected now: its text, and the next key, may come at any time.
    currentId.value = id;
    void actions.markSeen([id]);
    const place = placeOf(shownList.selection, id);
    void (openId.value === null ? router.push(place) : router.replace(place));
  }

  function neighbour(by: 1 | -1): number | null {
    const at = currentId.value === null ? -1 : items.indexOf(currentId.value);
    if (at < 0) {
      return items.entries[0]?.id ?? null;
    }
    return items.entries[at + by]?.id ?? null;
  }

  /** Opens the next or previous article. */
  function step(by: 1 | -1): void {
    const id = neighbour(by);
    if (id !== null) {
      open(id);
    }
  }

  /** Selects the next or previous entry without opening it. */
  function move(by: 1 | -1): void {
    const id = neighbour(by);
    if (id !== null) {
      currentId.value = id;
      void list.value?.reveal(id, true);
    }
  }

  function close(): void {
    const id = openId.value;
    const place = placeOf(shownList.selection);
    // Go back in the history if the list was the previous page.
    if (history.state.back === router.resolve(place).fullPath) {
      router.back();
    } else {
      void router.push(place);
    }
    if (id !== null) {
      void nextTick(() => list.value?.reveal(id, true));
    }
  }

  return { openId, currentId, open, step, move, close };
}

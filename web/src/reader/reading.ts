import { computed, nextTick, ref, watch, type Ref } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { isWebPage, openPage, opensAtWebsite } from './model/original.js';
import { itemIdOf, placeOf } from './model/selection.js';
import { useReaderActions } from './reader-actions.js';
import type { ShownList } from './shown-list.js';
import { useItems } from './state/items.store.js';

/** The component that shows the list, as far as reading needs it. */
interface RowList {
  reveal(id: number, focus: boolean): Promise<void>;
}

/** The selected entry and the open article, and the ways from one to the next. */
export function useReading(shownList: ShownList, list: Readonly<Ref<RowList | null>>) {
  const router = useRouter();
  const items = useItems();
  const actions = useReaderActions();
  const { openId, currentId } = useCurrent(shownList, list);

  /** Shows an article here, or opens its page if its feed is set to that. */
  function open(id: number): void {
    const entry = items.entryOf(id);
    // Marked and selected now: its text, and the next key, may come at any time.
    currentId.value = id;
    void actions.markSeen([id]);
    if (entry !== undefined && opensAtWebsite(entry.feedId) && isWebPage(entry.url)) {
      void list.value?.reveal(id, false);
      openPage(entry.url);
      return;
    }
    const place = placeOf(shownList.selection, id);
    void (openId.value === null ? router.push(place) : router.replace(place));
  }

  /** Acts on the next or previous entry. */
  function withNeighbour(by: 1 | -1, act: (id: number) => void): void {
    const at = currentId.value === null ? -1 : items.indexOf(currentId.value);
    const entry = items.entries[at < 0 ? 0 : at + by];
    if (entry !== undefined) {
      act(entry.id);
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

  return {
    openId,
    currentId,
    open,
    /** Opens the next or previous article. */
    step: (by: 1 | -1) => withNeighbour(by, open),
    /** Selects the next or previous entry without opening it. */
    move: (by: 1 | -1) =>
      withNeighbour(by, (id) => {
        currentId.value = id;
        void list.value?.reveal(id, true);
      }),
    close,
  };
}

/** The open article, and the entry that is selected in the list. */
function useCurrent(shownList: ShownList, list: Readonly<Ref<RowList | null>>) {
  const route = useRoute();
  const openId = computed(() => itemIdOf(route));
  /** It stays when its article is closed. */
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
  return { openId, currentId };
}

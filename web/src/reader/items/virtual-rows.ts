import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/vue-virtual';
import { computed, nextTick, onBeforeUnmount, onMounted, ref, watch, type Ref } from 'vue';
import { useMediaQuery } from '../model/media-query.js';
import { preferences } from '../model/preferences.js';
import { useItems } from '../state/items.store.js';
import { lanesOf, NARROW, pictureHeight, rowHeight, type RowSpace } from './row-heights.js';

/** The next page is loaded this many rows before the end. */
const LOAD_AHEAD_ROWS = 30;

/**
 * The rows of the list that are on the screen, and their places. Loads more before the end.
 *
 * @param unfoldedId the item whose article is shown below its row
 */
export function useVirtualRows(
  scroller: Readonly<Ref<HTMLElement | null>>,
  unfoldedId: () => number | null,
) {
  const items = useItems();
  const isTouched = useMediaQuery('(hover: none)');
  const width = ref(0);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const isNarrow = computed(() => width.value <= NARROW * rem);
  /** An unfolded article has the whole width. */
  const lanes = computed(() =>
    unfoldedId() === null ? lanesOf({ layout: preferences.layout, width: width.value, rem }) : 1,
  );
  const space = computed<RowSpace>(() => ({
    layout: preferences.layout,
    // Only pictures depend on the width; other rows need not be placed again while it changes.
    width: preferences.layout === 'cards' ? width.value / lanes.value : 0,
    isTouched: isTouched.value,
    isNarrow: isNarrow.value,
    rem,
  }));
  const unfoldedIndex = computed(() =>
    items.entries.length > 0 ? items.indexOf(unfoldedId() ?? 0) : -1,
  );
  /** Height of the unfolded article in pixels. */
  const unfoldedHeight = ref(0);
  /** The row of an unfolded article is only its head. */
  const headHeight = computed(() => rowHeight({ ...space.value, layout: 'compact' }, false));

  const hasTail = computed(() => items.hasMore || items.error !== null);
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: items.entries.length + (hasTail.value ? 1 : 0),
      getScrollElement: () => scroller.value,
      estimateSize: (index: number) =>
        index === unfoldedIndex.value
          ? headHeight.value + unfoldedHeight.value
          : rowHeight(space.value, Boolean(items.entries[index]?.thumbnail)),
      // Keeps the open article rendered while it is off screen.
      rangeExtractor: (range: Range) =>
        [...new Set([...defaultRangeExtractor(range), unfoldedIndex.value])]
          .filter((index) => index >= 0)
          .sort((one, other) => one - other),
      getItemKey: (index: number) => items.entries[index]?.id ?? 'tail',
      overscan: 8,
      lanes: lanes.value,
    })),
  );
  const rows = computed(() =>
    virtualizer.value.getVirtualItems().map((row) => ({ ...row, entry: items.entries[row.index] })),
  );
  const totalHeight = computed(() => virtualizer.value.getTotalSize());

  watch(
    () =>
      [
        rows.value.at(-1)?.index ?? 0,
        items.entries.length,
        items.isLoading,
        items.hasMore,
      ] as const,
    ([last, length]) => {
      if (last >= length - LOAD_AHEAD_ROWS) {
        void items.loadMore();
      }
    },
  );

  // Row heights changed: keep the row at the top in place.
  watch(space, async () => {
    const top = firstIndex();
    virtualizer.value.measure();
    await nextTick();
    if (top > 0) {
      virtualizer.value.scrollToIndex(top, { align: 'start' });
    }
  });

  /** Keeps a newly unfolded article at the top while it grows, until the user scrolls. */
  let isSettling = unfoldedId() !== null;
  watch(unfoldedId, async (id, before) => {
    unfoldedHeight.value = 0;
    isSettling = id !== null;
    virtualizer.value.measure();
    await nextTick();
    void reveal(id ?? before ?? 0, false);
  });
  watch([unfoldedHeight, unfoldedIndex], async ([height]) => {
    virtualizer.value.measure();
    await nextTick();
    if (isSettling && height > 0) {
      virtualizer.value.scrollToIndex(unfoldedIndex.value, { align: 'start' });
    }
  });

  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (target === scroller.value) {
        width.value = Math.round(contentRect.width);
      } else {
        unfoldedHeight.value = Math.ceil(contentRect.height);
      }
    }
  });
  onMounted(() => {
    if (scroller.value !== null) {
      observer.observe(scroller.value);
      for (const kind of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
        scroller.value.addEventListener(kind, () => (isSettling = false), { passive: true });
      }
    }
  });
  onBeforeUnmount(() => observer.disconnect());

  /** Observes the element with the article. */
  function observeUnfolded(element: unknown): void {
    if (element instanceof Element) {
      observer.observe(element);
    }
  }

  /** Index of the row at the upper edge. */
  function firstIndex(): number {
    const top = scroller.value?.scrollTop ?? 0;
    return virtualizer.value.getVirtualItemForOffset(top)?.index ?? 0;
  }

  async function reveal(id: number, focus: boolean): Promise<void> {
    const index = items.indexOf(id);
    if (index < 0) {
      return;
    }
    const align = index === unfoldedIndex.value ? 'start' : 'auto';
    virtualizer.value.scrollToIndex(index, { align });
    if (focus) {
      await nextTick();
      await new Promise(requestAnimationFrame);
      scroller.value
        ?.querySelector<HTMLElement>(`[data-item="${id}"]`)
        ?.focus({ preventScroll: true });
    }
  }

  return {
    rows,
    totalHeight,
    lanes,
    pictureHeight: computed(() => pictureHeight(space.value)),
    headHeight,
    observeUnfolded,
    isSettling: () => isSettling,
    firstIndex,
    reveal,
  };
}

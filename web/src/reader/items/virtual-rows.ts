import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/vue-virtual';
import { computed, nextTick, onBeforeUnmount, onMounted, ref, watch, type Ref } from 'vue';
import { useMediaQuery } from '../model/media-query.js';
import { preferences } from '../model/preferences.js';
import { useItems } from '../state/items.store.js';
import { lanesOf, NARROW, pictureHeight, rowHeight, type RowSpace } from './row-heights.js';
import { isNearEnd, renderedIndexes } from './row-window.js';

type Scroller = Readonly<Ref<HTMLElement | null>>;

/**
 * The rows of the list that are on the screen, and their places. Loads more before the end.
 *
 * @param unfoldedId the item whose article is shown below its row
 */
export function useVirtualRows(scroller: Scroller, unfoldedId: () => number | null) {
  const items = useItems();
  /** Keeps a newly unfolded article at the top while it grows, until the user scrolls. */
  let isSettling = unfoldedId() !== null;
  const { width, unfoldedHeight, observe } = useSizes(scroller, () => (isSettling = false));
  const { lanes, space } = useRowSpace(width, unfoldedId);
  const unfoldedIndex = computed(() =>
    items.entries.length > 0 ? items.indexOf(unfoldedId() ?? 0) : -1,
  );
  /** The row of an unfolded article is only its head. */
  const headHeight = computed(() => rowHeight({ ...space.value, layout: 'compact' }, false));
  const heightAt = (index: number) =>
    index === unfoldedIndex.value
      ? headHeight.value + unfoldedHeight.value
      : rowHeight(
          space.value,
          Boolean(items.entries[index]?.thumbnail),
          items.entries[index]?.copies !== undefined,
        );
  const { virtualizer, ...shown } = useRendered(scroller, heightAt, lanes, unfoldedIndex);

  // Row heights changed: keep the row at the top in place.
  watch(space, async () => {
    const top = shown.firstIndex();
    virtualizer.value.measure();
    await nextTick();
    if (top > 0) {
      virtualizer.value.scrollToIndex(top, { align: 'start' });
    }
  });
  watch(unfoldedId, async (id, before) => {
    unfoldedHeight.value = 0;
    isSettling = id !== null;
    virtualizer.value.measure();
    await nextTick();
    void shown.reveal(id ?? before ?? 0, false);
  });
  watch([unfoldedHeight, unfoldedIndex], async ([height]) => {
    virtualizer.value.measure();
    await nextTick();
    if (isSettling && height > 0) {
      virtualizer.value.scrollToIndex(unfoldedIndex.value, { align: 'start' });
    }
  });

  return {
    ...shown,
    lanes,
    pictureHeight: computed(() => pictureHeight(space.value)),
    headHeight,
    /** Observes the element with the article. */
    observeUnfolded: observe,
    isSettling: () => isSettling,
  };
}

/** The width of the list and the height of the unfolded article in pixels. @param onTouch also of the wheel */
function useSizes(scroller: Scroller, onTouch: () => void) {
  const width = ref(0);
  const unfoldedHeight = ref(0);
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (target === scroller.value) {
        width.value = Math.round(contentRect.width);
      } else {
        unfoldedHeight.value = Math.ceil(contentRect.height);
      }
    }
  });
  const observe = (element: unknown) => {
    if (element instanceof Element) {
      observer.observe(element);
    }
  };
  onMounted(() => {
    observe(scroller.value);
    for (const kind of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
      scroller.value?.addEventListener(kind, onTouch, { passive: true });
    }
  });
  onBeforeUnmount(() => observer.disconnect());
  return { width, unfoldedHeight, observe };
}

/** The space of a row, and how many lie beside one another. */
function useRowSpace(width: Readonly<Ref<number>>, unfoldedId: () => number | null) {
  const isTouched = useMediaQuery('(hover: none)');
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
  return { lanes, space };
}

/** @param heightAt of a row, in pixels @param unfolded index of the unfolded article; -1: none */
function useRendered(
  scroller: Scroller,
  heightAt: (index: number) => number,
  lanes: Readonly<Ref<number>>,
  unfolded: Readonly<Ref<number>>,
) {
  const items = useItems();
  const hasTail = computed(() => items.hasMore || items.error !== null);
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: items.entries.length + (hasTail.value ? 1 : 0),
      getScrollElement: () => scroller.value,
      estimateSize: heightAt,
      rangeExtractor: (range: Range) =>
        renderedIndexes(defaultRangeExtractor(range), unfolded.value),
      getItemKey: (index: number) => items.entries[index]?.id ?? 'tail',
      overscan: 8,
      lanes: lanes.value,
    })),
  );
  const rows = computed(() =>
    virtualizer.value.getVirtualItems().map((row) => ({ ...row, entry: items.entries[row.index] })),
  );
  watch(
    () =>
      [
        rows.value.at(-1)?.index ?? 0,
        items.entries.length,
        items.isLoading,
        items.hasMore,
      ] as const,
    ([last, length]) => void (isNearEnd(last, length) && items.loadMore()),
  );

  async function reveal(id: number, focus: boolean): Promise<void> {
    const index = items.indexOf(id);
    if (index < 0) {
      return;
    }
    virtualizer.value.scrollToIndex(index, { align: index === unfolded.value ? 'start' : 'auto' });
    if (focus) {
      await nextTick();
      await new Promise(requestAnimationFrame);
      scroller.value
        ?.querySelector<HTMLElement>(`[data-item="${id}"]`)
        ?.focus({ preventScroll: true });
    }
  }

  return {
    virtualizer,
    rows,
    totalHeight: computed(() => virtualizer.value.getTotalSize()),
    /** Index of the row at the upper edge. */
    firstIndex: () =>
      virtualizer.value.getVirtualItemForOffset(scroller.value?.scrollTop ?? 0)?.index ?? 0,
    reveal,
  };
}

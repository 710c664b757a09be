import { useVirtualizer } from '@tanstack/vue-virtual';
import { computed, nextTick, onBeforeUnmount, onMounted, ref, watch, type Ref } from 'vue';
import { useMediaQuery } from '../media-query.js';
import { preferences } from '../preferences.js';
import { useItems } from './items.store.js';
import { pictureHeight, rowHeight, type RowSpace } from './row-heights.js';

/** The next page is loaded this many rows before the end. */
const LOAD_AHEAD_ROWS = 30;

/** The rows of the list that are on the screen, and their places. Loads more before the end. */
export function useVirtualRows(scroller: Readonly<Ref<HTMLElement | null>>) {
  const items = useItems();
  const isTouched = useMediaQuery('(hover: none)');
  const width = ref(0);
  const space = computed<RowSpace>(() => ({
    layout: preferences.layout,
    // Only pictures depend on the width; other rows need not be placed again while it changes.
    width: preferences.layout === 'cards' ? width.value : 0,
    isTouched: isTouched.value,
    rem: Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  }));

  const hasTail = computed(() => items.hasMore || items.error !== null);
  const virtualizer = useVirtualizer(
    computed(() => ({
      count: items.entries.length + (hasTail.value ? 1 : 0),
      getScrollElement: () => scroller.value,
      estimateSize: (index: number) =>
        rowHeight(space.value, Boolean(items.entries[index]?.thumbnail)),
      getItemKey: (index: number) => items.entries[index]?.id ?? 'tail',
      overscan: 8,
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

  // Other heights: the row at the top stays there.
  watch(space, async () => {
    const top = firstIndex();
    virtualizer.value.measure();
    await nextTick();
    if (top > 0) {
      virtualizer.value.scrollToIndex(top, { align: 'start' });
    }
  });

  const observer = new ResizeObserver(([entry]) => {
    width.value = Math.round(entry?.contentRect.width ?? 0);
  });
  onMounted(() => scroller.value && observer.observe(scroller.value));
  onBeforeUnmount(() => observer.disconnect());

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
    virtualizer.value.scrollToIndex(index, { align: 'auto' });
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
    pictureHeight: computed(() => pictureHeight(space.value)),
    firstIndex,
    reveal,
  };
}

import { computed, ref, shallowRef } from 'vue';

/** One page of a list, with the total number of rows. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/**
 * A list of the service that is loaded page by page. Answers to outdated requests are dropped.
 *
 * @param start the first query: search text and order
 */
export function usePagedList<Wish, Row, More extends object = object>(
  start: Wish,
  atOnce: number,
  ask: (wish: Wish, offset: number, limit: number) => Promise<ListPage<Row> & More>,
) {
  const wish = shallowRef(start);
  const page = shallowRef<(ListPage<Row> & More) | null>(null);
  const offset = ref(0);
  let wantedOffset = 0;
  let latest = 0;

  const rows = computed<readonly Row[]>(() => page.value?.rows ?? []);
  const total = computed(() => page.value?.total ?? 0);
  const loaded = computed(() => page.value !== null);

  /** Reloads the current page. */
  async function load(): Promise<void> {
    latest += 1;
    const asked = latest;
    const from = wantedOffset;
    const found = await ask(wish.value, from, atOnce);
    if (asked !== latest) {
      return;
    }
    if (from > 0 && found.rows.length === 0) {
      // The last page has become empty.
      const lastPage = Math.max(0, Math.ceil(found.total / atOnce) - 1) * atOnce;
      wantedOffset = Math.max(0, Math.min(lastPage, from - atOnce));
      await load();
      return;
    }
    page.value = found;
    offset.value = from;
  }

  async function goTo(newOffset: number): Promise<void> {
    wantedOffset = newOffset;
    await load();
  }

  /** Starts over with another query. */
  async function change(newWish: Wish): Promise<void> {
    wish.value = newWish;
    await goTo(0);
  }

  /**
   * Shows rows of this page as they will be after a change. Pending answers are dropped, because
   * they would undo it.
   */
  function replaceRows(replaced: (rows: readonly Row[]) => readonly Row[]): void {
    if (page.value !== null) {
      latest += 1;
      page.value = { ...page.value, rows: replaced(page.value.rows) };
    }
  }

  return { wish, page, rows, total, offset, loaded, atOnce, load, goTo, change, replaceRows };
}

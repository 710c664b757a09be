import { computed, ref, shallowRef } from 'vue';

/** One page of a long list, and how long the list is. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/**
 * A long list of the service, of which one page is known at a time. Of answers that overtake one
 * another the latest question's counts.
 *
 * @param start what is wished for at first: a search, an order
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

  /** The same page again, as it is now. */
  async function load(): Promise<void> {
    latest += 1;
    const asked = latest;
    const from = wantedOffset;
    const found = await ask(wish.value, from, atOnce);
    if (asked !== latest) {
      return;
    }
    if (from > 0 && found.rows.length === 0) {
      // What was on the last page is gone.
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

  /** Begins anew with another wish. */
  async function change(newWish: Wish): Promise<void> {
    wish.value = newWish;
    await goTo(0);
  }

  /**
   * Shows rows of this page as they will be once the service has done something. Answers that are
   * on their way are from before, and would take that back.
   */
  function replaceRows(replaced: (rows: readonly Row[]) => readonly Row[]): void {
    if (page.value !== null) {
      latest += 1;
      page.value = { ...page.value, rows: replaced(page.value.rows) };
    }
  }

  return { wish, page, rows, total, offset, loaded, atOnce, load, goTo, change, replaceRows };
}

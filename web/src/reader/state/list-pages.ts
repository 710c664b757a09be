import { ref, shallowRef } from 'vue';
import type { ChangedRow, ListOrder, Marked, RowPage } from '../model/items-api.js';
import type { Selection } from '../model/selection.js';
import { belongsTo, withoutFollowing } from './arrivals.js';
import type { EntryList } from './entry-list.js';
import type { FeedsStore } from './feeds.store.js';

/** Fills the first screen and loads fast. */
const FIRST_PAGE = 60;
const PAGE = 200;

/** Fewer than the service lists in one answer. */
const MANY_CHANGES = 500;

/** The list that is shown, page by page, and what arrived for it. */
export class ListPages {
  readonly selection = shallowRef<Selection>({ of: 'unread' });
  readonly order = shallowRef<ListOrder>({ oldestFirst: false, unreadOnly: true });
  /** True until the first `open`, so that nothing is requested before. */
  readonly isLoading = ref(true);
  readonly hasMore = ref(true);
  readonly error = shallowRef<unknown>(null);
  /** How a search was understood, and how much it found; null unless the list is a search. */
  readonly found = shallowRef<Pick<RowPage, 'matches' | 'reading' | 'isIndexed'> | null>(null);
  /** Articles of the list that rules hide. */
  readonly hiddenCount = ref(0);
  /** Items that belong to the list and arrived after it was loaded. */
  readonly arrivedIds = shallowRef<ReadonlySet<number>>(new Set());
  /** Earlier changes are known; 0 before the first list. */
  since = 0;
  /** Newest item when the list was loaded; 0 when it is unknown. */
  listedUpToId = 0;
  /** Automatic tasks may bring translated titles and summaries at any time. */
  isAutomated = false;
  #loading: AbortController | null = null;
  /** Continuation of the list; null at its beginning. */
  #next: string | null = null;

  constructor(
    private readonly list: EntryList,
    private readonly feeds: FeedsStore,
    private readonly listRows: typeof import('../model/items-api.js').listRows,
  ) {}

  readonly open = async (selection: Selection, order: ListOrder): Promise<void> => {
    this.clear();
    this.isLoading.value = false;
    this.selection.value = selection;
    this.order.value = order;
    await this.loadMore();
  };

  /** Shows an empty, loading list until the next `open`. */
  readonly clear = (): void => {
    this.#loading?.abort();
    this.#loading = null;
    this.isLoading.value = true;
    this.error.value = null;
    this.list.clear();
    this.found.value = null;
    this.hiddenCount.value = 0;
    this.#next = null;
    this.hasMore.value = true;
    this.arrivedIds.value = new Set();
  };

  /** Loads the list again; the old entries stay until the new ones are loaded. */
  readonly reload = async (): Promise<void> => {
    this.#loading?.abort();
    const feedsLoaded = this.feeds.load();
    const pageLoaded = this.#load(null, FIRST_PAGE, async (first, isCurrent) => {
      await feedsLoaded;
      if (isCurrent()) {
        this.list.clear();
        this.#append(first);
      }
    });
    await Promise.all([feedsLoaded, pageLoaded]);
  };

  readonly loadMore = async (): Promise<void> => {
    if (!this.isLoading.value && this.hasMore.value) {
      const size = this.#next === null ? FIRST_PAGE : PAGE;
      await this.#load(this.#next, size, (page) => this.#append(page));
    }
  };

  /** Continues after a page failed to load. */
  readonly retry = async (): Promise<void> => {
    this.hasMore.value = true;
    await this.loadMore();
  };

  /** The next synchronisation does not fetch thousands of changes of our own. */
  noteOwn<Change extends Marked>(change: Change): Change {
    if (change.marked > MANY_CHANGES) {
      this.since = Math.max(this.since, change.since);
    }
    return change;
  }

  /** Counts new items; the rows of the list do not move. */
  async announce(changes: readonly ChangedRow[]): Promise<void> {
    const arrived = new Set(this.arrivedIds.value);
    for (const row of changes) {
      if (this.#isArrival(row)) {
        arrived.add(row.id);
      } else {
        arrived.delete(row.id);
      }
    }
    const last = this.list.entries.value.at(-1)?.place;
    if (arrived.size > 0 && last === undefined) {
      await this.reload();
      return;
    }
    const isAtEnd = last !== undefined && this.order.value.oldestFirst;
    this.arrivedIds.value = isAtEnd ? withoutFollowing(arrived, changes, last) : arrived;
    if (isAtEnd && this.arrivedIds.value.size < arrived.size) {
      this.#next = last;
      this.hasMore.value = true;
    }
  }

  #isArrival(row: ChangedRow): boolean {
    const isNew = row.id > this.listedUpToId && this.list.indexOf(row.id) < 0;
    return isNew && belongsTo(this.selection.value, this.order.value, row, this.feeds.holds);
  }

  /**
   * Loads a page and adds it, unless another request replaces this one. `isLoading` ends only after
   * the page was added, because the list then decides whether it needs the next one.
   */
  async #load(
    after: string | null,
    batchSize: number,
    add: (page: RowPage, isCurrent: () => boolean) => void | Promise<void>,
  ): Promise<void> {
    const aborting = new AbortController();
    const isCurrent = () => this.#loading === aborting;
    this.#loading = aborting;
    this.isLoading.value = true;
    this.error.value = null;
    try {
      // Otherwise a list of starred or unread items would miss the latest changes.
      await this.feeds.changesSent();
      if (!isCurrent()) {
        return;
      }
      const asked = { ...this.order.value, after, batchSize };
      const page = await this.listRows(this.selection.value, asked, aborting.signal);
      if (isCurrent()) {
        await add(page, isCurrent);
      }
    } catch (failure) {
      if (isCurrent()) {
        this.error.value = failure;
        this.hasMore.value = false;
      }
    } finally {
      if (isCurrent()) {
        this.#loading = null;
        this.isLoading.value = false;
      }
    }
  }

  #append(page: RowPage): void {
    if (page.since !== undefined) {
      // A copy kept for the time without a connection may be older than what was known.
      this.since = Math.min(this.since || page.since, page.since);
      this.listedUpToId = page.newestItemId ?? 0;
      this.isAutomated ||= page.automated === true;
      this.hiddenCount.value = page.hidden ?? 0;
      this.found.value = page.matches === undefined ? null : page;
      this.arrivedIds.value = new Set();
    }
    this.list.append(page.rows);
    this.#next = page.next ?? this.#next;
    this.hasMore.value = page.next !== null;
    if (page.rows.some(({ id }) => this.arrivedIds.value.has(id))) {
      const shown = new Set(page.rows.map(({ id }) => id));
      this.arrivedIds.value = new Set([...this.arrivedIds.value].filter((id) => !shown.has(id)));
    }
  }
}

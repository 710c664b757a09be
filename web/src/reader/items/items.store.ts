import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { ArticleCache, type Article } from './article-cache.js';
import { EntryList } from './entry-list.js';
import { isBefore, type Flags, type Headline } from './entry.js';
import { useFeeds } from '../feeds/feeds.store.js';
import {
  changesSince,
  findItem,
  listRows,
  markPartRead,
  setUnread,
  undoMarking,
  type ChangedRow,
  type ListOrder,
  type Marked,
  type Matches,
  type RowPage,
  type WholeList,
} from './items-api.js';
import {
  changeFlag,
  markListRead,
  sendWaitingFlags,
  withWaitingFlags,
} from '../offline/offline-flags.js';
import { withdrawList } from '../offline/waiting-changes.js';
import type { Selection } from '../selection.js';

export type { ListOrder } from './items-api.js';

/** Fills the first screen and loads fast. */
const FIRST_PAGE = 60;
const PAGE = 200;

/** Fewer than the service lists in one answer. */
const MANY_CHANGES = 500;

/** A list that is not shown. */
const WHOLE_LIST: ListOrder = { oldestFirst: false, unreadOnly: false };

/** Items that were marked read. */
export interface MarkedItems {
  readonly count: number;
  readonly undo: () => Promise<void>;
}

/** The current list and the open article. */
export const useItems = defineStore('reader-items', () => {
  const feeds = useFeeds();

  const selection = shallowRef<Selection>({ of: 'unread' });
  const order = shallowRef<ListOrder>({ oldestFirst: false, unreadOnly: true });
  const list = new EntryList();
  const article = shallowRef<Article | null>(null);
  /** True until the first `open`, so that nothing is requested before. */
  const isLoading = ref(true);
  const hasMore = ref(true);
  const error = shallowRef<unknown>(null);
  /** Of a search. */
  const matches = shallowRef<Matches | null>(null);
  /** Items that belong to the list and arrived after it was loaded. */
  const arrivedIds = ref<ReadonlySet<number>>(new Set());
  const arrivedCount = computed(() => arrivedIds.value.size);

  let loading: AbortController | null = null;
  /** Where the list continues; null at its beginning. */
  let next: string | null = null;
  /** Earlier changes are known; 0 before the first list. */
  let since = 0;
  /** Newest item when the list was loaded. */
  let listedUpToId = 0;
  const articles = new ArticleCache();
  /** Marked unread by hand; only marking them read by hand changes them. */
  const keptUnread = new Set<number>();

  async function open(chosen: Selection, chosenOrder: ListOrder): Promise<void> {
    clear();
    isLoading.value = false;
    selection.value = chosen;
    order.value = chosenOrder;
    await loadMore();
  }

  /** Shows an empty, loading list until the next `open`. */
  function clear(): void {
    loading?.abort();
    loading = null;
    isLoading.value = true;
    error.value = null;
    list.clear();
    matches.value = null;
    next = null;
    hasMore.value = true;
    arrivedIds.value = new Set();
  }

  /** Loads the list again; the old entries stay until the new ones are loaded. */
  async function reload(): Promise<void> {
    loading?.abort();
    const feedsLoaded = feeds.load();
    const pageLoaded = loadPage(null, FIRST_PAGE, async (first, isCurrent) => {
      await feedsLoaded;
      if (isCurrent()) {
        list.clear();
        append(first);
      }
    });
    await Promise.all([feedsLoaded, pageLoaded]);
  }

  async function loadMore(): Promise<void> {
    if (isLoading.value || !hasMore.value) {
      return;
    }
    await loadPage(next, next === null ? FIRST_PAGE : PAGE, append);
  }

  /** Continues after a page failed to load. */
  async function retry(): Promise<void> {
    hasMore.value = true;
    await loadMore();
  }

  /**
   * Loads a page and adds it, unless another request replaces this one. `isLoading` ends only after
   * the page was added, because the list then decides whether it needs the next one.
   */
  async function loadPage(
    after: string | null,
    batchSize: number,
    add: (page: RowPage, isCurrent: () => boolean) => void | Promise<void>,
  ): Promise<void> {
    const aborting = new AbortController();
    const isCurrent = () => loading === aborting;
    loading = aborting;
    isLoading.value = true;
    error.value = null;
    try {
      // Otherwise a list of starred or unread items would miss the latest changes.
      await feeds.changesSent();
      if (!isCurrent()) {
        return;
      }
      const asked = { ...order.value, after, batchSize };
      const page = await listRows(selection.value, asked, aborting.signal);
      if (isCurrent()) {
        await add({ ...page, rows: withWaitingFlags(page.rows, feeds.contains) }, isCurrent);
      }
    } catch (failure) {
      if (isCurrent()) {
        error.value = failure;
        hasMore.value = false;
      }
    } finally {
      if (isCurrent()) {
        loading = null;
        isLoading.value = false;
      }
    }
  }

  function append(page: RowPage): void {
    if (page.since !== undefined) {
      since ||= page.since;
      listedUpToId = page.newestItemId ?? 0;
      matches.value = page.matches ?? null;
      arrivedIds.value = new Set();
    }
    list.append(page.rows);
    next = page.next ?? next;
    hasMore.value = page.next !== null;
    if (page.rows.some(({ id }) => arrivedIds.value.has(id))) {
      const shown = new Set(page.rows.map(({ id }) => id));
      arrivedIds.value = new Set([...arrivedIds.value].filter((id) => !shown.has(id)));
    }
  }

  /** @returns null when the item does not exist */
  async function fetchArticle(id: number): Promise<Article | null> {
    const known = articles.get(id);
    if (known !== undefined) {
      return { ...known, ...flagsOf(id, known) };
    }
    const item = await findItem(id);
    return item === null ? null : articles.add(item);
  }

  function flagsOf(id: number, known: Headline): Flags {
    const { unread, starred } = list.find(id) ?? known;
    return { unread, starred };
  }

  function knownItem(id: number): Headline | undefined {
    return list.find(id) ?? (article.value?.id === id ? article.value : articles.get(id));
  }

  function itemOf(id: number): Pick<Headline, 'id' | 'feedId'>[] {
    const item = knownItem(id);
    return item === undefined ? [] : [item];
  }

  function show(id: number, now: Flags): void {
    list.change(id, now);
    articles.change(id, now);
    if (article.value?.id === id) {
      article.value = { ...article.value, ...now };
    }
  }

  /** Optimistic: shown at once and undone when the service refuses. */
  async function changeUnread(ids: readonly number[], unread: boolean): Promise<void> {
    const changed = ids.filter((id) => knownItem(id)?.unread === !unread);
    if (changed.length === 0) {
      return;
    }
    showUnread(changed, unread);
    try {
      await feeds.whileChanging(changeFlag(changed.flatMap(itemOf), 'unread', unread));
    } catch (failure) {
      showUnread(changed, !unread);
      throw failure;
    }
  }

  function showUnread(ids: readonly number[], unread: boolean): void {
    const added = new Map<number, number>();
    for (const id of ids) {
      const feedId = knownItem(id)?.feedId;
      if (feedId !== undefined) {
        added.set(feedId, (added.get(feedId) ?? 0) + (unread ? 1 : -1));
      }
      show(id, { unread });
    }
    list.publish();
    feeds.countUnread(added);
  }

  /** Marks items read that were opened or scrolled past, except those kept unread by hand. */
  function markSeen(ids: readonly number[]): Promise<void> {
    return changeUnread(
      ids.filter((id) => !keptUnread.has(id)),
      false,
    );
  }

  function toggleUnread(id: number): Promise<void> {
    const unread = knownItem(id)?.unread === false;
    if (unread) {
      keptUnread.add(id);
    } else {
      keptUnread.delete(id);
    }
    return changeUnread([id], unread);
  }

  async function toggleStarred(id: number): Promise<void> {
    const starred = knownItem(id)?.starred === false;
    const showNow = (value: boolean) => {
      show(id, { starred: value });
      list.publish();
      feeds.countStarred(value ? 1 : -1);
    };
    showNow(starred);
    try {
      await feeds.whileChanging(changeFlag(itemOf(id), 'starred', starred));
    } catch (failure) {
      showNow(!starred);
      throw failure;
    }
  }

  /**
   * Marks a list read, except items that arrived after it was loaded.
   *
   * @returns null when nothing was unread
   */
  async function markAllRead(which: Selection): Promise<MarkedItems | null> {
    const isShown = which === selection.value;
    const unreadEntries = list.entries.value.filter(
      (entry) => entry.unread && (isShown || feeds.contains(which, entry.feedId)),
    );
    return markRead(which, isShown ? order.value : WHOLE_LIST, null, unreadEntries);
  }

  /** Marks the loaded entries before an entry read. @returns null when nothing was unread */
  async function markAboveRead(id: number): Promise<MarkedItems | null> {
    const above = list.entries.value.slice(0, Math.max(0, list.indexOf(id)));
    const ids = above.filter(({ unread }) => unread).map((entry) => entry.id);
    if (ids.length === 0) {
      return null;
    }
    await changeUnread(ids, false);
    return { count: ids.length, undo: () => changeUnread(ids, true) };
  }

  /** Marks everything after an entry read, loaded or not. @returns null when nothing was unread */
  async function markBelowRead(id: number): Promise<MarkedItems | null> {
    const entry = list.find(id);
    if (entry === undefined) {
      return null;
    }
    const below = list.entries.value.slice(list.indexOf(id) + 1).filter(({ unread }) => unread);
    return markRead(selection.value, order.value, entry.place, below);
  }

  /**
   * Marks part of a list read: what was there when it was loaded, and what it shows.
   *
   * @param shown the unread entries of that part
   */
  async function markRead(
    which: Selection,
    chosenOrder: ListOrder,
    after: string | null,
    shown: readonly Headline[],
  ): Promise<MarkedItems | null> {
    if (which.of === 'search') {
      return markFoundRead(which, after);
    }
    const newestItemId =
      which === selection.value && listedUpToId > 0 ? listedUpToId : feeds.newestItemId;
    const part = { ...chosenOrder, after };
    const later = shown.filter(({ id }) => id > newestItemId).map(({ id }) => id);
    const showAll = (unread: boolean) => {
      shown.forEach(({ id }) => show(id, { unread }));
      list.publish();
    };
    const changeAll = async <T>(unread: boolean, work: () => Promise<T>): Promise<T> => {
      showAll(unread);
      try {
        await feeds.changesSent();
        const outcome = await feeds.whileChanging(work());
        await (outcome === 'waiting' ? undefined : feeds.load());
        return outcome;
      } catch (failure) {
        showAll(!unread);
        await feeds.load();
        throw failure;
      }
    };
    if (after === null && which.of !== 'starred') {
      const inList = feeds.feeds.filter(({ id }) => feeds.contains(which, id));
      feeds.countUnread(new Map(inList.map(({ id, unreadCount }) => [id, -unreadCount])));
    }
    const outcome = await changeAll(false, async () => {
      await setUnread(later, false);
      return after === null && which.of !== 'starred'
        ? markListRead(which, newestItemId, feeds.contains)
        : { sent: await markPartRead(which, part, newestItemId) };
    });
    if (outcome === 'waiting') {
      return { count: shown.length, undo: () => withdraw(which, newestItemId, shown, showAll) };
    }
    const { marked, undo } = noteOwn(outcome.sent);
    if (marked + later.length === 0) {
      return null;
    }
    const undoAll = async () => {
      noteOwn(await undoMarking(undo));
      await setUnread(later, true);
    };
    return { count: marked + later.length, undo: () => changeAll(true, undoAll) };
  }

  /** Undoes the marking of a list that waits for a connection, or did. */
  async function withdraw(
    selectionOfMark: WholeList | { readonly of: 'starred' },
    newestItemId: number,
    shown: readonly Headline[],
    showAll: (unread: boolean) => void,
  ): Promise<void> {
    const isWithdrawn =
      selectionOfMark.of !== 'starred' &&
      withdrawList({ selection: selectionOfMark, newestItemId });
    if (!isWithdrawn) {
      await changeUnread(
        shown.map(({ id }) => id),
        true,
      );
      return;
    }
    showAll(true);
    await feeds.load();
  }

  /** The next synchronisation does not fetch thousands of changes of our own. */
  function noteOwn<Change extends Marked>(change: Change): Change {
    if (change.marked > MANY_CHANGES) {
      since = Math.max(since, change.since);
    }
    return change;
  }

  /** What a search found, which the service cannot mark as a whole. */
  async function markFoundRead(
    which: Selection,
    afterPlace: string | null,
  ): Promise<MarkedItems | null> {
    const ids: number[] = [];
    for (let after = afterPlace, isEnd = false; !isEnd;) {
      const page = await listRows(which, {
        oldestFirst: false,
        unreadOnly: true,
        after,
        batchSize: PAGE,
      });
      ids.push(...page.rows.map(({ id }) => id));
      after = page.next;
      isEnd = after === null;
    }
    if (ids.length === 0) {
      return null;
    }
    const change = async (unread: boolean) => {
      await feeds.whileChanging(setUnread(ids, unread));
      ids.forEach((id) => show(id, { unread }));
      list.publish();
      await feeds.load();
    };
    await change(false);
    return { count: ids.length, undo: () => change(true) };
  }

  /**
   * Fetches changes made elsewhere: flags are updated and new items counted, but the rows of the list
   * do not move.
   */
  async function sync(): Promise<void> {
    await feeds.whileChanging(sendWaitingFlags());
    if (since === 0) {
      await Promise.all([feeds.load(), list.entries.value.length === 0 ? reload() : undefined]);
      return;
    }
    const [changes] = await Promise.all([changesSince(since), feeds.load()]);
    since = Math.max(since, changes.since);
    if (!changes.isComplete) {
      articles.clear();
      await reload();
      return;
    }
    const arrived = new Set(arrivedIds.value);
    for (const row of changes.rows) {
      noteChanged(row);
      if (isArrival(row)) {
        arrived.add(row.id);
      } else {
        arrived.delete(row.id);
      }
    }
    list.publish();
    await announce(arrived, changes.rows);
  }

  function noteChanged({ id, unread, starred }: ChangedRow): void {
    const known = articles.get(id);
    if (known !== undefined && known.unread === unread && known.starred === starred) {
      // Its text has changed: loaded again when the article is opened the next time.
      articles.forget(id);
    }
    show(id, { unread, starred });
  }

  function isArrival(row: ChangedRow): boolean {
    return row.id > listedUpToId && list.indexOf(row.id) < 0 && belongsToList(row);
  }

  /** Items that follow the last entry of a list with the oldest first appear there. */
  async function announce(
    arrived: ReadonlySet<number>,
    rows: readonly ChangedRow[],
  ): Promise<void> {
    const last = list.entries.value.at(-1)?.place;
    if (arrived.size > 0 && last === undefined) {
      await reload();
      return;
    }
    if (last === undefined || !order.value.oldestFirst) {
      arrivedIds.value = arrived;
      return;
    }
    const following = rows.filter(
      ({ id, place }) => arrived.has(id) && isBefore(last, place, true),
    );
    if (following.length > 0) {
      next = last;
      hasMore.value = true;
    }
    const followingIds = new Set(following.map(({ id }) => id));
    arrivedIds.value = new Set([...arrived].filter((id) => !followingIds.has(id)));
  }

  function belongsToList(item: ChangedRow): boolean {
    if (selection.value.of === 'search' || (order.value.unreadOnly && !item.unread)) {
      return false;
    }
    return selection.value.of === 'starred'
      ? item.starred
      : feeds.contains(selection.value, item.feedId);
  }

  /** Needed when the texts of articles change, for example by a setting. */
  function forgetArticles(): void {
    articles.clear();
  }

  return {
    selection,
    order,
    entries: list.entries,
    article,
    isLoading,
    hasMore,
    error,
    arrivedCount,
    matches,
    indexOf: (id: number) => list.indexOf(id),
    entryOf: (id: number) => list.find(id),
    open,
    clear,
    reload,
    loadMore,
    retry,
    fetchArticle,
    forgetArticles,
    markSeen,
    toggleUnread,
    toggleStarred,
    markAllRead,
    markAboveRead,
    markBelowRead,
    sync,
  };
});

import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { ArticleCache, type Article } from './article-cache.js';
import { EntryList } from './entry-list.js';
import type { Entry } from './entry.js';
import { useFeeds } from '../feeds/feeds.store.js';
import {
  allChangesSince,
  changesSince,
  findItem,
  listItems,
  setUnread,
  type ItemJson,
} from './items-api.js';
import {
  changeFlag,
  markListRead,
  sendWaitingFlags,
  withWaitingFlags,
} from '../offline/offline-flags.js';
import { withdrawList } from '../offline/waiting-changes.js';
import type { Selection } from '../selection.js';

export interface ListOrder {
  readonly oldestFirst: boolean;
  readonly unreadOnly: boolean;
}

/** Fills the first screen and loads fast. */
const FIRST_PAGE = 60;
const PAGE = 200;

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
  /** Items that belong to the list and arrived after it was loaded. */
  const arrivedIds = ref<ReadonlySet<number>>(new Set());
  const arrivedCount = computed(() => arrivedIds.value.size);

  let loading: AbortController | null = null;
  /** Changes before this time of the service's clock are known; 0 before the first synchronisation. */
  let sinceSeconds = 0;
  /** Newest item id when the list was loaded. */
  let listedUpToId = 0;
  const articles = new ArticleCache();
  /** Marked unread by hand; only marking them read by hand changes them. */
  const keptUnread = new Set<number>();

  async function open(chosen: Selection, chosenOrder: ListOrder): Promise<void> {
    clear();
    isLoading.value = false;
    selection.value = chosen;
    order.value = chosenOrder;
    listedUpToId = feeds.newestItemId;
    await loadMore();
  }

  /** Shows an empty, loading list until the next `open`. */
  function clear(): void {
    loading?.abort();
    loading = null;
    isLoading.value = true;
    error.value = null;
    list.clear();
    hasMore.value = true;
    arrivedIds.value = new Set();
  }

  /** Loads the list again; the old entries stay until the new ones are loaded. */
  async function reload(): Promise<void> {
    loading?.abort();
    const feedsLoaded = feeds.load();
    const pageLoaded = loadPage(0, FIRST_PAGE, async (first, isCurrent) => {
      await feedsLoaded;
      if (isCurrent()) {
        list.clear();
        arrivedIds.value = new Set();
        listedUpToId = feeds.newestItemId;
        append(first, FIRST_PAGE);
      }
    });
    await Promise.all([feedsLoaded, pageLoaded]);
  }

  async function loadMore(): Promise<void> {
    if (isLoading.value || !hasMore.value) {
      return;
    }
    const size = list.entries.value.length === 0 ? FIRST_PAGE : PAGE;
    await loadPage(list.entries.value.at(-1)?.id ?? 0, size, (page) => append(page, size));
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
    offset: number,
    size: number,
    add: (page: readonly ItemJson[], isCurrent: () => boolean) => void | Promise<void>,
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
      const page = { ...order.value, offset, batchSize: size };
      const items = await listItems(selection.value, page, aborting.signal);
      if (isCurrent()) {
        await add(withWaitingFlags(items, feeds.contains), isCurrent);
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

  function append(items: readonly ItemJson[], requested: number): void {
    list.append(items);
    hasMore.value = items.length >= requested;
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

  function flagsOf(id: number, known: Entry): Pick<Entry, 'unread' | 'starred'> {
    const { unread, starred } = list.find(id) ?? known;
    return { unread, starred };
  }

  function knownItem(id: number): Entry | undefined {
    return list.find(id) ?? (article.value?.id === id ? article.value : articles.get(id));
  }

  function itemOf(id: number): Pick<Entry, 'id' | 'feedId'>[] {
    const item = knownItem(id);
    return item === undefined ? [] : [item];
  }

  function show(id: number, now: Partial<Entry>): void {
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
   * @returns undo; null when nothing was unread
   */
  async function markAllRead(which: Selection): Promise<(() => Promise<void>) | null> {
    if (which.of === 'starred' || which.of === 'search') {
      return markEachRead(which);
    }
    const seenUpToId =
      which === selection.value ? listedUpToId || feeds.newestItemId : feeds.newestItemId;
    const newestItemId = Math.max(seenUpToId, list.newestId());
    const isIncluded = (item: Pick<Entry, 'id' | 'feedId'>) =>
      item.id <= newestItemId && feeds.contains(which, item.feedId);
    const included = list.entries.value.filter(isIncluded);
    const readBefore = new Set(included.filter(({ unread }) => !unread).map(({ id }) => id));
    const unread = included.filter((entry) => entry.unread).map(({ id }) => id);
    const counts = new Map(
      feeds.feeds
        .filter(({ id, unreadCount }) => feeds.contains(which, id) && unreadCount > 0)
        .map(({ id, unreadCount }) => [id, -unreadCount]),
    );
    if (counts.size === 0 && unread.length === 0) {
      return null;
    }

    unread.forEach((id) => show(id, { unread: false }));
    list.publish();
    feeds.countUnread(counts);
    let outcome: Awaited<ReturnType<typeof markListRead>>;
    try {
      outcome = await feeds.whileChanging(markListRead(which, newestItemId, feeds.contains));
    } catch (failure) {
      unread.forEach((id) => show(id, { unread: true }));
      list.publish();
      await feeds.load();
      throw failure;
    }
    if (outcome === 'waiting') {
      return async () => {
        const isWithdrawn = withdrawList({ selection: which, newestItemId });
        if (isWithdrawn) {
          unread.forEach((id) => show(id, { unread: true }));
          list.publish();
          await feeds.load();
        } else {
          await changeUnread(unread, true);
        }
      };
    }
    const markedAtSeconds = outcome.sent;
    // Our own change, possibly the whole list, need not be fetched by the next synchronisation.
    sinceSeconds = Math.max(sinceSeconds, markedAtSeconds + 1);
    await feeds.load();
    return async () => {
      const marked = (await allChangesSince(markedAtSeconds - 2)).filter(
        (item) => !item.unread && isIncluded(item) && !readBefore.has(item.id),
      );
      const ids = [...new Set([...unread, ...marked.map(({ id }) => id)])];
      await feeds.whileChanging(setUnread(ids, true));
      ids.forEach((id) => show(id, { unread: true }));
      list.publish();
      await feeds.load();
    };
  }

  /** For lists that the service cannot mark as a whole. */
  async function markEachRead(which: Selection): Promise<(() => Promise<void>) | null> {
    const ids: number[] = [];
    for (let offset = 0; ;) {
      const page = { offset, batchSize: PAGE, oldestFirst: false, unreadOnly: true };
      const items = await listItems(which, page);
      ids.push(...items.map(({ id }) => id));
      offset = items.at(-1)?.id ?? 0;
      if (items.length < PAGE) {
        break;
      }
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
    return () => change(true);
  }

  /**
   * Fetches changes made elsewhere: flags are updated and new items counted, but the rows of the list
   * do not move.
   */
  async function sync(): Promise<void> {
    await feeds.whileChanging(sendWaitingFlags());
    const since = sinceSeconds || feeds.firstLoadedAtSeconds;
    const [changes] = await Promise.all([changesSince(since), feeds.load()]);
    // Overlap by a second, since several changes can share one.
    sinceSeconds = changes.nextSinceSeconds - 1;
    if (changes.items === null) {
      articles.clear();
      await reload();
      return;
    }
    const newest = list.newestId();
    const arrived = new Set(arrivedIds.value);
    for (const item of changes.items) {
      const { unread, starred } = item;
      show(item.id, { unread, starred });
      // Shown when the article is opened the next time.
      articles.replace(item);
      const isNew = item.id > newest && list.indexOf(item.id) < 0 && belongsToList(item);
      if (isNew) {
        arrived.add(item.id);
      } else {
        arrived.delete(item.id);
      }
    }
    list.publish();
    await announce(arrived);
  }

  async function announce(arrived: ReadonlySet<number>): Promise<void> {
    if (arrived.size === 0) {
      arrivedIds.value = arrived;
    } else if (list.entries.value.length === 0) {
      await reload();
    } else if (order.value.oldestFirst) {
      hasMore.value = true;
    } else {
      arrivedIds.value = arrived;
    }
  }

  function belongsToList(item: ItemJson): boolean {
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
    sync,
  };
});

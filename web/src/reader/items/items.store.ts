import { defineStore } from 'pinia';
import { computed, ref, shallowRef, triggerRef } from 'vue';
import { mediaOf, toEntry, type Entry } from './entry.js';
import { useFeeds } from '../feeds/feeds.store.js';
import {
  allChangesSince,
  changesSince,
  findItem,
  listItems,
  markReadUpTo,
  setStarred,
  setUnread,
  type ItemJson,
  type Selection,
} from '../news-api.js';

export interface ListOrder {
  readonly oldestFirst: boolean;
  readonly unreadOnly: boolean;
}

/** An item with everything that is shown of it. */
export interface Article extends Entry {
  readonly author: string;
  /** HTML of a stranger. */
  readonly body: string;
  readonly enclosureLink: string | null;
  readonly enclosureMime: string | null;
}

/** Enough for the first screen, so that it is there at once. */
const FIRST_PAGE = 60;
const PAGE = 200;
const READ_ARTICLES_KEPT = 40;

/** The list that is shown, and the article that is open. */
export const useItems = defineStore('reader-items', () => {
  const feeds = useFeeds();

  const selection = shallowRef<Selection>({ of: 'unread' });
  const order = shallowRef<ListOrder>({ oldestFirst: false, unreadOnly: true });
  /** In the order of the list. Replaced entries, so that whoever shows one sees it change. */
  const entries = shallowRef<Entry[]>([]);
  const article = shallowRef<Article | null>(null);
  /** Nothing is asked for until `open` says which list is meant. */
  const isLoading = ref(true);
  const hasMore = ref(true);
  const error = shallowRef<unknown>(null);
  /** Items that came since the list was loaded, and are not in it. */
  const arrivedIds = ref<ReadonlySet<number>>(new Set());
  const arrivedCount = computed(() => arrivedIds.value.size);

  let places = new Map<number, number>();
  let loading: AbortController | null = null;
  /** Which list is meant; the answer to a question about an earlier one counts no more. */
  let opened = 0;
  /** What changed before, by the service's clock, is known; 0 when nothing was asked for yet. */
  let sinceSeconds = 0;
  /** What came after this item was not to be seen when the list was loaded. */
  let listedUpToId = 0;
  const articles = new Map<number, Article>();
  /** Marked unread by hand: stay so until they are marked read by hand. */
  const keptUnread = new Set<number>();

  const indexOf = (id: number) => places.get(id) ?? -1;
  const entryOf = (id: number): Entry | undefined => entries.value[indexOf(id)];

  async function open(chosen: Selection, chosenOrder: ListOrder): Promise<void> {
    clear();
    isLoading.value = false;
    selection.value = chosen;
    order.value = chosenOrder;
    listedUpToId = feeds.newestItemId;
    await loadMore();
  }

  /** Shows an empty list that is being loaded, and loads nothing before the next `open`. */
  function clear(): void {
    opened += 1;
    loading?.abort();
    loading = null;
    isLoading.value = true;
    error.value = null;
    entries.value = [];
    places = new Map();
    hasMore.value = true;
    arrivedIds.value = new Set();
  }

  /** The same list as it is now. What is shown stays until the new list is there. */
  async function reload(): Promise<void> {
    loading?.abort();
    const feedsLoaded = feeds.load();
    const pageLoaded = loadPage(0, FIRST_PAGE, async (first, isMeant) => {
      await feedsLoaded;
      if (isMeant()) {
        entries.value = [];
        places = new Map();
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
    const size = entries.value.length === 0 ? FIRST_PAGE : PAGE;
    await loadPage(entries.value.at(-1)?.id ?? 0, size, (page) => append(page, size));
  }

  /** After a page could not be loaded. */
  async function retry(): Promise<void> {
    hasMore.value = true;
    await loadMore();
  }

  /**
   * Loads a page and has it taken in, unless something else is asked for meanwhile. Loading ends
   * when the page is taken in, not before: whoever waits for that looks at what is missing then.
   */
  async function loadPage(
    offset: number,
    size: number,
    takeIn: (page: readonly ItemJson[], isMeant: () => boolean) => void | Promise<void>,
  ): Promise<void> {
    const asking = new AbortController();
    const isMeant = () => loading === asking;
    loading = asking;
    isLoading.value = true;
    error.value = null;
    try {
      // A list of starred or unread items would lack what was changed a moment ago.
      await feeds.changesSent();
      if (!isMeant()) {
        return;
      }
      const page = { ...order.value, offset, batchSize: size };
      const items = await listItems(selection.value, page, asking.signal);
      if (isMeant()) {
        await takeIn(items, isMeant);
      }
    } catch (failure) {
      if (isMeant()) {
        error.value = failure;
        hasMore.value = false;
      }
    } finally {
      if (isMeant()) {
        loading = null;
        isLoading.value = false;
      }
    }
  }

  function append(items: readonly ItemJson[], asked: number): void {
    for (const item of items) {
      if (!places.has(item.id)) {
        places.set(item.id, entries.value.length);
        entries.value.push(toEntry(item));
      }
    }
    hasMore.value = items.length >= asked;
    triggerRef(entries);
  }

  /** @returns null when there is no such item */
  async function fetchArticle(id: number): Promise<Article | null> {
    const known = articles.get(id);
    if (known !== undefined) {
      return { ...known, ...flagsOf(id, known) };
    }
    const item = await findItem(id);
    if (item === null) {
      return null;
    }
    const found = toArticle(item);
    articles.set(id, found);
    for (const oldest of articles.keys()) {
      if (articles.size <= READ_ARTICLES_KEPT) {
        break;
      }
      articles.delete(oldest);
    }
    return found;
  }

  function flagsOf(id: number, known: Entry): Pick<Entry, 'unread' | 'starred'> {
    const { unread, starred } = entryOf(id) ?? known;
    return { unread, starred };
  }

  function knownItem(id: number): Entry | undefined {
    return entryOf(id) ?? (article.value?.id === id ? article.value : articles.get(id));
  }

  function show(id: number, now: Partial<Entry>): void {
    const at = indexOf(id);
    const entry = entries.value[at];
    if (entry !== undefined) {
      entries.value[at] = { ...entry, ...now };
    }
    const kept = articles.get(id);
    if (kept !== undefined) {
      articles.set(id, { ...kept, ...now });
    }
    if (article.value?.id === id) {
      article.value = { ...article.value, ...now };
    }
  }

  /** At once here, then at the service; taken back when that fails. */
  async function changeUnread(ids: readonly number[], unread: boolean): Promise<void> {
    const changed = ids.filter((id) => knownItem(id)?.unread === !unread);
    if (changed.length === 0) {
      return;
    }
    showUnread(changed, unread);
    try {
      await feeds.whileChanging(setUnread(changed, unread));
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
    triggerRef(entries);
    feeds.countUnread(added);
  }

  /** What opening and scrolling do: items that were marked unread by hand stay so. */
  function markSeen(ids: readonly number[]): Promise<void> {
    return changeUnread(
      ids.filter((id) => !keptUnread.has(id)),
      false,
    );
  }

  /** By hand. */
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
      triggerRef(entries);
      feeds.countStarred(value ? 1 : -1);
    };
    showNow(starred);
    try {
      await feeds.whileChanging(setStarred(id, starred));
    } catch (failure) {
      showNow(!starred);
      throw failure;
    }
  }

  /**
   * Marks a list read, but not what came while it was being looked at.
   *
   * @returns takes it back; null when nothing was unread
   */
  async function markAllRead(which: Selection): Promise<(() => Promise<void>) | null> {
    if (which.of === 'starred' || which.of === 'search') {
      return markEachRead(which);
    }
    const seenUpToId =
      which === selection.value ? listedUpToId || feeds.newestItemId : feeds.newestItemId;
    const newestItemId = Math.max(seenUpToId, ...firstAndLastIds());
    const isMeant = (item: Pick<Entry, 'id' | 'feedId'>) =>
      item.id <= newestItemId && feeds.contains(which, item.feedId);
    const meantEntries = entries.value.filter(isMeant);
    const readBefore = new Set(meantEntries.filter(({ unread }) => !unread).map(({ id }) => id));
    const unread = meantEntries.filter((entry) => entry.unread).map(({ id }) => id);
    const counts = new Map(
      feeds.feeds
        .filter(({ id, unreadCount }) => feeds.contains(which, id) && unreadCount > 0)
        .map(({ id, unreadCount }) => [id, -unreadCount]),
    );
    if (counts.size === 0 && unread.length === 0) {
      return null;
    }

    unread.forEach((id) => show(id, { unread: false }));
    triggerRef(entries);
    feeds.countUnread(counts);
    let markedAtSeconds: number;
    try {
      markedAtSeconds = await feeds.whileChanging(markReadUpTo(which, newestItemId));
    } catch (failure) {
      unread.forEach((id) => show(id, { unread: true }));
      triggerRef(entries);
      await feeds.load();
      throw failure;
    }
    // What we did ourselves need not be asked for: it may be the whole list.
    sinceSeconds = Math.max(sinceSeconds, markedAtSeconds + 1);
    await feeds.load();
    return async () => {
      const marked = (await allChangesSince(markedAtSeconds - 2)).filter(
        (item) => !item.unread && isMeant(item) && !readBefore.has(item.id),
      );
      const ids = [...new Set([...unread, ...marked.map(({ id }) => id)])];
      await feeds.whileChanging(setUnread(ids, true));
      ids.forEach((id) => show(id, { unread: true }));
      triggerRef(entries);
      await feeds.load();
    };
  }

  /** Of lists that the service cannot mark as a whole. */
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
      triggerRef(entries);
      await feeds.load();
    };
    await change(false);
    return () => change(true);
  }

  function firstAndLastIds(): number[] {
    return [entries.value[0]?.id ?? 0, entries.value.at(-1)?.id ?? 0];
  }

  /**
   * Learns what happened elsewhere: flags change where they are shown, new items are counted, and
   * nothing moves under the reader's eyes.
   */
  async function sync(): Promise<void> {
    const since = sinceSeconds || feeds.firstLoadedAtSeconds;
    const [changes] = await Promise.all([changesSince(since), feeds.load()]);
    // A second twice rather than never: several changes share it.
    sinceSeconds = changes.nextSinceSeconds - 1;
    if (changes.items === null) {
      articles.clear();
      await reload();
      return;
    }
    const newest = Math.max(...firstAndLastIds());
    const arrived = new Set(arrivedIds.value);
    for (const item of changes.items) {
      const { unread, starred } = item;
      show(item.id, { unread, starred });
      if (articles.has(item.id)) {
        // Another text is shown when the article is opened the next time.
        articles.set(item.id, toArticle(item));
      }
      const isNew = item.id > newest && !places.has(item.id) && belongsToList(item);
      if (isNew) {
        arrived.add(item.id);
      } else {
        arrived.delete(item.id);
      }
    }
    triggerRef(entries);
    await takeIn(arrived);
  }

  async function takeIn(arrived: ReadonlySet<number>): Promise<void> {
    if (arrived.size === 0) {
      arrivedIds.value = arrived;
    } else if (entries.value.length === 0) {
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

  /** After the text of articles has become another, for instance because of a setting. */
  function forgetArticles(): void {
    articles.clear();
  }

  return {
    selection,
    order,
    entries,
    article,
    isLoading,
    hasMore,
    error,
    arrivedCount,
    indexOf,
    entryOf,
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

function toArticle(item: ItemJson): Article {
  return {
    ...toEntry(item),
    author: item.author?.trim() ?? '',
    body: item.body,
    enclosureLink: item.enclosureLink,
    enclosureMime: item.enclosureMime,
    media: mediaOf(item.enclosureMime),
  };
}

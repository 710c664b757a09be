import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { undoing } from '../../host/undoing.js';
import { ArticleCache } from './article-cache.js';
import { EntryList } from './entry-list.js';
import { isBefore, type Article, type Flags } from '../model/entry.js';
import { useFeeds } from './feeds.store.js';
import {
  changesSince,
  findItem,
  findTitles,
  listRows,
  type ChangedRow,
  type ListOrder,
  type Marked,
  type Matches,
  type RowPage,
  type Headline,
} from '../model/items-api.js';
import { changeFlag, sendWaitingFlags, withWaitingFlags } from '../offline/offline-flags.js';
import type { Selection } from '../model/selection.js';
import { changeLabelsOf, type LabelChange } from '../model/labels-api.js';
import { useMarking } from './marking.js';

export type { ListOrder } from '../model/items-api.js';

/** Fills the first screen and loads fast. */
const FIRST_PAGE = 60;
const PAGE = 200;

/** The newest rows, which may get a translated title. */
const MOST_TITLES = 200;

/** Fewer than the service lists in one answer. */
const MANY_CHANGES = 500;

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
  /** Number of results; null unless the list is a search. */
  const matches = shallowRef<Matches | null>(null);
  /** Items that belong to the list and arrived after it was loaded. */
  const arrivedIds = ref<ReadonlySet<number>>(new Set());
  const arrivedCount = computed(() => arrivedIds.value.size);

  let loading: AbortController | null = null;
  /** Continuation of the list; null at its beginning. */
  let next: string | null = null;
  /** Earlier changes are known; 0 before the first list. */
  let since = 0;
  /** Newest item when the list was loaded. */
  let listedUpToId = 0;
  /** Automatic tasks may bring translated titles and summaries at any time. */
  let isAutomated = false;
  const articles = new ArticleCache();
  /** Requests for articles that are under way. */
  const fetching = new Map<number, ReturnType<typeof findItem>>();
  /** Marked unread by the user; only the user marks them read. */
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
      isAutomated ||= page.automated === true;
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
    let known = articles.get(id);
    if (known === undefined) {
      const asked = fetching.get(id) ?? findItem(id).finally(() => fetching.delete(id));
      fetching.set(id, asked);
      const item = await asked;
      if (item === null) {
        return null;
      }
      known = articles.add(item);
    }
    // Flags may have changed here since it was asked for.
    return { ...known, ...flagsOf(id, known) };
  }

  function flagsOf(id: number, known: Headline): Flags {
    const { unread, starred, labels = [] } = list.find(id) ?? known;
    return { unread, starred, labels };
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
    const sent = feeds.whileChanging(changeFlag(changed.flatMap(itemOf), 'unread', unread));
    await undoing(sent, () => showUnread(changed, !unread));
  }

  function showUnread(ids: readonly number[], unread: boolean): void {
    const added = new Map<number, number>();
    const labelled: string[] = [];
    for (const id of ids) {
      const item = knownItem(id);
      if (item !== undefined) {
        added.set(item.feedId, (added.get(item.feedId) ?? 0) + (unread ? 1 : -1));
        labelled.push(...(item.labels ?? []));
      }
      show(id, { unread });
    }
    list.publish();
    feeds.countUnread(added);
    feeds.countLabelled(labelled, unread ? 1 : -1);
  }

  /** Marks items read that were opened or scrolled past, except items that the user keeps unread. */
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
    const sent = feeds.whileChanging(changeFlag(itemOf(id), 'starred', starred));
    await undoing(sent, () => showNow(!starred));
  }

  /** Optimistic, as flags. */
  async function changeLabels(id: number, change: LabelChange): Promise<void> {
    const before = knownItem(id)?.labels ?? [];
    const kept = before.filter((name) => !change.remove.includes(name));
    const showNow = (labels: readonly string[]) => {
      show(id, { labels });
      list.publish();
    };
    showNow([...new Set([...kept, ...change.add])]);
    await undoing(feeds.whileChanging(changeLabelsOf([id], change)), () => showNow(before));
    await feeds.load();
  }

  /** The next synchronisation does not fetch thousands of changes of our own. */
  function noteOwn<Change extends Marked>(change: Change): Change {
    if (change.marked > MANY_CHANGES) {
      since = Math.max(since, change.since);
    }
    return change;
  }

  const marking = useMarking({
    list,
    listedUpToId: () => listedUpToId,
    selection,
    order,
    show,
    changeUnread,
    noteOwn,
  });

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
    if (isAutomated) {
      articles.clear();
      await showTitles();
    }
  }

  /** Shows the titles that were translated since the list was loaded. */
  async function showTitles(): Promise<void> {
    const waiting = list.entries.value.filter((entry) => entry.translatedTitle === undefined);
    const newest = waiting.map(({ id }) => id).toSorted((a, b) => b - a);
    for (const { id, translatedTitle } of await findTitles(newest.slice(0, MOST_TITLES))) {
      list.change(id, { translatedTitle });
    }
    list.publish();
  }

  function noteChanged({ id, unread, starred, labels = [] }: ChangedRow): void {
    const known = articles.get(id);
    if (
      known !== undefined &&
      known.unread === unread &&
      known.starred === starred &&
      (known.labels ?? []).join('\n') === labels.join('\n')
    ) {
      // The text has changed: reload it when the article is opened the next time.
      articles.forget(id);
    }
    show(id, { unread, starred, labels });
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
    return selection.value.of === 'starred' ? item.starred : feeds.holds(selection.value, item);
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
    changeLabels,
    /** An item of the list, or the open article. */
    knownItem,
    ...marking,
    sync,
    /** Time of the last known change; 0 before the first list. */
    knownSince: () => since,
  };
});

import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { pageLocale } from '../../host/regional-locale.js';
import { listFeeds, listFolders, type Feed, type Folder } from '../model/feeds-api.js';
import type { Headline } from '../model/items-api.js';
import { waitingStars, withWaitingCounts } from '../offline/offline-flags.js';
import { listLabels, type Label } from '../model/labels-api.js';
import type { Selection } from '../model/selection.js';

export interface FolderWithFeeds extends Folder {
  readonly feeds: readonly Feed[];
  readonly unreadCount: number;
}

/** Loading is repeated while local changes make the answer outdated, up to this many times. */
const MOST_LOADS = 4;

/** Folders and feeds with their counts, which include flag changes not yet sent. */
export const useFeeds = defineStore('reader-feeds', () => {
  const folders = shallowRef<readonly Folder[]>([]);
  const feeds = shallowRef<readonly Feed[]>([]);
  const labels = shallowRef<readonly Label[]>([]);
  const starredCount = ref(0);
  const newestItemId = ref(0);
  const isLoaded = ref(false);

  let changes = 0;
  const running = new Set<Promise<unknown>>();

  const byId = computed(() => new Map(feeds.value.map((feed) => [feed.id, feed])));
  const unreadTotal = computed(() => sumOf(feeds.value));
  const rootFeeds = computed(() => inOrder(feeds.value.filter(({ folderId }) => !folderId)));
  const tree = computed<readonly FolderWithFeeds[]>(() =>
    folders.value
      .map((folder) => {
        const inside = feeds.value.filter(({ folderId }) => folderId === folder.id);
        return { ...folder, feeds: inOrder(inside), unreadCount: sumOf(inside) };
      })
      .sort((one, other) => byName(one.name, other.name)),
  );

  async function load(): Promise<void> {
    for (let loads = 1; ; loads += 1) {
      const before = changes;
      const [foldersNow, feedsNow, labelsNow] = await Promise.all([
        listFolders(),
        listFeeds(),
        listLabels(),
      ]);
      const isOutdated = before !== changes || running.size > 0;
      if (!isOutdated || loads === MOST_LOADS) {
        folders.value = foldersNow;
        labels.value = labelsNow;
        feeds.value = feedsNow.feeds;
        // `contains` needs the feeds.
        feeds.value = withWaitingCounts(feedsNow.feeds, contains);
        starredCount.value = Math.max(0, feedsNow.starredCount + waitingStars());
        newestItemId.value = feedsNow.newestItemId ?? 0;
        isLoaded.value = true;
        return;
      }
      await Promise.allSettled(running);
    }
  }

  /** Marks a change as pending: counts from the service may be outdated until it is done. */
  async function whileChanging<T>(work: Promise<T>): Promise<T> {
    changes += 1;
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
      changes += 1;
    }
  }

  /** Resolves when all pending changes have been accepted or refused. */
  async function changesSent(): Promise<void> {
    await Promise.allSettled(running);
  }

  /** @param added change of the unread count by feed id; negative for items marked read */
  function countUnread(added: ReadonlyMap<number, number>): void {
    feeds.value = feeds.value.map((feed) => {
      const more = added.get(feed.id);
      return more === undefined
        ? feed
        : { ...feed, unreadCount: Math.max(0, feed.unreadCount + more) };
    });
  }

  /** @param names of labels, each as often as an item has it */
  function countLabelled(names: readonly string[], added: 1 | -1): void {
    if (names.length > 0) {
      const more = (name: string) => added * names.filter((one) => one === name).length;
      labels.value = labels.value.map((label) => ({
        ...label,
        unreadCount: Math.max(0, label.unreadCount + more(label.name)),
      }));
    }
  }

  function countStarred(added: number): void {
    starredCount.value = Math.max(0, starredCount.value + added);
  }

  function contains(selection: Selection, feedId: number): boolean {
    switch (selection.of) {
      case 'feed':
        return selection.feedId === feedId;
      case 'folder':
        return byId.value.get(feedId)?.folderId === selection.folderId;
      case 'label':
        return false;
      default:
        return true;
    }
  }

  /** Whether an item is in the list of a feed, folder or label, or in another list of all feeds. */
  function holds(selection: Selection, item: Pick<Headline, 'feedId' | 'labels'>): boolean {
    return selection.of === 'label'
      ? item.labels?.includes(nameOf(selection) ?? '') === true
      : contains(selection, item.feedId);
  }

  /** The name of a feed, folder or label; undefined for other lists. */
  function nameOf(selection: Selection | undefined): string | undefined {
    switch (selection?.of) {
      case 'feed':
        return byId.value.get(selection.feedId)?.title;
      case 'folder':
        return folders.value.find(({ id }) => id === selection.folderId)?.name;
      case 'label':
        return labels.value.find(({ id }) => id === selection.labelId)?.name;
      default:
        return undefined;
    }
  }

  return {
    folders,
    feeds,
    labels,
    starredCount,
    newestItemId,
    isLoaded,
    byId,
    unreadTotal,
    rootFeeds,
    tree,
    load,
    whileChanging,
    changesSent,
    countUnread,
    countLabelled,
    countStarred,
    contains,
    holds,
    nameOf,
  };
});

/** "Bulk 20" comes before "Bulk 100". */
const byName = new Intl.Collator(pageLocale(), { numeric: true }).compare;

function sumOf(feeds: readonly Feed[]): number {
  return feeds.reduce((sum, { unreadCount }) => sum + unreadCount, 0);
}

function inOrder(feeds: readonly Feed[]): readonly Feed[] {
  return feeds.toSorted(
    (one, other) => Number(other.pinned) - Number(one.pinned) || byName(one.title, other.title),
  );
}

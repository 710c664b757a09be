import { defineStore } from 'pinia';
import { computed } from 'vue';
import { findItem, listRows, markPartRead, setUnread, undoMarking } from '../model/items-api.js';
import { changeLabelsOf } from '../model/labels-api.js';
import { changeFlag, markListRead, withdrawList } from '../offline/offline-flags.js';
import { waitingChanges } from '../offline/waiting-changes.js';
import { withWaitingFlags } from '../offline/waiting-rules.js';
import { useFeeds } from './feeds.store.js';
import { ItemFlags } from './item-flags.js';
import { ListPages } from './list-pages.js';
import { LoadedItems } from './loaded-items.js';
import { Marking } from './marking.js';
import { synchronize } from './syncing.js';

const MARKING = { listRows, markPartRead, setUnread, undoMarking, markListRead, withdrawList };

/** The current list and the open article. */
export const useItems = defineStore('reader-items', () => {
  const feeds = useFeeds();
  const items = new LoadedItems(findItem);
  const pages = new ListPages(items.list, feeds, async (...asked) => {
    const page = await listRows(...asked);
    return { ...page, rows: withWaitingFlags(waitingChanges.value, page.rows, feeds.contains) };
  });
  const flags = new ItemFlags(items, feeds, changeFlag, changeLabelsOf);
  const marking = new Marking(pages, items, flags, feeds, MARKING);

  return {
    selection: pages.selection,
    order: pages.order,
    entries: items.list.entries,
    article: items.article,
    isLoading: pages.isLoading,
    hasMore: pages.hasMore,
    error: pages.error,
    arrivedCount: computed(() => pages.arrivedIds.value.size),
    found: pages.found,
    hiddenCount: pages.hiddenCount,
    indexOf: (id: number) => items.list.indexOf(id),
    entryOf: (id: number) => items.list.find(id),
    open: pages.open,
    clear: pages.clear,
    reload: pages.reload,
    loadMore: pages.loadMore,
    retry: pages.retry,
    fetchArticle: items.fetchArticle,
    /** Needed when the texts of articles change, for example by a setting. */
    forgetArticles: () => items.articles.clear(),
    markSeen: flags.markSeen,
    toggleUnread: flags.toggleUnread,
    toggleStarred: flags.toggleStarred,
    changeLabels: flags.changeLabels,
    /** An item of the list, or the open article. */
    knownItem: (id: number) => items.find(id),
    markAllRead: marking.markAllRead,
    markAboveRead: marking.markAboveRead,
    markBelowRead: marking.markBelowRead,
    sync: () => synchronize(pages, items),
    /** Time of the last known change; 0 before the first list. */
    knownSince: () => pages.since,
  };
});

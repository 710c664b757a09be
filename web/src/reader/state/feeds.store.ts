import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { pageLocale } from '../../host/regional-locale.js';
import { listFeeds, listFolders, type Feed, type Folder } from '../model/feeds-api.js';
import type { Headline } from '../model/items-api.js';
import { listLabels, type Label } from '../model/labels-api.js';
import type { Selection } from '../model/selection.js';
import { waitingChanges } from '../offline/waiting-changes.js';
import { waitingStars, withWaitingCounts } from '../offline/waiting-rules.js';
import { ChangesUnderWay } from './changes-under-way.js';
import * as rules from './feed-rules.js';

export type FeedsStore = ReturnType<typeof useFeeds>;

/** Folders and feeds with their counts, which include flag changes not yet sent. */
export const useFeeds = defineStore('reader-feeds', () => {
  const folders = shallowRef<readonly Folder[]>([]);
  const feeds = shallowRef<readonly Feed[]>([]);
  const labels = shallowRef<readonly Label[]>([]);
  const starredCount = ref(0);
  const newestItemId = ref(0);
  const isLoaded = ref(false);
  const { latest, whileChanging, changesSent } = new ChangesUnderWay();

  const byId = computed(() => new Map(feeds.value.map((feed) => [feed.id, feed])));
  const known = () => ({ byId: byId.value, folders: folders.value, labels: labels.value });
  const contains = (selection: Selection, id: number) => rules.contains(selection, id, byId.value);

  async function load(): Promise<void> {
    const ask = () => Promise.all([listFolders(), listFeeds(), listLabels()]);
    const [foldersNow, feedsNow, labelsNow] = await latest(ask);
    const waiting = waitingChanges.value;
    folders.value = foldersNow;
    labels.value = labelsNow;
    feeds.value = feedsNow.feeds;
    // `contains` needs the feeds.
    feeds.value = withWaitingCounts(waiting, feedsNow.feeds, contains);
    starredCount.value = Math.max(0, feedsNow.starredCount + waitingStars(waiting));
    newestItemId.value = feedsNow.newestItemId ?? 0;
    isLoaded.value = true;
  }

  return {
    folders,
    feeds,
    labels,
    starredCount,
    newestItemId,
    isLoaded,
    byId,
    unreadTotal: computed(() => rules.unreadIn(feeds.value)),
    rootFeeds: computed(() =>
      rules.inOrder(
        feeds.value.filter((feed) => !feed.folderId),
        byName,
      ),
    ),
    tree: computed(() => rules.treeOf(folders.value, feeds.value, byName)),
    load,
    whileChanging,
    changesSent,
    countUnread: (added: ReadonlyMap<number, number>) =>
      (feeds.value = rules.withUnread(feeds.value, added)),
    countLabelled: (names: readonly string[], added: 1 | -1) =>
      (labels.value = rules.withLabelled(labels.value, names, added)),
    countStarred: (added: number) => (starredCount.value = Math.max(0, starredCount.value + added)),
    contains,
    holds: (selection: Selection, item: Pick<Headline, 'feedId' | 'labels'>) =>
      rules.holds(selection, item, known()),
    nameOf: (selection: Selection | undefined) => rules.nameOf(selection, known()),
  };
});

/** "Bulk 20" comes before "Bulk 100". */
const byName = new Intl.Collator(pageLocale(), { numeric: true }).compare;

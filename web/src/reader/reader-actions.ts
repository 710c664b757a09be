import { useI18n, type ComposerTranslation } from 'vue-i18n';
import { useRoute, useRouter } from 'vue-router';
import { useToasts } from '../parts/toasts.store.js';
import { useCounts } from './model/counts.js';
import {
  changeFeed,
  isAddedTo,
  removeFeed,
  removeFolder,
  restoreFeed,
  restoreFolder,
  type Feed,
  type FeedSettings,
  type Folder,
} from './model/feeds-api.js';
import { changeLabelsOf, removeLabel, type Label, type LabelChange } from './model/labels-api.js';
import type { RefreshResult } from './model/refresh-api.js';
import { addSearch, removeSearch, type SavedSearch } from './model/search-api.js';
import { keyOf, placeOf, selectionOf, type Selection } from './model/selection.js';
import { useFeeds } from './state/feeds.store.js';
import { useItems } from './state/items.store.js';
import type { MarkedItems } from './state/marking.js';
import { useRefresh } from './state/refresh.store.js';
import { useSearches } from './state/searches.store.js';

/** Limit of failing feeds that are named. */
const MOST_NAMED = 3;

type OfferUndo = (text: string, undo: () => Promise<unknown>) => void;

/** Actions that several components offer, with a toast about the outcome. */
export function useReaderActions() {
  const { t } = useI18n();
  const toasts = useToasts();
  const { attempt } = toasts;
  const feeds = useFeeds();
  const items = useItems();

  const offerUndo: OfferUndo = (text, undo) =>
    toasts.show(text, { action: { label: t('reader.undo'), run: () => void attempt(undo) } });

  function marking(
    mark: () => Promise<MarkedItems | null>,
    describe = (count: number) => t('reader.marked.read', count),
  ): Promise<boolean> {
    return attempt(async () => {
      const marked = await mark();
      if (marked === null) {
        toasts.show(t('reader.nothingUnread'));
      } else {
        offerUndo(describe(marked.count), marked.undo);
      }
    });
  }

  return {
    attempt,
    markAllRead: (selection: Selection) =>
      marking(
        () => items.markAllRead(selection),
        () => t('reader.markedAllRead'),
      ),
    markAboveRead: (id: number) => marking(() => items.markAboveRead(id)),
    markBelowRead: (id: number) => marking(() => items.markBelowRead(id)),
    ...useRemovals(offerUndo),
    deleteSearch: useSearchRemoval(offerUndo),
    changeLabels: (id: number, change: LabelChange) =>
      attempt(() => items.changeLabels(id, change)),
    changeSettings: (feed: Feed, settings: FeedSettings) =>
      attempt(async () => {
        await feeds.whileChanging(changeFeed(feed.id, settings));
        await feeds.load();
      }),
    refresh: useListRefresh(),
    toggleUnread: (id: number) => attempt(() => items.toggleUnread(id)),
    toggleStarred: (id: number) => attempt(() => items.toggleStarred(id)),
    markSeen: (ids: readonly number[]) => attempt(() => items.markSeen(ids)),
  };
}

/** Removals that can be undone. `isGone`: whether a list goes with what is removed. */
function useRemovals(offerUndo: OfferUndo) {
  const { t } = useI18n();
  const { attempt } = useToasts();
  const feeds = useFeeds();
  const items = useItems();
  const leave = useLeaving();

  async function carryOut(
    text: string,
    remove: () => Promise<unknown>,
    restore: () => Promise<unknown>,
    isGone: (shown: Selection) => boolean,
  ): Promise<void> {
    if (await attempt(() => feeds.whileChanging(remove()))) {
      offerUndo(text, () => restore().then(items.reload));
      await leave(isGone);
      await attempt(items.reload);
    }
  }

  return {
    deleteFeed: ({ id, title }: Feed) =>
      carryOut(
        t('reader.feedDeleted', { title }),
        () => removeFeed(id),
        () => restoreFeed(id),
        (shown) => shown.of === 'feed' && shown.feedId === id,
      ),
    deleteFolder({ id, name }: Folder) {
      const inside = feeds.feeds.filter(({ folderId }) => folderId === id);
      return carryOut(
        t('reader.folderDeleted', { name, count: inside.length }),
        () => removeFolder(id),
        () => restoreFolder(id),
        (shown) =>
          (shown.of === 'folder' && shown.folderId === id) ||
          (shown.of === 'feed' && inside.some((feed) => feed.id === shown.feedId)),
      );
    },
    deleteLabel: (label: Label) =>
      attempt(async () => {
        const { name, itemIds } = await feeds.whileChanging(removeLabel(label.id));
        offerUndo(t('reader.labels.deleted', { name }), async () => {
          await changeLabelsOf(itemIds, { add: [name], remove: [] });
          await items.reload();
        });
        await leave((shown) => shown.of === 'label' && shown.labelId === label.id);
        await items.reload();
      }),
  };
}

function useSearchRemoval(offerUndo: OfferUndo) {
  const { t } = useI18n();
  const { attempt } = useToasts();
  const searches = useSearches();
  const leave = useLeaving();

  return ({ id, name, query, inClients }: SavedSearch) =>
    attempt(async () => {
      await removeSearch(id);
      offerUndo(t('reader.searches.deleted', { name }), async () => {
        await addSearch({ name, query, inClients });
        await searches.load();
      });
      await leave((shown) => shown.of === 'search' && shown.searchId === id);
      await searches.load();
    });
}

/** Leaves the shown list if it is gone. */
function useLeaving() {
  const route = useRoute();
  const router = useRouter();
  return async (isGone: (shown: Selection) => boolean) => {
    if (isGone(selectionOf(route))) {
      await router.push(placeOf({ of: 'unread' }));
    }
  };
}

/** Fetches the feeds of a list and shows the result. Does nothing while a refresh is running. */
function useListRefresh(): (selection: Selection) => Promise<boolean> {
  const { t } = useI18n();
  const toasts = useToasts();
  const route = useRoute();
  const feeds = useFeeds();
  const items = useItems();
  const refreshing = useRefresh();
  const counted = useCounts();

  return async (selection) => {
    if (refreshing.isRunning) {
      return false;
    }
    const feed = selection.of === 'feed' ? feeds.byId.get(selection.feedId) : undefined;
    if (feed !== undefined && isAddedTo(feed)) {
      return toasts.attempt(() => items.reload());
    }
    return toasts.attempt(async () => {
      const result = await refreshing.run(selection);
      const isStillShown = keyOf(selectionOf(route)) === keyOf(selection);
      await (isStillShown ? items.reload() : items.sync());
      const isFailure = result.failures.length > 0 && result.newItems === 0;
      toasts.show(refreshText(result, t, counted), { kind: isFailure ? 'error' : 'info' });
    });
  };
}

function refreshText(
  { feeds, asked, newItems, newFeeds, failures, fresh, resting, left }: RefreshResult,
  t: ComposerTranslation,
  counted: (count: number) => string,
): string {
  const [failure] = failures;
  const news =
    newFeeds > 1
      ? t('reader.refreshed.newFrom', { n: counted(newItems), feeds: counted(newFeeds) })
      : t('reader.refreshed.new', { n: counted(newItems) }, newItems);
  const parts = [
    ...(asked > failures.length || newItems > 0 ? [news] : []),
    ...(failure !== undefined && failures.length === 1
      ? [t('reader.refreshed.failed', failure)]
      : []),
    ...(failures.length > 1
      ? [t('reader.refreshed.failedNamed', { names: namesOf(failures) }, failures.length)]
      : []),
    ...(resting > 0 ? [t('reader.refreshed.resting', resting)] : []),
    ...(left > 0 ? [t('reader.refreshed.left', left)] : []),
  ];
  if (parts.length > 0) {
    const recent = fresh > 0 ? [t('reader.refreshed.recent', fresh)] : [];
    return [...parts, ...recent].join(' · ');
  }
  return t(fresh > 0 && feeds > 0 ? 'reader.refreshed.fresh' : 'reader.refreshed.nothing');
}

function namesOf(failures: RefreshResult['failures']): string {
  const names = failures.slice(0, MOST_NAMED).map(({ title }) => title);
  return names.join(', ') + (failures.length > MOST_NAMED ? ', …' : '');
}

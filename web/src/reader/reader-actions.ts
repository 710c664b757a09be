import { useI18n } from 'vue-i18n';
import { useRoute, useRouter } from 'vue-router';
import { useToasts } from '../parts/toasts.store.js';
import { useCounts } from './model/counts.js';
import { useFeeds } from './state/feeds.store.js';
import { useItems } from './state/items.store.js';
import type { MarkedItems } from './state/marking.js';
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
import type { RefreshResult } from './model/refresh-api.js';
import { changeLabelsOf, removeLabel, type Label, type LabelChange } from './model/labels-api.js';
import { keyOf, placeOf, selectionOf, type Selection } from './model/selection.js';
import { useRefresh } from './state/refresh.store.js';

/** Limit of failing feeds that are named. */
const MOST_NAMED = 3;

/** Actions that several components offer, with a toast about the outcome. */
export function useReaderActions() {
  const { t } = useI18n();
  const route = useRoute();
  const router = useRouter();
  const toasts = useToasts();
  const { attempt } = toasts;
  const feeds = useFeeds();
  const items = useItems();
  const refreshing = useRefresh();
  const counted = useCounts();

  function offerUndo(text: string, undo: () => Promise<unknown>): void {
    toasts.show(text, {
      action: { label: t('reader.undo'), run: () => void attempt(undo) },
    });
  }

  async function markAllRead(selection: Selection): Promise<void> {
    await attempt(async () => {
      offerUndoOf(await items.markAllRead(selection), () => t('reader.markedAllRead'));
    });
  }

  const markAboveRead = (id: number) =>
    attempt(async () => offerUndoOf(await items.markAboveRead(id)));
  const markBelowRead = (id: number) =>
    attempt(async () => offerUndoOf(await items.markBelowRead(id)));

  function offerUndoOf(
    marked: MarkedItems | null,
    describe = (count: number) => t('reader.marked.read', count),
  ): void {
    if (marked === null) {
      toasts.show(t('reader.nothingUnread'));
      return;
    }
    offerUndo(describe(marked.count), marked.undo);
  }

  async function leave(isGone: (shown: Selection) => boolean): Promise<void> {
    if (isGone(selectionOf(route))) {
      await router.push(placeOf({ of: 'unread' }));
    }
  }

  async function deleteFeed(feed: Feed): Promise<void> {
    const isDone = await attempt(() => feeds.whileChanging(removeFeed(feed.id)));
    if (isDone) {
      offerUndo(t('reader.feedDeleted', { title: feed.title }), async () => {
        await restoreFeed(feed.id);
        await items.reload();
      });
      await leave((shown) => shown.of === 'feed' && shown.feedId === feed.id);
      await attempt(() => items.reload());
    }
  }

  async function deleteFolder(folder: Folder): Promise<void> {
    const inside = feeds.feeds.filter(({ folderId }) => folderId === folder.id);
    const isDone = await attempt(() => feeds.whileChanging(removeFolder(folder.id)));
    if (isDone) {
      const text = t('reader.folderDeleted', { name: folder.name, count: inside.length });
      offerUndo(text, async () => {
        await restoreFolder(folder.id);
        await items.reload();
      });
      await leave(
        (shown) =>
          keyOf(shown) === keyOf({ of: 'folder', folderId: folder.id }) ||
          (shown.of === 'feed' && inside.some(({ id }) => id === shown.feedId)),
      );
      await attempt(() => items.reload());
    }
  }

  async function deleteLabel(label: Label): Promise<void> {
    await attempt(async () => {
      const { name, itemIds } = await feeds.whileChanging(removeLabel(label.id));
      offerUndo(t('reader.labels.deleted', { name }), async () => {
        await changeLabelsOf(itemIds, { add: [name], remove: [] });
        await items.reload();
      });
      await leave((shown) => shown.of === 'label' && shown.labelId === label.id);
      await items.reload();
    });
  }

  const changeLabels = (id: number, change: LabelChange) =>
    attempt(() => items.changeLabels(id, change));

  function changeSettings(feed: Feed, settings: FeedSettings): Promise<boolean> {
    return attempt(async () => {
      await feeds.whileChanging(changeFeed(feed.id, settings));
      await feeds.load();
    });
  }

  /** Fetches the feeds of a list and shows the result. Does nothing while a refresh is running. */
  async function refresh(selection: Selection): Promise<boolean> {
    if (refreshing.isRunning) {
      return false;
    }
    const feed = selection.of === 'feed' ? feeds.byId.get(selection.feedId) : undefined;
    if (feed !== undefined && isAddedTo(feed)) {
      return attempt(() => items.reload());
    }
    return attempt(async () => {
      const result = await refreshing.run(selection);
      const isStillShown = keyOf(selectionOf(route)) === keyOf(selection);
      await (isStillShown ? items.reload() : items.sync());
      const isFailure = result.failures.length > 0 && result.newItems === 0;
      toasts.show(describeRefresh(result), { kind: isFailure ? 'error' : 'info' });
    });
  }

  function describeRefresh({ feeds, asked, newItems, newFeeds, ...result }: RefreshResult): string {
    const { failures, fresh, resting, left } = result;
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

  const toggleUnread = (id: number) => attempt(() => items.toggleUnread(id));
  const toggleStarred = (id: number) => attempt(() => items.toggleStarred(id));
  const markSeen = (ids: readonly number[]) => attempt(() => items.markSeen(ids));

  return {
    attempt,
    markAllRead,
    markAboveRead,
    markBelowRead,
    deleteFeed,
    deleteFolder,
    deleteLabel,
    changeLabels,
    changeSettings,
    refresh,
    toggleUnread,
    toggleStarred,
    markSeen,
  };
}

function namesOf(failures: RefreshResult['failures']): string {
  const names = failures.slice(0, MOST_NAMED).map(({ title }) => title);
  return names.join(', ') + (failures.length > MOST_NAMED ? ', …' : '');
}

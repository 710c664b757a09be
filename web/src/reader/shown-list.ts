import { computed, reactive, shallowRef, watch } from 'vue';
import { useI18n } from 'vue-i18n';
import { useRoute } from 'vue-router';
import { FEED_ORDERS } from './model/feeds-api.js';
import type { ListOrder } from './model/items-api.js';
import { preferences } from './model/preferences.js';
import { keyOf, selectionOf, type Selection } from './model/selection.js';
import { useFeeds } from './state/feeds.store.js';
import { useSearches } from './state/searches.store.js';

export type ShownList = ReturnType<typeof useShownList>;

/** Entry of `preferences.orderOf`; feeds have settings of their own. */
export function orderKeyOf(selection: Selection): string {
  switch (selection.of) {
    case 'folder':
      return `folder-${selection.folderId}`;
    case 'label':
      return `label-${selection.labelId}`;
    default:
      return selection.of;
  }
}

/** The list that the address names, with its title, order and feed. */
export function useShownList() {
  const { t } = useI18n();
  const route = useRoute();
  const feeds = useFeeds();
  const searches = useSearches();

  /** Keeps its identity while the address names the same list. */
  const selection = shallowRef<Selection>(selectionOf(route));
  watch(
    () => route.fullPath,
    () => {
      const now = selectionOf(route);
      if (route.meta['list'] !== undefined && keyOf(now) !== keyOf(selection.value)) {
        selection.value = now;
      }
    },
  );

  const feed = computed(() =>
    selection.value.of === 'feed' ? feeds.byId.get(selection.value.feedId) : undefined,
  );
  const title = computed(() => {
    switch (selection.value.of) {
      case 'feed':
        return feed.value?.title ?? (feeds.isLoaded ? t('reader.unknownFeed') : '');
      case 'folder':
      case 'label':
        return feeds.nameOf(selection.value) ?? '';
      case 'search':
        return selection.value.searchId === undefined
          ? t('reader.foundFor', { query: selection.value.query })
          : (searches.find(selection.value.searchId)?.name ?? '');
      default:
        return t(`reader.list.${selection.value.of}`);
    }
  });
  const oldestFirst = computed(() => {
    if (selection.value.of === 'search') {
      return false;
    }
    const ordering = feed.value?.ordering ?? FEED_ORDERS.asTheList;
    if (ordering !== FEED_ORDERS.asTheList) {
      return ordering === FEED_ORDERS.oldestFirst;
    }
    const chosen = preferences.orderOf[orderKeyOf(selection.value)];
    return chosen === undefined ? preferences.oldestFirst : chosen === 'oldest';
  });
  const canHideRead = computed(() => ['feed', 'folder', 'label'].includes(selection.value.of));
  const order = computed<ListOrder>(() => ({
    oldestFirst: oldestFirst.value,
    unreadOnly: selection.value.of === 'unread' || (canHideRead.value && preferences.hideRead),
  }));

  return reactive({ selection, feed, title, oldestFirst, canHideRead, order });
}

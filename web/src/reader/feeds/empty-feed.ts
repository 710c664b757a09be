import { computed, shallowRef, watch } from 'vue';
import { useI18n } from 'vue-i18n';
import { useDates } from '../model/dates.js';
import { feedStatus, type FeedStatus } from '../model/feeds-api.js';
import type { Selection } from '../model/selection.js';
import { useFeeds } from '../state/feeds.store.js';

interface EmptyText {
  readonly title: string;
  readonly text: string;
}

/**
 * Why the list of a feed is empty: there is no such feed, or it was not read yet. Null for other lists, and
 * for feeds that are merely empty.
 */
export function useEmptyFeed(selection: () => Selection, isEmpty: () => boolean) {
  const { t } = useI18n();
  const dates = useDates();
  const feeds = useFeeds();
  const status = shallowRef<FeedStatus | null>(null);
  const feedId = computed(() => {
    const now = selection();
    return now.of === 'feed' ? now.feedId : null;
  });
  const feed = computed(() => feeds.byId.get(feedId.value ?? 0));

  watch(
    () => [isEmpty() ? feed.value?.id : undefined, feed.value?.nextUpdateTime] as const,
    async ([id]) => {
      status.value = null;
      const now = id === undefined ? null : await feedStatus(id).catch(() => null);
      if (id === feed.value?.id) {
        status.value = now;
      }
    },
    { immediate: true },
  );

  return computed<EmptyText | null>(() => {
    if (feedId.value === null || !feeds.isLoaded) {
      return null;
    }
    if (feed.value === undefined) {
      return { title: t('reader.empty.noFeed'), text: t('reader.empty.noFeedText') };
    }
    if (status.value?.lastUpdateTime !== null) {
      return null;
    }
    const { nextUpdateTime } = status.value;
    const text =
      nextUpdateTime === null
        ? ''
        : t('reader.empty.neverReadText', { time: dates.exact(nextUpdateTime) });
    return { title: t('reader.empty.neverRead'), text };
  });
}

import { computed, type ComputedRef } from 'vue';
import type { Feed } from '../model/feeds-api.js';
import { preferences } from '../model/preferences.js';
import type { Selection } from '../model/selection.js';
import type { FolderWithFeeds } from '../state/feed-rules.js';
import { useFeeds } from '../state/feeds.store.js';

/** The visible part of the tree: everything, or unread and open feeds. */
export interface ShownFeeds {
  readonly folders: ComputedRef<readonly FolderWithFeeds[]>;
  readonly rootFeeds: ComputedRef<readonly Feed[]>;
  /** All feeds from top to bottom, including feeds in closed folders. */
  readonly inOrder: ComputedRef<readonly Feed[]>;
}

export function useShownFeeds(selection: () => Selection): ShownFeeds {
  const feeds = useFeeds();

  function isShown(feed: Feed): boolean {
    const open = selection();
    return (
      !preferences.hideReadFeeds ||
      feed.unreadCount > 0 ||
      (open.of === 'feed' && open.feedId === feed.id)
    );
  }

  const folders = computed(() => {
    const open = selection();
    return feeds.tree
      .map((folder) => ({ ...folder, feeds: folder.feeds.filter(isShown) }))
      .filter(
        ({ id, feeds: inside }) =>
          !preferences.hideReadFeeds ||
          inside.length > 0 ||
          (open.of === 'folder' && open.folderId === id),
      );
  });
  const rootFeeds = computed(() => feeds.rootFeeds.filter(isShown));
  const inOrder = computed(() => [
    ...folders.value.flatMap(({ feeds: inside }) => inside),
    ...rootFeeds.value,
  ]);
  return { folders, rootFeeds, inOrder };
}

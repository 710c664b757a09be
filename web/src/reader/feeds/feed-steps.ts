import type { Feed } from '../model/feeds-api.js';
import type { Selection } from '../model/selection.js';

/**
 * The feed after or before the open list, in the order of the tree.
 *
 * @param feeds in the order of the tree
 * @returns undefined at the end
 */
export function feedBeside(feeds: readonly Feed[], open: Selection, by: 1 | -1): Feed | undefined {
  const first = firstOf(feeds, open);
  if (open.of === 'feed') {
    return feeds[first + by];
  }
  return first < 0 ? feeds.at(by === 1 ? 0 : -1) : feeds[by === 1 ? first : first - 1];
}

/** The next feed with unread articles, from the beginning again after the last one. */
export function nextUnreadFeed(feeds: readonly Feed[], open: Selection): Feed | undefined {
  const from = firstOf(feeds, open) + (open.of === 'feed' ? 1 : 0);
  const at = Math.max(0, from);
  return [...feeds.slice(at), ...feeds.slice(0, at)].find(
    ({ id, unreadCount }) => unreadCount > 0 && !(open.of === 'feed' && open.feedId === id),
  );
}

/** Index of the feed of the list, or of the first one in its folder; -1 for other lists. */
function firstOf(feeds: readonly Feed[], open: Selection): number {
  return feeds.findIndex(
    ({ id, folderId }) =>
      (open.of === 'feed' && open.feedId === id) ||
      (open.of === 'folder' && open.folderId === folderId),
  );
}

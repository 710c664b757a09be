import type { NewsEvent, NewsEventFeed, NewsEventItem } from '../../common/ports/news-events.js';
import { NEWS_EVENT, type EventsListenerFields } from './events-listener.js';

type Wishes = Pick<EventsListenerFields, 'feedUrls' | 'folderNames' | 'withBodies'>;

/**
 * The body that the handler of a listener receives.
 *
 * @param items of the event that still exist
 * @returns null when the listener wants nothing of it
 */
export function toNewsEventPayload(
  { subtype, userId, itemIds, feed }: NewsEvent,
  items: readonly NewsEventItem[],
  wishes: Wishes,
) {
  const about = feed === null ? aboutItems(itemIds, items, wishes) : aboutFeed(feed, wishes);
  return (
    about && {
      event_type: NEWS_EVENT,
      event_subtype: subtype,
      event_data: { user_id: userId, ...about },
    }
  );
}

function aboutItems(itemIds: readonly number[], items: readonly NewsEventItem[], wishes: Wishes) {
  const found = new Set(items.map(({ id }) => id));
  const goneItemIds = itemIds.filter((id) => !found.has(id));
  const wanted = items.filter(({ feedUrl, folder }) => matches(wishes, feedUrl, folder));
  if (wanted.length === 0 && goneItemIds.length === 0) {
    return null;
  }
  return {
    items: wanted.map(({ body, ...item }) => (wishes.withBodies ? { ...item, body } : item)),
    ...(goneItemIds.length > 0 && { goneItemIds }),
  };
}

function aboutFeed(feed: NewsEventFeed, wishes: Wishes) {
  return matches(wishes, feed.url, feed.folder) || isGoneWithFolder(feed) ? { feed } : null;
}

/** Feeds of any of the addresses, and all feeds of any of the folders. */
function matches(
  { feedUrls, folderNames }: Wishes,
  feedUrl: string,
  folder: string | null,
): boolean {
  const isFiltered = feedUrls.length + folderNames.length > 0;
  return (
    !isFiltered || feedUrls.includes(feedUrl) || (folder !== null && folderNames.includes(folder))
  );
}

/** The name of a folder that was deleted with the feed is not known any more. */
function isGoneWithFolder({ folderId, folder }: NewsEventFeed): boolean {
  return folderId !== null && folder === null;
}

import { titleOrHost } from '../../news.wire.js';
import type { Feed } from './subscriptions.repository.js';

/** @see docs/spec/feed-reader-api.md "Feed" */
export function toFeedJson(feed: Feed): object {
  return {
    id: feed.id,
    url: feed.url,
    title: titleOrHost(feed.title, feed.url),
    faviconLink: feed.iconUrl,
    added: feed.addedSeconds,
    nextUpdateTime: feed.nextUpdateSeconds,
    folderId: feed.folderId,
    unreadCount: feed.unreadCount,
    ordering: feed.ordering,
    link: feed.link ?? '',
    pinned: feed.pinned,
    fullTextEnabled: feed.fullText,
    updateMode: feed.updateMode,
    updateErrorCount: feed.updateErrorCount,
    lastUpdateError: feed.lastUpdateError,
    items: [],
  };
}

/** The answer to POST /feeds: clients expect the next update of a new feed to be unknown. */
export function toCreatedFeedJson(feed: Feed): object {
  return { ...toFeedJson(feed), nextUpdateTime: null };
}

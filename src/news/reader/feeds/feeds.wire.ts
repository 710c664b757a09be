import { shownSentence } from '../../../common/texts/visitor-language.js';
import { titleOrHost } from '../../news.wire.js';
import type { FetchSettings } from './feed-settings.service.js';
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
    lastUpdateError: shownSentence(feed.lastUpdateError),
    items: [],
  };
}

/** How a feed is fetched. Passwords and cookies are never sent. Beyond the specification. */
export function toFetchSettingsJson(feedId: number, settings: FetchSettings): object {
  const { url, fetchEveryHours, access, isAccessInAddress } = settings;
  return {
    feedId,
    url,
    fetchEveryHours,
    hasPassword: access.userName !== '' || access.password !== '' || isAccessInAddress,
    hasCookie: access.cookie !== '',
    userAgent: access.userAgent,
  };
}

/** The answer to POST /feeds: clients expect the next update of a new feed to be unknown. */
export function toCreatedFeedJson(feed: Feed): object {
  return { ...toFeedJson(feed), nextUpdateTime: null };
}

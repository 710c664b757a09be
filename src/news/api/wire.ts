import type { Folder } from '../store/folders.repository.js';
import type { Filter } from '../store/filters.repository.js';
import type { ListedItem } from '../store/item-list.sql.js';
import type { Feed, FeedOwner } from '../store/subscriptions.repository.js';

/*
 * The only place that knows the field names of the API. Types are those of the strictest client
 * program: integers where it says so, never null where one would stop reading.
 */

/** @see docs/spec/feed-reader-api.md "Folder" */
export function toFolderJson(folder: Folder): object {
  return { id: folder.id, name: folder.name, opened: true, feeds: [] };
}

/** @see docs/spec/feed-reader-api.md "Feed" */
export function toFeedJson(feed: Feed): object {
  return {
    id: feed.id,
    url: feed.url,
    title: feed.title === '' ? hostOf(feed.url) : feed.title,
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

/** @see docs/spec/feed-reader-api.md "Item" */
export function toItemJson(item: ListedItem): object {
  return {
    id: item.id,
    guid: item.guid,
    guidHash: item.guidHash,
    url: item.url,
    title: item.title,
    author: item.author,
    pubDate: item.pubDateSeconds,
    updatedDate: item.updatedDateSeconds === null ? null : String(item.updatedDateSeconds),
    body: item.body ?? '',
    enclosureMime: item.enclosureMime,
    enclosureLink: item.enclosureLink,
    mediaThumbnail: item.mediaThumbnail,
    mediaDescription: item.mediaDescription,
    feedId: item.feedId,
    unread: item.unread,
    starred: item.starred,
    filtered: item.filtered,
    lastModified: item.lastModifiedSeconds,
    rtl: item.rtl,
    fingerprint: item.fingerprint,
    contentHash: item.contentHash,
  };
}

/** Beyond the specification; see docs/news-api.md. */
export function toFilterJson(filter: Filter): object {
  return {
    id: filter.id,
    feedId: filter.feedId,
    titleKeywords: filter.titleKeywords,
    bodyKeywords: filter.bodyKeywords,
    urlKeywords: filter.urlKeywords,
  };
}

/** @see docs/spec/feed-reader-api.md "Updater feed entry" */
export function toFeedOwnerJson(owner: FeedOwner): object {
  return { id: owner.feedId, userId: owner.userId };
}

/** Routes that answer "nothing" about one thing. Clients want a JSON text and exactly 200. */
export const DONE_ONE = Object.freeze([]) as readonly never[];

/**
 * Routes that answer "nothing" about many things. Android reads an object there, for which `null`
 * passes and `[]` does not.
 */
export const DONE_MANY = null;

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : url;
}

import type { ListedItem } from './item-list.sql.js';

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

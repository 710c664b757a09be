import { NO_ACCESS, type FeedAccess } from '../sources/access/feed-access.service.js';
import type { ExportedFeed } from './opml.repository.js';

/**
 * The settings of a feed as attributes; those that have their default are left out. `title` says whose title it
 * is, since a file gives one to each feed.
 */
export function ownAttributes(
  feed: ExportedFeed,
  access: FeedAccess = NO_ACCESS,
): Readonly<Record<string, string | null>> {
  const { fetchEveryHours, itemRule } = feed;
  return {
    title: feed.ownTitle === null ? 'publisher' : null,
    ordering: unless(0, feed.ordering),
    pinned: unless(false, feed.pinned),
    fullText: unless(false, feed.fullText),
    updateMode: unless(0, feed.updateMode),
    alwaysShown: unless(false, feed.alwaysShown),
    fetchEveryHours: unless(null, fetchEveryHours),
    itemRule: unless('automatic', itemRule),
    titleKeywords: feed.titleKeywords || null,
    bodyKeywords: feed.bodyKeywords || null,
    urlKeywords: feed.urlKeywords || null,
    userName: access.userName || null,
    password: access.password || null,
    userAgent: access.userAgent || null,
    cookie: access.cookie || null,
  };
}

function unless<Value>(initial: Value, value: Value): string | null {
  return value === initial ? null : String(value);
}

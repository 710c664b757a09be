import type { FeedOwner } from '../reader/followers.sql.js';

/** @see docs/spec/feed-reader-api.md "Updater feed entry" */
export function toFeedOwnerJson({ feedId, userId }: FeedOwner): object {
  return { id: feedId, userId };
}

import { z } from 'zod';
import type { FeedOwner } from '../reader/feeds/followers.repository.js';

/** @see docs/spec/feed-reader-api.md "Updater feed entry" */
export function toFeedOwnerJson({ feedId, userId }: FeedOwner): object {
  return { id: feedId, userId };
}

export const FeedOwnersAnswer = z.object({
  feeds: z.array(z.object({ id: z.int(), userId: z.string() })),
});

import { z } from 'zod';
import { titleOrHost } from '../../news.wire.js';
import { feedStreamId, labelId } from '../stream-names.js';
import type { FiledFeed } from './subscriptions.service.js';

/**
 * Nothing in it is null, and neither id, title nor address is empty; clients give up otherwise.
 *
 * @param iconUrl absolute; empty without an icon
 */
export function toSubscriptionJson({ feed, folder }: FiledFeed, iconUrl: string): object {
  return {
    id: feedStreamId(feed.id),
    title: titleOrHost(feed.title, feed.url),
    categories: folder === null ? [] : [{ id: labelId(folder), label: folder }],
    url: feed.url,
    htmlUrl: feed.link ?? '',
    iconUrl,
  };
}

export const SubscriptionsAnswer = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      categories: z.array(z.object({ id: z.string(), label: z.string() })),
      url: z.string(),
      htmlUrl: z.string(),
      iconUrl: z.string(),
    }),
  ),
});

/** Failures have `error` and no stream. */
export const QuickAddAnswer = z.object({
  numResults: z.int(),
  query: z.string(),
  streamId: z.string().optional(),
  streamName: z.string().optional(),
  error: z.string().optional(),
});

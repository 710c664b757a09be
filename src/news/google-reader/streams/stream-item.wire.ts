import { z } from 'zod';
import type { StreamItem } from '../../reader/streams/stream.js';
import { shownTitle } from '../../reader/streams/shown-title.js';
import { titleOrHost } from '../../news.wire.js';
import { longItemId } from '../item-ids.js';
import { feedStreamId, labelId, READING_LIST, stateId } from '../stream-names.js';
import type { FeedPlace } from './stream-sets.repository.js';

const LONGEST_INT32 = 2_147_483_647;

/**
 * An item as the strictest clients decode it: no null, no empty title, times of arrival as texts.
 *
 * @see docs/google-reader-api.md "Items"
 */
export function streamItemJson(item: StreamItem, feed: FeedPlace | undefined): string {
  const href = item.url ?? '';
  return JSON.stringify({
    id: longItemId(item.id),
    crawlTimeMsec: String(Math.floor(item.arrivedMicros / 1000)),
    timestampUsec: String(item.arrivedMicros),
    published: int32(item.pubDateSeconds),
    updated: int32(item.updatedDateSeconds ?? item.pubDateSeconds),
    title: shownTitle(item),
    author: item.author ?? undefined,
    canonical: [{ href }],
    alternate: [{ href, type: 'text/html' }],
    summary: { content: item.body },
    categories: categoriesOf(item, feed),
    origin: {
      streamId: feedStreamId(item.feedId),
      title: feed === undefined ? '' : titleOrHost(feed.title, feed.url),
      htmlUrl: feed?.link ?? '',
    },
    enclosure: enclosuresOf(item),
  });
}

function categoriesOf(item: StreamItem, feed: FeedPlace | undefined): string[] {
  const folder = feed?.folder ?? null;
  const labels = [...(folder === null ? [] : [folder]), ...item.labels];
  return [
    stateId(READING_LIST),
    ...(item.unread ? [] : [stateId('read')]),
    ...(item.starred ? [stateId('starred')] : []),
    ...new Set(labels.map(labelId)),
    // A tag of a publisher that looks like one of these would make an item read.
    ...item.tags.filter((tag) => tag !== '' && !/^user\//i.test(tag)),
  ];
}

function enclosuresOf({ enclosures }: StreamItem): object[] | undefined {
  return enclosures.length === 0
    ? undefined
    : enclosures.map(({ url, mime, length }) => ({
        href: url,
        type: mime ?? '',
        length: length ?? undefined,
      }));
}

function int32(seconds: number): number {
  return Math.max(0, Math.min(Math.trunc(seconds), LONGEST_INT32));
}

const seconds = z.int().describe('Unix seconds.');

export const StreamItemSchema = z
  .object({
    id: z.string(),
    crawlTimeMsec: z.string(),
    timestampUsec: z.string(),
    published: seconds,
    updated: seconds,
    title: z.string(),
    author: z.string().optional(),
    canonical: z.array(z.object({ href: z.string() })),
    alternate: z.array(z.object({ href: z.string(), type: z.string() })),
    summary: z.object({ content: z.string().describe('Sanitized HTML.') }),
    categories: z.array(z.string()),
    origin: z.object({ streamId: z.string(), title: z.string(), htmlUrl: z.string() }),
    enclosure: z
      .array(z.object({ href: z.string(), type: z.string(), length: z.int().optional() }))
      .optional(),
  })
  .meta({ id: 'StreamItem' });

export const StreamAnswer = z.object({
  id: z.string(),
  title: z.string().optional(),
  updated: seconds,
  items: z.array(StreamItemSchema),
  continuation: z.string().optional().describe('For `c` of the next page; absent on the last one.'),
});

export const StreamIdsAnswer = z.object({
  itemRefs: z.array(z.object({ id: z.string() })),
  continuation: z.string().optional(),
});

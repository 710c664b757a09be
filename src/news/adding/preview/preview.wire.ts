import { z } from 'zod';
import { titleOrHost } from '../../news.wire.js';
import type { FeedPreview } from './feed-preview.service.js';

const SHOWN_ITEMS = 5;

/** Beyond the specification; see docs/news-api.md. */
export function toPreviewJson({ url, feed, alternatives, feedId }: FeedPreview): object {
  return {
    url,
    title: titleOrHost(feed.title, url),
    link: feed.link ?? '',
    feedId,
    feeds: alternatives.map((named) => named.url),
    namedFeeds: alternatives,
    items: feed.items.slice(0, SHOWN_ITEMS).map((item) => ({
      title: item.title,
      pubDate: item.pubDateSeconds,
      url: item.url,
    })),
  };
}

export const PreviewAnswer = z.object({
  url: z.string(),
  title: z.string(),
  link: z.string(),
  feedId: z.int().nullable(),
  feeds: z.array(z.string()),
  namedFeeds: z.array(z.object({ url: z.string(), title: z.string(), feedId: z.int().nullable() })),
  items: z.array(
    z.object({
      title: z.string().nullable(),
      pubDate: z.int().nullable(),
      url: z.string().nullable(),
    }),
  ),
});

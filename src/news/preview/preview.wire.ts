import { titleOrHost } from '../news.wire.js';
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

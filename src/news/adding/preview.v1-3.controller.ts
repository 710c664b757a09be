import { z } from 'zod';
import { ApiPost } from '../../common/contracts/routes.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { titleOrHost } from '../news.wire.js';
import { text, unlessAbsent } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { AccessInput } from '../sources/access/feed-access.input.js';
import { FeedPreviewService, type FeedPreview } from './feed-preview.service.js';

const SHOWN_ITEMS = 5;

const PreviewAnswer = z.object({
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

const PreviewFeed = z.object({ url: text, access: unlessAbsent(AccessInput) });

/**
 * A preview of a feed before subscribing. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'feeds')
export class PreviewV13Controller {
  constructor(private readonly previews: FeedPreviewService) {}

  @ApiPost('preview', 'Shows a feed before a subscription.', PreviewAnswer)
  @ConcurrencyLimit('previews of feeds')
  async preview(
    @CurrentReader() reader: Reader,
    @Input(PreviewFeed) { url, access }: In<typeof PreviewFeed>,
  ) {
    return toPreviewJson(await this.previews.preview(reader, url, access));
  }
}

/** Beyond the specification; see docs/news-api.md. */
function toPreviewJson({ url, feed, alternatives, feedId }: FeedPreview) {
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

import { escapeHtml } from '../feed-parser/html/character-references.js';
import type { StreamItem } from '../reader/streams/stream.js';
import type { TransferredFeed } from './transferred-items.repository.js';

/**
 * An article in the JSON of the Google Reader API as FreshRSS writes and reads it: with `guid` and
 * `origin.feedUrl`, and with the texts of titles and names escaped for HTML, once.
 *
 * @param url of the feed, without what must not be told
 */
export function readerJson(item: StreamItem, feed: TransferredFeed, url: string): object {
  const { arrivedMicros, pubDateSeconds, updatedDateSeconds, enclosures } = item;
  const href = item.url ?? '';
  return {
    id: `gatefold:item/${item.id}`,
    guid: item.guid,
    crawlTimeMsec: String(Math.floor(arrivedMicros / 1000)),
    timestampUsec: String(arrivedMicros),
    published: pubDateSeconds,
    updated: updatedDateSeconds ?? 0,
    title: escapeHtml(item.title ?? ''),
    ...(item.author !== null && { author: escapeHtml(item.author) }),
    canonical: [{ href }],
    alternate: [{ href, type: 'text/html' }],
    categories: categoriesOf(item),
    content: { content: item.body },
    origin: {
      streamId: `feed/${url}`,
      feedUrl: url,
      title: escapeHtml(feed.title),
      htmlUrl: feed.link ?? '',
    },
    ...(enclosures.length > 0 && {
      enclosure: enclosures.map(({ url, mime, length }) => ({
        href: url,
        type: mime ?? '',
        ...(length !== null && { length }),
      })),
    }),
  };
}

function categoriesOf({ unread, starred, labels, tags }: StreamItem): string[] {
  const state = (name: string) => `user/-/state/com.google/${name}`;
  return [
    state('reading-list'),
    state(unread ? 'unread' : 'read'),
    ...(starred ? [state('starred')] : []),
    ...labels.map((label) => `user/-/label/${label}`),
    // A tag of a publisher that looks like one of these would make an article read.
    ...tags.filter((tag) => tag !== '' && !/^user\//i.test(tag)),
  ];
}

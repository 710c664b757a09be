import { Injectable } from '@nestjs/common';
import { normaliseFeedAddress, urlKey } from '../sources/feed-address.js';
import { FeedFetcher, type FetchedFeed } from '../sources/fetch/fetch-feed.js';
import type { ParsedFeed } from '../feed-parser/parsed-feed.js';
import { FeedUnreadable } from '../news.errors.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';

/** What a user would subscribe to. */
export interface FeedPreview {
  /** Of the feed itself, whatever was asked for. */
  readonly url: string;
  readonly feed: ParsedFeed;
  /** Addresses of all feeds that the web page names, when it was one; else empty. */
  readonly alternatives: readonly string[];
  /** The user's own feed of this address; null when it is none of theirs. */
  readonly feedId: number | null;
}

/** Of the feeds that a web page names, so many are tried until one can be read. */
const MAX_CANDIDATES = 3;

/** Shows what is at an address before anybody subscribes. Stores nothing. */
@Injectable()
export class FeedPreviewService {
  constructor(
    private readonly fetcher: FeedFetcher,
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /**
   * @throws InvalidFeedAddress
   * @throws FeedUnreadable when neither the address nor a feed that the page there names can be read
   */
  async preview(userId: string, givenUrl: string): Promise<FeedPreview> {
    const url = normaliseFeedAddress(givenUrl);
    const first = await this.#fetch(url);
    if (first.outcome === 'feed') {
      return this.#show(userId, url, first.feed, []);
    }
    if (first.outcome !== 'web-page') {
      throw new FeedUnreadable(reasonOf(first));
    }
    const alternatives = first.feedAddresses;
    let reason = 'The address leads to a web page that names no feed.';
    for (const candidate of alternatives.slice(0, MAX_CANDIDATES)) {
      const named = await this.#fetch(candidate);
      if (named.outcome === 'feed') {
        return this.#show(userId, candidate, named.feed, alternatives);
      }
      reason = reasonOf(named);
    }
    throw new FeedUnreadable(reason);
  }

  async #show(
    userId: string,
    url: string,
    feed: ParsedFeed,
    alternatives: readonly string[],
  ): Promise<FeedPreview> {
    const readerId = await this.readers.idOf(userId);
    const feedId =
      readerId === null ? null : await this.subscriptions.idByAddress(readerId, urlKey(url));
    return { url, feed, alternatives, feedId };
  }

  #fetch(url: string): Promise<FetchedFeed> {
    return this.fetcher.fetch({ url, etag: null, lastModified: null, bodyHash: null });
  }
}

function reasonOf(fetched: FetchedFeed): string {
  if (fetched.outcome === 'web-page') {
    return 'The address leads to a web page, not to a feed.';
  }
  return fetched.outcome === 'failed' ? fetched.message : 'The server sent no document.';
}

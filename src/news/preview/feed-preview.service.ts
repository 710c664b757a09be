import { Injectable } from '@nestjs/common';
import type { ParsedFeed } from '../feed-parser/parsed-feed.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { feedAddress, type FeedAddress } from '../sources/feed-address.js';
import {
  FeedAccessBox,
  given,
  NO_ACCESS,
  type FeedAccess,
  type PartialAccess,
} from '../sources/access/feed-access.js';
import type { NamedFeed } from '../sources/fetch/discover-feed.js';
import { FeedFetcher, FIRST_FETCH, type FetchedFeed } from '../sources/fetch/fetch-feed.js';
import { MAX_CANDIDATES, NO_FEED_NAMED } from '../sources/source-finder.js';
import { FeedUnreadable } from '../sources/sources.errors.js';

/** A feed before it is subscribed to. */
export interface FeedPreview {
  /** Of the feed itself, also if the address of a web page was given. */
  readonly url: string;
  readonly feed: ParsedFeed;
  /** All feeds that the web page names; empty if the feed's own address was given. */
  readonly alternatives: readonly NamedFeed[];
  /** The user's own feed of this address; null if there is none. */
  readonly feedId: number | null;
}

/** Previews a subscription to an address. Stores nothing. */
@Injectable()
export class FeedPreviewService {
  constructor(
    private readonly fetcher: FeedFetcher,
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly accessBox: FeedAccessBox,
  ) {}

  /**
   * @param entered headers that are sent to the origin of the address
   * @throws InvalidFeedAddress
   * @throws FeedUnreadable when neither the address nor a feed that the web page names can be read
   */
  async preview(
    userId: string,
    givenUrl: string,
    entered: PartialAccess = {},
  ): Promise<FeedPreview> {
    const access = { ...NO_ACCESS, ...given(entered) };
    const address = feedAddress(givenUrl);
    const first = await this.#fetch(address, access);
    if (first.outcome === 'feed') {
      return this.#show(userId, address, address.href, first.feed, []);
    }
    if (first.outcome !== 'web-page') {
      throw new FeedUnreadable(reasonOf(first));
    }
    const alternatives = first.namedFeeds;
    let reason = NO_FEED_NAMED;
    for (const candidate of alternatives.slice(0, MAX_CANDIDATES)) {
      const named = feedAddress(candidate.url);
      const isSameOrigin = new URL(named.href).origin === new URL(address.href).origin;
      const fetched = await this.#fetch(named, isSameOrigin ? access : NO_ACCESS);
      if (fetched.outcome === 'feed') {
        return this.#show(userId, named, candidate.url, fetched.feed, alternatives);
      }
      reason = reasonOf(fetched);
    }
    throw new FeedUnreadable(reason);
  }

  async #show(
    userId: string,
    { key }: FeedAddress,
    url: string,
    feed: ParsedFeed,
    alternatives: readonly NamedFeed[],
  ): Promise<FeedPreview> {
    const readerId = await this.readers.idOf(userId);
    const feedId = readerId === null ? null : await this.subscriptions.idByAddress(readerId, key);
    return { url, feed, alternatives, feedId };
  }

  #fetch(address: FeedAddress, entered: FeedAccess): Promise<FetchedFeed> {
    const { href, access } = this.accessBox.seal(address, entered);
    return this.fetcher.fetch({ ...FIRST_FETCH, url: href, access });
  }
}

function reasonOf(fetched: FetchedFeed): string {
  if (fetched.outcome === 'web-page') {
    return 'The address leads to a web page, not to a feed.';
  }
  return fetched.outcome === 'failed' ? fetched.message : 'The server sent no document.';
}

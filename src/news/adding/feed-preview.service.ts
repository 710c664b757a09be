import { Injectable } from '@nestjs/common';
import type { ParsedFeed } from '../feed-parser/parsed-feed.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import {
  changedAccess,
  NO_ACCESS,
  type PartialAccess,
} from '../sources/access/feed-access.service.js';
import { feedAddress, typedAddress } from '../sources/feed-address.js';
import type { NamedFeed } from '../sources/fetch/discover-feed.js';
import { FeedFetcher, FIRST_FETCH } from '../sources/fetch/fetch-feed.service.js';
import { FeedDiscovery, Miss } from '../sources/finding/feed-discovery.service.js';
import { trustedMove } from '../sources/refreshing/moved-address.js';

interface Followed {
  readonly feedId: number | null;
}

/** A feed before it is subscribed to. */
export interface FeedPreview {
  /** Address of the feed itself, even if a web page's address was given. */
  readonly url: string;
  readonly feed: ParsedFeed;
  /** All feeds that the web page names; empty if the feed's own address was given. */
  readonly alternatives: readonly (NamedFeed & Followed)[];
  /** The user's own feed of this address or its redirect target; null if there is none. */
  readonly feedId: Followed['feedId'];
}

/** Previews a subscription to an address. Stores nothing. */
@Injectable()
export class FeedPreviewService {
  constructor(
    private readonly fetcher: FeedFetcher,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly discovery: FeedDiscovery,
  ) {}

  /**
   * @param entered headers that are sent to the origin of the address
   * @throws FeedUnreadable when nothing that the address leads to can be read
   */
  async preview(
    reader: Reader,
    givenUrl: string,
    entered: PartialAccess = {},
  ): Promise<FeedPreview> {
    const access = changedAccess(NO_ACCESS, entered);
    const { found, address, namedFeeds } = await this.discovery.find(
      typedAddress(givenUrl),
      access,
      async (at) => {
        const fetched = await this.fetcher.fetch({
          ...FIRST_FETCH,
          url: at.href,
          access: at.access,
        });
        return fetched.outcome === 'feed' ? fetched : Miss.of(fetched);
      },
    );
    const movedTo = trustedMove(found.permanentRedirectTo, address.href);
    const places = [address.href, ...(movedTo === null ? [] : [feedAddress(movedTo).href])];
    const named = namedFeeds.map(({ url }) => url);
    const followed = await this.subscriptions.followedAt(reader.id, [...places, ...named]);
    const idAt = (place: string) => followed.get(place)?.id ?? null;
    return {
      url: address.href,
      feed: found.feed,
      alternatives: namedFeeds.map((feed) => ({ ...feed, feedId: idAt(feed.url) })),
      feedId: places.map(idAt).find((id) => id !== null) ?? null,
    };
  }
}

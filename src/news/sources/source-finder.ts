import { Injectable } from '@nestjs/common';
import type { ItemRule } from '../feed-parser/items/lookup-key.js';
import { feedAddress, withItemRule, type FeedAddress } from './feed-address.js';
import type { NamedFeed } from './fetch/discover-feed.js';
import { FeedFetcher, FIRST_FETCH } from './fetch/fetch-feed.js';
import { FeedAccessBox, NO_ACCESS, type FeedAccess } from './access/feed-access.js';
import { ScheduleRepository } from './schedule/schedule.repository.js';
import { SourceRefresher } from './source-refresher.js';
import { FeedUnreadable } from './sources.errors.js';
import { SourcesRepository } from './sources.repository.js';

/** A source that was read at least once, and the address that led to it, as it was given. */
interface FoundSource {
  readonly sourceId: number;
  readonly url: string;
}

interface NotFound {
  readonly reason: string;
  /** Feeds that the web page at the address names. */
  readonly candidates: readonly NamedFeed[];
}

/** Of the feeds that a web page names, this many are tried. */
export const MAX_CANDIDATES = 3;

export const NO_FEED_NAMED = 'The address leads to a web page that names no feed.';

/** Finds or creates the source of an address that a user entered. */
@Injectable()
export class SourceFinder {
  constructor(
    private readonly sources: SourcesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly fetcher: FeedFetcher,
    private readonly refresher: SourceRefresher,
    private readonly accessBox: FeedAccessBox,
  ) {}

  /**
   * Reads the feed at the address or, if that is a web page, the first readable feed that it names. A
   * source is created only for a feed that could be read.
   *
   * @param access is sent to the origin of the address only
   * @param itemRule what makes an item itself
   * @throws InvalidFeedAddress when the web page names an invalid one
   * @throws FeedUnreadable
   */
  async find(
    address: FeedAddress,
    access: FeedAccess = NO_ACCESS,
    itemRule: ItemRule = 'automatic',
  ): Promise<FoundSource> {
    const found = await this.#read(withItemRule(this.accessBox.seal(address, access), itemRule));
    if ('sourceId' in found) {
      return found;
    }
    let { reason } = found;
    const { origin } = new URL(address.href);
    for (const { url } of found.candidates.slice(0, MAX_CANDIDATES)) {
      const candidate = feedAddress(url);
      const isSameOrigin = new URL(candidate.href).origin === origin;
      const sealed = isSameOrigin ? this.accessBox.seal(candidate, access) : candidate;
      const named = await this.#read(withItemRule(sealed, itemRule));
      if ('sourceId' in named) {
        return named;
      }
      reason = named.reason;
    }
    throw new FeedUnreadable(reason);
  }

  async #read(address: FeedAddress): Promise<FoundSource | NotFound> {
    const known = await this.sources.findByKey(address.key);
    if (
      known !== null &&
      address.access !== null &&
      !this.accessBox.opens(known.url, known.access)
    ) {
      // They were discarded with a lost secret key that was found again.
      await this.sources.setAccess([known.id], address.access);
    }
    if (known !== null && known.bodyHash !== null) {
      const refreshed = await this.refresher.refreshNow(known.id);
      return refreshed.outcome === 'failed'
        ? { candidates: [], reason: refreshed.message }
        : { sourceId: known.id, url: address.given };
    }

    const fetched = await this.fetcher.fetch({
      ...FIRST_FETCH,
      url: address.href,
      access: address.access,
      itemRule: address.itemRule,
    });
    switch (fetched.outcome) {
      case 'web-page':
        return { candidates: fetched.namedFeeds, reason: NO_FEED_NAMED };
      case 'failed':
        return { candidates: [], reason: fetched.message };
      case 'unchanged':
        return { candidates: [], reason: 'The server sent no document.' };
      case 'feed': {
        const sourceId = await this.sources.create(address);
        const lease = await this.schedule.claim(sourceId);
        const source = await this.sources.find(sourceId);
        if (lease !== null && source !== null) {
          await this.refresher.record(lease, source, fetched);
        }
        return { sourceId, url: address.given };
      }
    }
  }
}

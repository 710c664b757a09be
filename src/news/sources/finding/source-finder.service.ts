import { Injectable } from '@nestjs/common';
import type { ItemRule } from '../../feed-parser/items/item-identity.js';
import { FeedAccessBox, NO_ACCESS, type FeedAccess } from '../access/feed-access.service.js';
import { feedAddress, withItemRule, withOwner, type FeedAddress } from '../feed-address.js';
import { FeedFetcher, FIRST_FETCH } from '../fetch/fetch-feed.service.js';
import { SourceRefresher } from '../refreshing/source-refresher.service.js';
import { ScheduleRepository } from '../schedule/schedule.repository.js';
import { SourcesRepository } from '../sources.repository.js';
import type { Source } from '../sources.sql.js';
import { FeedDiscovery, Miss } from './feed-discovery.service.js';

/** A source that was read at least once, and the address that led to it, as it was given. */
interface FoundSource {
  readonly sourceId: number;
  readonly url: string;
  /** `url` without headers of its own, and where the publisher redirects it permanently. */
  readonly addresses: readonly FeedAddress[];
}

/** Whose the headers are, unless they are the reader's. Those of a known source are replaced by ones that work. */
interface AccessOwner {
  readonly name: string;
  /** Ids of sources that are found as they are, unread and with their headers. */
  readonly keeps: readonly number[];
}

/** Finds or creates the source of an address that a user entered. */
@Injectable()
export class SourceFinder {
  constructor(
    private readonly sources: SourcesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly fetcher: FeedFetcher,
    private readonly refresher: SourceRefresher,
    private readonly accessBox: FeedAccessBox,
    private readonly discovery: FeedDiscovery,
  ) {}

  /**
   * Reads the feed at the address, or the feed of a web page there. Creates a source only for a readable
   * feed.
   *
   * @param access is sent to the origin of the address only
   * @param itemRule identity rule of items
   */
  async find(
    address: FeedAddress,
    access: FeedAccess = NO_ACCESS,
    itemRule: ItemRule = 'automatic',
    owner: AccessOwner | null = null,
  ): Promise<FoundSource> {
    const discovered = await this.discovery.find(address, access, (at) =>
      this.#find(withOwner(withItemRule(at, itemRule), owner?.name ?? null), owner),
    );
    const { found: sourceId, address: at } = discovered;
    const source = await this.sources.find(sourceId);
    const movedTo = source?.movingTo ?? source?.effectiveUrl ?? null;
    const addresses = [feedAddress(at.href), ...(movedTo === null ? [] : [feedAddress(movedTo)])];
    return { sourceId, url: at.given, addresses };
  }

  async #find(address: FeedAddress, owner: AccessOwner | null): Promise<number | Miss> {
    const known = await this.sources.findByKey(address.key);
    if (known === null || address.access === null) {
      return this.#read(address, known);
    }
    if (owner === null) {
      if (!this.accessBox.opens(known.url, known.access)) {
        // It was discarded with a lost secret key.
        await this.sources.setAccess([known.id], address);
      }
      return this.#read(address, known);
    }
    return owner.keeps.includes(known.id) ? known.id : this.#readWithOther(address, known);
  }

  /** Reads a source with other headers, which it keeps only if they work. */
  async #readWithOther(address: FeedAddress, known: Source): Promise<number | Miss> {
    let isRead = false;
    await this.sources.setAccess([known.id], address);
    try {
      const found = await this.#read(address, known);
      isRead = !(found instanceof Miss);
      return found;
    } finally {
      if (!isRead) {
        await this.sources.setAccess([known.id], known);
      }
    }
  }

  async #read(address: FeedAddress, known: Source | null): Promise<number | Miss> {
    if (known !== null && known.bodyHash !== null) {
      const refreshed = await this.refresher.refreshNow(known.id);
      return refreshed.outcome === 'failed' ? new Miss(refreshed.message) : known.id;
    }

    const fetched = await this.fetcher.fetch({
      ...FIRST_FETCH,
      url: address.href,
      access: address.access,
      itemRule: address.itemRule,
    });
    if (fetched.outcome !== 'feed') {
      return Miss.of(fetched);
    }
    const sourceId = await this.sources.create(address);
    const lease = await this.schedule.claim(sourceId);
    const source = await this.sources.find(sourceId);
    if (lease !== null && source !== null) {
      await this.refresher.record(lease, source, fetched);
    }
    return sourceId;
  }
}

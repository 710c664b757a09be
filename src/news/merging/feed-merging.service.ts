import { Injectable } from '@nestjs/common';
import { conflict, invalid } from '../../common/errors/domain-error.js';
import { MergedItemUsersOffer } from '../../common/ports/merged-items.js';
import { FeedNotFound } from '../news.errors.js';
import { DeliveriesRepository } from '../reader/delivery/deliveries.repository.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { MOST_FORMER_SOURCES } from '../reader/feeds/feed-settings.service.js';
import { sameFeeds } from '../reader/feeds/same-feeds.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { SearchUsersOffer } from '../reader/search/search-users.offer.js';
import { FeedMergesRepository } from './feed-merges.repository.js';
import { MergedItemsRepository } from './merged-items.repository.js';

class FeedsDiffer extends invalid(
  'Only feeds that became the same can be merged: the publisher has moved one of them to where the other is.',
) {}

class TooManyAddresses extends conflict(
  (most: number) => `Together, these feeds have had more than ${most} addresses.`,
) {}

/** Merges feeds of a user of which one was moved by its publisher to where the other is. */
@Injectable()
export class FeedMergingService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly merges: FeedMergesRepository,
    private readonly items: MergedItemsRepository,
    private readonly searchUsers: SearchUsersOffer,
    private readonly itemUsers: MergedItemUsersOffer,
  ) {}

  /**
   * Moves all items of a feed, with their ids and flags, into another, whose settings and folder stay, and
   * removes the feed. What names it names the other: rules, saved searches, automatic tasks and published
   * articles. All in one transaction.
   *
   * @throws FeedNotFound, FeedOfGroup, FeedsDiffer, TooManyAddresses
   */
  async merge(reader: Reader, feedId: number, intoId: number): Promise<void> {
    await this.readers.change(reader, async (tx, locked) => {
      const feeds = [];
      for (const id of [feedId, intoId]) {
        const feed = await this.subscriptions.find(locked.id, id, tx);
        feeds.push(FeedNotFound.unless(feed, id));
        await this.subscriptions.assertNotGiven(locked.id, id, tx);
      }
      if (sameFeeds(feeds).size === 0) {
        throw new FeedsDiffer();
      }
      const sourceIds = await this.subscriptions.sourcesOf(locked.id, [feedId, intoId], tx);
      if (sourceIds.length - 1 > MOST_FORMER_SOURCES) {
        throw new TooManyAddresses(MOST_FORMER_SOURCES);
      }
      await this.deliveries.deliver(locked, tx);
      const pairs = await this.items.move(locked, { fromId: feedId, intoId, sourceIds }, tx);
      await this.itemUsers.service?.merged(reader, pairs, tx);
      await this.merges.renameUses(locked, feedId, intoId, tx);
      await this.searchUsers.service?.changed(locked, tx);
      await this.subscriptions.remove(locked.id, feedId, tx);
    });
  }
}

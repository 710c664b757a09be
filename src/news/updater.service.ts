import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Config } from '../common/config/config.js';
import { DeliveryService } from './delivery.service.js';
import { FeedNotFound } from './news.errors.js';
import { SourceRefresher } from './source-refresher.js';
import { FoldersRepository } from './store/folders.repository.js';
import { ItemsRepository } from './store/items.repository.js';
import { ReadersRepository } from './store/readers.repository.js';
import { ScheduleRepository } from './store/schedule.repository.js';
import { SourcesRepository } from './store/sources.repository.js';
import { SubscriptionsRepository, type FeedOwner } from './store/subscriptions.repository.js';

/** Small enough that a user's own requests never wait long for the lock. */
const ITEMS_PER_CLEANUP = 5000;

/** After this many missed rounds nobody can be said to be updating feeds. */
const MISSED_ROUNDS = 3;

/**
 * Keeps feeds fresh and the database tidy. An administrator's script calls it over HTTP, the
 * built-in schedule calls it in this process; both do the same.
 */
@Injectable()
export class UpdaterService {
  readonly #logger = new Logger('Updater');

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly readers: ReadersRepository,
    private readonly folders: FoldersRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly items: ItemsRepository,
    private readonly sources: SourcesRepository,
    private readonly schedule: ScheduleRepository,
    private readonly refresher: SourceRefresher,
    private readonly delivery: DeliveryService,
  ) {}

  /** Removes folders and feeds that were marked for deletion, and nothing else. */
  async beforeUpdate(): Promise<void> {
    for (const userId of await this.subscriptions.usersWithDeleted()) {
      await this.readers.change(userId, async (tx, reader) => {
        await this.subscriptions.purgeDeleted(tx, reader.id);
        await this.folders.purgeDeleted(tx, reader.id);
      });
    }
  }

  /** Every feed of every user. */
  async everyFeed(): Promise<FeedOwner[]> {
    return this.subscriptions.owners();
  }

  /**
   * Updates one feed of one user, and delivers what is new. A publisher whom several users follow
   * is asked once per round of a script over all feeds, while a repeated request for the same feed
   * always asks again. That a publisher cannot be read is noted on the feed and is no error here.
   *
   * @throws FeedNotFound
   */
  async updateFeed(userId: string, feedId: number): Promise<void> {
    const request = await this.subscriptions.findForUpdate(userId, feedId);
    if (request === null) {
      throw new FeedNotFound(feedId);
    }
    if (!request.askedSinceServed) {
      await this.refresher.refreshNow(request.sourceId);
      await this.sources.noteAsked(request.sourceId);
    }
    await this.subscriptions.noteUpdateServed(feedId);
    await this.delivery.deliverTo(userId);
  }

  /** Removes old read items that are not starred, and what nobody refers to any more. */
  async afterUpdate(): Promise<void> {
    if (this.config.keepReadItems > 0) {
      for (const userId of await this.readers.userIds()) {
        await this.#removeOldRead(userId);
      }
    }
    const unfollowed = await this.sources.removeUnfollowed();
    if (unfollowed > 0) {
      this.#logger.log(`removed ${unfollowed} sources that nobody follows`);
    }
  }

  /** Whether feeds go stale: no schedule here, and no script has called for several rounds. */
  async nobodyUpdates(): Promise<boolean> {
    if (this.config.schedulerEnabled) {
      return false;
    }
    const last = await this.schedule.lastFetchSeconds();
    const patienceSeconds = MISSED_ROUNDS * this.config.updateIntervalSeconds;
    return last !== null && last + patienceSeconds < this.clock.nowSeconds();
  }

  async #removeOldRead(userId: string): Promise<void> {
    let removed: number;
    do {
      removed = await this.readers.change(userId, (tx, reader) =>
        this.items.removeOldRead(tx, reader, this.config.keepReadItems, ITEMS_PER_CLEANUP),
      );
    } while (removed === ITEMS_PER_CLEANUP);
  }
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { FeedNotFound } from '../news.errors.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import { FollowersRepository, type FeedOwner } from '../reader/followers.repository.js';
import { SourceRefresher } from '../sources/source-refresher.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import { UpdateRequestsRepository } from './update-requests.repository.js';
import type { UpdateRequest } from './update-requests.sql.js';

/** Without a fetch for this many update intervals, no updater is running. */
const MISSED_INTERVALS = 3;

/**
 * Fetches of an administrator's script, feed by feed.
 *
 * @see docs/spec/feed-reader-api.md "Updater (administrator only)"
 */
@Injectable()
export class UpdaterService {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly followers: FollowersRepository,
    private readonly requests: UpdateRequestsRepository,
    private readonly sources: SourcesRepository,
    private readonly refresher: SourceRefresher,
    private readonly delivery: DeliveryService,
    private readonly disk: DiskSpace,
  ) {}

  /** All feeds of all users. */
  async everyFeed(): Promise<FeedOwner[]> {
    return this.followers.owners();
  }

  /**
   * Updates one feed of one user and delivers its new items. A source with several followers is
   * fetched once per round of a script over all feeds; a repeated request for the same feed always
   * fetches again. A failed fetch is recorded at the feed and is no error here.
   *
   * @throws FeedNotFound
   * @throws StorageFull
   */
  async updateFeed(userId: string, feedId: number): Promise<void> {
    await this.disk.assertRoomFor(0);
    const request = await this.requests.begin(userId, feedId, this.refresher.running);
    if (request === null) {
      throw new FeedNotFound(feedId);
    }
    if ((await this.#fetch(request)) || request.isPending) {
      await this.delivery.deliverTo(userId);
    }
  }

  /** @returns whether there may be new articles */
  async #fetch(request: UpdateRequest): Promise<boolean> {
    const { sourceId, lease, askedSinceServed, isResting } = request;
    if (askedSinceServed || isResting) {
      return false;
    }
    const { outcome } =
      lease === null
        ? await this.refresher.refreshNow(sourceId)
        : await this.refresher.refreshLeased(lease);
    return outcome === 'updated' || outcome === 'superseded';
  }

  /** Whether no updater is running: the schedule is off here, and no script has fetched for long. */
  async nobodyUpdates(): Promise<boolean> {
    if (this.config.schedulerEnabled) {
      return false;
    }
    const last = await this.sources.lastFetchSeconds();
    const patienceSeconds = MISSED_INTERVALS * this.config.updateIntervalSeconds;
    return last !== null && last + patienceSeconds < this.clock.nowSeconds();
  }
}

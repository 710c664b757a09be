import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { FeedNotFound } from '../news.errors.js';
import { NewsSettings } from '../news.settings.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import { ReaderIdsRepository } from '../reader/delivery/reader-ids.repository.js';
import { FollowersRepository, type FeedOwner } from '../reader/feeds/followers.repository.js';
import {
  SourceRefresher,
  type RefreshOutcome,
} from '../sources/refreshing/source-refresher.service.js';
import { UpdateRequestsRepository, type UpdateRequest } from './update-requests.repository.js';

type FeedUpdate = RefreshOutcome | { readonly outcome: 'resting' };

/** Update intervals without any work of one after which no updater counts as running. */
const MISSED_INTERVALS = 3;

/**
 * Fetches of an administrator's script, feed by feed.
 *
 * @see docs/spec/feed-reader-api.md "Updater (administrator only)"
 */
@Injectable()
export class UpdaterService {
  constructor(
    private readonly settings: NewsSettings,
    private readonly clock: Clock,
    private readonly ids: ReaderIdsRepository,
    private readonly followers: FollowersRepository,
    private readonly requests: UpdateRequestsRepository,
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
   * fetches again, unless the publisher asked for a pause. A failed fetch is recorded at the feed and is no
   * error here.
   *
   * @throws FeedNotFound
   */
  async updateFeed(userId: string, feedId: number): Promise<FeedUpdate> {
    await this.disk.assertRoomFor(0);
    const reader = await this.ids.of(userId);
    const request = FeedNotFound.unless(
      await this.requests.begin(reader.id, feedId, this.refresher.running),
      feedId,
    );
    const update = await this.#fetch(request);
    if (request.isPending || update.outcome === 'updated' || update.outcome === 'superseded') {
      await this.delivery.deliverTo(reader);
    }
    return update;
  }

  async #fetch(request: UpdateRequest): Promise<FeedUpdate> {
    const { sourceId, lease, askedSinceServed, isResting } = request;
    if (askedSinceServed || isResting) {
      return { outcome: isResting ? 'resting' : 'unchanged' };
    }
    return lease === null
      ? this.refresher.refreshNow(sourceId)
      : this.refresher.refreshLeased(lease);
  }

  /**
   * Whether no updater is running: the schedule is off here, and for long neither that of another process nor a
   * script has done anything. What users fetch themselves does not count.
   */
  async nobodyUpdates(): Promise<boolean> {
    if (this.settings.scheduler) {
      return false;
    }
    const last = await this.requests.lastSeconds();
    const patienceSeconds = MISSED_INTERVALS * this.settings.updateIntervalSeconds;
    return last !== null && last + patienceSeconds < this.clock.nowSeconds();
  }
}

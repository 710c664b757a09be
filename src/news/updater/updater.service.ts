import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Config } from '../../common/config/config.js';
import { DiskSpace } from '../../common/disk/disk-space.js';
import type { SqlRunner } from '../../database/database.js';
import { ArticleWorkSchedule } from './article-work.schedule.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import { FeedNotFound } from '../news.errors.js';
import { SourceRefresher } from '../sources/source-refresher.js';
import { ArticlesRepository } from '../sources/articles/articles.repository.js';
import { AssistanceRepository } from '../assistance/assistance.repository.js';
import { FetchHistoryRepository } from '../sources/history/fetch-history.repository.js';
import { FoldersRepository } from '../reader/folders/folders.repository.js';
import { ItemsRepository } from '../reader/items/items.repository.js';
import { ReaderClientsRepository } from '../reader/delivery/reader-clients.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { ScheduleRepository } from '../sources/schedule/schedule.repository.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import {
  SubscriptionsRepository,
  type FeedOwner,
} from '../reader/feeds/subscriptions.repository.js';

/** Rows per transaction: few enough that a user's own requests never wait long for a lock. */
const ROWS_PER_CLEANUP = 5000;
const SOURCES_PER_CLEANUP = 200;

const DAY_MICROS = 86_400_000_000;

/** How long is kept what external apps made of articles. */
const KEEP_ASSISTANCE_DAYS = 90;

export interface CleanUpLimits {
  /**
   * Which recently changed items are spared, so that clients learn of the change first: all of the
   * last days, only those of which some program of the user has not heard yet, or none.
   * Default `until-known`.
   */
  readonly grace?: 'days' | 'until-known' | 'none';
  /** Per feed. Default is the setting; 0 keeps all. */
  readonly keepReadItems?: number;
}

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
    private readonly articles: ArticlesRepository,
    private readonly history: FetchHistoryRepository,
    private readonly assistance: AssistanceRepository,
    private readonly clients: ReaderClientsRepository,
    private readonly schedule: ScheduleRepository,
    private readonly refresher: SourceRefresher,
    private readonly delivery: DeliveryService,
    private readonly articleWork: ArticleWorkSchedule,
    private readonly disk: DiskSpace,
  ) {}

  /**
   * Removes folders and feeds that were marked for deletion, and nothing else.
   *
   * An administrator's own call means now; the built-in schedule leaves time to undo.
   *
   * @param graceSeconds spares what was marked less long ago
   */
  async beforeUpdate(graceSeconds = 0): Promise<void> {
    for (const userId of await this.subscriptions.usersWithDeleted(graceSeconds)) {
      await this.readers.change(
        userId,
        async (tx, reader) => {
          await this.subscriptions.purgeDeleted(tx, reader.id, graceSeconds);
          await this.folders.purgeDeleted(tx, reader.id, graceSeconds);
        },
        'upkeep',
      );
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
   * @throws StorageFull
   */
  async updateFeed(userId: string, feedId: number): Promise<void> {
    const request = await this.subscriptions.findForUpdate(userId, feedId);
    if (request === null) {
      throw new FeedNotFound(feedId);
    }
    if (!request.askedSinceServed) {
      await this.disk.assertRoomFor(0);
      await this.refresher.refreshNow(request.sourceId);
      await this.sources.noteAsked(request.sourceId);
    }
    await this.subscriptions.noteUpdateServed(feedId);
    await this.delivery.deliverTo(userId);
  }

  /**
   * Removes old read items that are not starred, and what nobody refers to any more: articles with
   * their bodies, sources, pictures, what external apps made of articles, and the older part of the
   * history.
   *
   * @see docs/decisions/0012-retention.md about the grace
   */
  async afterUpdate({
    grace = 'until-known',
    keepReadItems = this.config.keepReadItems,
  }: CleanUpLimits = {}): Promise<void> {
    const { keepArticlesDays } = this.config;
    if (keepReadItems > 0) {
      for (const userId of await this.items.usersWithOldRead(keepReadItems)) {
        await inBatches(() =>
          this.readers.change(
            userId,
            async (tx, reader) => {
              const before = await this.#changedBefore(tx, reader, grace);
              return this.items.removeOldRead(tx, reader, keepReadItems, before, ROWS_PER_CLEANUP);
            },
            'upkeep',
          ),
        );
      }
    }
    await this.clients.forgetUnseen(Math.max(1, this.config.readItemsGraceDays));
    const unfollowed = await inBatches(
      () => this.sources.removeUnfollowed(SOURCES_PER_CLEANUP),
      SOURCES_PER_CLEANUP,
    );
    if (unfollowed > 0) {
      this.#logger.log(`removed ${unfollowed} sources that nobody follows`);
    }
    if (keepArticlesDays > 0) {
      await this.#removeOldArticles(keepArticlesDays);
    }
    await this.sources.removeRemains();
    await inBatches(() => this.history.trim(ROWS_PER_CLEANUP));
    await this.assistance.forgetFinishedBefore(KEEP_ASSISTANCE_DAYS);
    this.articleWork.catchUp();
  }

  /** Corrects due dates that were set while the database's clock was ahead. */
  async mendDates(): Promise<void> {
    const mended = await this.schedule.mendDates();
    if (mended > 0) {
      this.#logger.warn(
        `Corrected ${mended} feed schedules that were set while the clock was ahead (system clock changed?)`,
      );
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

  /** Items that changed at this time or later are spared; unix microseconds. */
  async #changedBefore(
    tx: SqlRunner,
    reader: LockedReader,
    grace: NonNullable<CleanUpLimits['grace']>,
  ): Promise<number> {
    const now = reader.stampMicros + 1;
    const { readItemsGraceDays: days } = this.config;
    if (grace === 'none' || days === 0) {
      return now;
    }
    const daysAgo = now - days * DAY_MICROS;
    if (grace === 'days') {
      return daysAgo;
    }
    const known = await this.clients.knownToAll(tx, reader.id, days);
    return known === null ? now : Math.max(daysAgo, known + 1);
  }

  async #removeOldArticles(keepDays: number): Promise<void> {
    for (const userId of await this.articles.usersWithExpired(keepDays)) {
      await this.readers.change(
        userId,
        (tx, reader) => this.articles.expirePending(tx, reader.id, keepDays),
        'upkeep',
      );
    }
    const limits = { sources: SOURCES_PER_CLEANUP, articles: ROWS_PER_CLEANUP };
    let total = 0;
    let after: number | null = 0;
    while (after !== null) {
      const { lastSourceId, removed } = await this.articles.removeUnreferenced(
        after,
        keepDays,
        limits,
      );
      total += removed;
      after = lastSourceId;
    }
    if (total > 0) {
      this.#logger.log(`removed ${total} articles that nobody refers to`);
    }
    await inBatches(() =>
      this.articles.forgetRemoved(this.config.rememberedArticles, ROWS_PER_CLEANUP),
    );
  }
}

/** Repeats work that does at most so much at a time, until less is left. @returns how much in all */
async function inBatches(work: () => Promise<number>, size = ROWS_PER_CLEANUP): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await work();
    total += done;
    if (done < size) {
      return total;
    }
  }
}

import { Injectable, Logger } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import { NewsSettings } from '../news.settings.js';
import { ReaderClientsRepository } from '../reader/delivery/reader-clients.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../reader/feeds/subscriptions.repository.js';
import { ItemsRepository } from '../reader/items/items.repository.js';
import { ArticleRetentionRepository } from '../sources/articles/article-retention.repository.js';
import { FetchHistoryRepository } from '../sources/history/fetch-history.repository.js';
import { SourcesRepository } from '../sources/sources.repository.js';

/** Rows per transaction: few enough that requests of a user never wait long for a lock. */
const ROWS_PER_BATCH = 5000;
const SOURCES_PER_BATCH = 200;

const DAY_MICROS = 86_400_000_000;

export interface CleanUpLimits {
  /**
   * Which recently changed items are kept, so that clients learn of the change: all of the last days
   * (`GATEFOLD_READ_ITEMS_GRACE_DAYS`), changes that some client of the user has not synchronised yet, or
   * none. Default `until-known`.
   */
  readonly grace?: 'days' | 'until-known' | 'none';
  /** Read items to keep per feed; 0 keeps all. Default is the setting. */
  readonly keepReadItems?: number;
}

/**
 * Removes deleted feeds and old read items, and rows that nothing refers to any more.
 *
 * @see docs/decisions/0012-retention.md
 */
@Injectable()
export class RetentionService {
  readonly #logger = new Logger('Updater');
  readonly #others: (() => Promise<void>)[] = [];

  constructor(
    private readonly settings: NewsSettings,
    private readonly readers: ReadersRepository,
    private readonly items: ItemsRepository,
    private readonly clients: ReaderClientsRepository,
    private readonly sources: SourcesRepository,
    private readonly articles: ArticleRetentionRepository,
    private readonly history: FetchHistoryRepository,
    private readonly subscriptions: SubscriptionsRepository,
  ) {}

  /**
   * Purges folders and feeds that users deleted with the option to undo.
   *
   * @param graceSeconds keeps those deleted less long ago
   */
  async purgeDeleted(graceSeconds: number): Promise<void> {
    for (const reader of await this.subscriptions.readersWithDeleted(graceSeconds)) {
      await this.readers.change(
        reader,
        (tx, reader) => this.subscriptions.purgeDeleted(reader.id, graceSeconds, tx),
        'upkeep',
      );
    }
  }

  /** Higher subjects register removals for the end of each clean-up. */
  onCleanUp(remove: () => Promise<void>): void {
    this.#others.push(remove);
  }

  /**
   * Removes old read items that are not starred; then sources without followers, unreferenced articles,
   * icons, the older part of the fetch history and expired data of other subjects.
   */
  async cleanUp({
    grace = 'until-known',
    keepReadItems = this.settings.keepReadItems,
  }: CleanUpLimits): Promise<void> {
    if (keepReadItems > 0) {
      await this.#removeOldItems(keepReadItems, grace);
    }
    await this.clients.forgetUnseen(Math.max(1, this.settings.readItemsGraceDays));
    const unfollowed = await inBatches(
      () => this.sources.removeUnfollowed(SOURCES_PER_BATCH),
      SOURCES_PER_BATCH,
    );
    if (unfollowed > 0) {
      this.#logger.log(`removed ${unfollowed} sources without followers`);
    }
    await inBatches(
      () => this.sources.removeArticlesOfRemoved(SOURCES_PER_BATCH),
      SOURCES_PER_BATCH,
    );
    if (this.settings.keepArticlesDays > 0) {
      await this.#removeOldArticles(this.settings.keepArticlesDays);
    }
    await this.sources.removeOrphans();
    await inBatches(() => this.history.trim(ROWS_PER_BATCH));
    for (const remove of this.#others) {
      await remove();
    }
  }

  async #removeOldItems(
    keepReadItems: number,
    grace: NonNullable<CleanUpLimits['grace']>,
  ): Promise<void> {
    for (const reader of await this.items.readersWithOldRead(keepReadItems)) {
      await inBatches(() =>
        this.readers.change(
          reader,
          async (tx, reader) => {
            const before = await this.#changedBefore(reader, grace, tx);
            return this.items.removeOldRead(reader, keepReadItems, before, ROWS_PER_BATCH, tx);
          },
          'upkeep',
        ),
      );
    }
  }

  /** @returns unix microseconds; items that changed at this time or later are kept */
  async #changedBefore(
    reader: LockedReader,
    grace: NonNullable<CleanUpLimits['grace']>,
    tx: SqlRunner,
  ): Promise<number> {
    const now = reader.stampMicros + 1;
    const { readItemsGraceDays: days } = this.settings;
    if (grace === 'none' || days === 0) {
      return now;
    }
    const daysAgo = now - days * DAY_MICROS;
    if (grace === 'days') {
      return daysAgo;
    }
    const known = await this.clients.knownToAll(reader.id, days, tx);
    return known === null ? now : Math.max(daysAgo, known + 1);
  }

  async #removeOldArticles(keepDays: number): Promise<void> {
    for (const reader of await this.articles.readersWithExpired(keepDays)) {
      await this.readers.change(
        reader,
        (tx, reader) => this.articles.expirePending(reader.id, keepDays, tx),
        'upkeep',
      );
    }
    const limits = { sources: SOURCES_PER_BATCH, articles: ROWS_PER_BATCH };
    let total = 0;
    for (let after: number | null = 0; after !== null;) {
      const page = await this.articles.removeUnreferenced(after, keepDays, limits);
      total += page.removed;
      after = page.lastSourceId;
    }
    if (total > 0) {
      this.#logger.log(`removed ${total} unreferenced articles`);
    }
    await inBatches(() =>
      this.articles.forgetRemoved(this.settings.rememberedArticles, ROWS_PER_BATCH),
    );
  }
}

/** Repeats work on at most `size` rows until fewer are left. @returns the number of rows in all */
async function inBatches(work: () => Promise<number>, size = ROWS_PER_BATCH): Promise<number> {
  let total = 0;
  for (;;) {
    const done = await work();
    total += done;
    if (done < size) {
      return total;
    }
  }
}

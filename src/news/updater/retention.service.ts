import { Injectable, Logger } from '@nestjs/common';
import { NewsSettings } from '../news.settings.js';
import { ReaderClientsRepository } from '../reader/delivery/reader-clients.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { ArticleRetentionRepository } from '../sources/articles/article-retention.repository.js';
import { FetchHistoryRepository } from '../sources/history/fetch-history.repository.js';
import { SourcesRepository } from '../sources/sources.repository.js';
import { inBatches, ROWS_PER_BATCH } from './in-batches.js';
import { ReaderRetention, type CleanUpLimits } from './reader-retention.service.js';

const SOURCES_PER_BATCH = 200;

/**
 * Removes old read items, and rows that nothing refers to any more.
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
    private readonly ofReaders: ReaderRetention,
    private readonly clients: ReaderClientsRepository,
    private readonly sources: SourcesRepository,
    private readonly articles: ArticleRetentionRepository,
    private readonly history: FetchHistoryRepository,
  ) {}

  /** Higher subjects register removals for the end of each clean-up. */
  onCleanUp(remove: () => Promise<void>): void {
    this.#others.push(remove);
  }

  /**
   * Removes old read items that are not starred; then sources without followers, unreferenced articles,
   * icons, the older part of the fetch history and expired data of other subjects.
   */
  async cleanUp(limits: CleanUpLimits): Promise<void> {
    await this.ofReaders.removeOldRead(limits);
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

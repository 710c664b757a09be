import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks } from '../../database/background-tasks.js';
import { NewsSettings } from '../news.settings.js';
import { ItemDatesRepository } from '../reader/delivery/item-dates.repository.js';
import { SearchIndex } from '../reader/search/search-index.service.js';
import { FullTextService } from '../sources/full-text/full-text.service.js';
import { HousekeepingRepository } from './housekeeping.repository.js';

/** Interval at which all processes together look for articles to index. */
const INDEX_EVERY_SECONDS = 15;

/** Exceeds the request for a page that is aborted at shutdown. */
const STOP_WITHIN_MS = 60_000;

/**
 * Background work on stored articles: pages for full texts, dates of items after an upgrade, and the search
 * index. Any number of processes may run it.
 */
@Injectable()
export class ArticleWork implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Articles'));

  constructor(
    private readonly settings: NewsSettings,
    private readonly housekeeping: HousekeepingRepository,
    private readonly fullText: FullTextService,
    private readonly search: SearchIndex,
    private readonly dates: ItemDatesRepository,
  ) {}

  async fetchPages(): Promise<void> {
    await this.#tasks.run('full text', (signal) => this.fullText.fetchDue(signal));
  }

  /** Updates the search index, if it is this process's turn. */
  async index(): Promise<void> {
    await this.#tasks.run('indexing', async (signal) => {
      if (await this.housekeeping.takeTurn('search-index', INDEX_EVERY_SECONDS)) {
        await this.dates.dateAll(signal);
        await this.search.indexPending(signal);
      }
    });
  }

  /** Starts both where no schedule does, because a script drives the update cycle. Does not wait. */
  startUnlessScheduled(): void {
    if (!this.settings.scheduler) {
      void this.fetchPages();
      void this.#tasks.run('indexing', (signal) => this.search.indexPending(signal));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop(STOP_WITHIN_MS);
  }
}

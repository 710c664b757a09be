import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../common/config/config.js';
import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { FullTextService } from '../full-text/full-text.service.js';
import { SearchService } from '../search/search.service.js';
import { ScheduleRepository } from '../sources/schedule/schedule.repository.js';

const FETCH_PAGES_EVERY_MS = 5000;
const INDEX_EVERY_MS = 20_000;

/** How often, at most, all processes together look for articles to index. */
const INDEX_SECONDS = 15;

/**
 * What happens to articles after they were stored, and delays nobody: pages are fetched for those
 * who want full text, and the index of the search is brought up to date. Any number of processes
 * may run it.
 */
@Injectable()
export class ArticleWorkSchedule implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Articles');
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();

  constructor(
    private readonly config: Config,
    private readonly schedule: ScheduleRepository,
    private readonly fullText: FullTextService,
    private readonly search: SearchService,
  ) {}

  // Intervals rather than times of the day: those stand still when the clock is set back.
  @Interval('full-text', FETCH_PAGES_EVERY_MS)
  async fullTextTick(): Promise<void> {
    if (this.config.schedulerEnabled) {
      await this.#fetchPages();
    }
  }

  @Interval('search-index', INDEX_EVERY_MS)
  async indexTick(): Promise<void> {
    if (this.config.schedulerEnabled) {
      await this.#once('indexing', async () => {
        if (await this.schedule.takeTurn('search-index', INDEX_SECONDS)) {
          await this.search.indexPending(this.#stop.signal);
        }
      });
    }
  }

  /**
   * Starts the work where an outside updater drives and no schedule does. Does not wait for it.
   */
  catchUp(): void {
    if (!this.config.schedulerEnabled) {
      void this.#fetchPages();
      void this.#once('indexing', () => this.search.indexPending(this.#stop.signal));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running.values());
  }

  #fetchPages(): Promise<void> {
    return this.#once('full text', () => this.fullText.fetchDue(this.#stop.signal));
  }

  /** Never the same work twice at once. */
  #once(task: string, work: () => Promise<void>): Promise<void> {
    const running = this.#running.get(task);
    if (running !== undefined || this.#stop.signal.aborted) {
      return running ?? Promise.resolve();
    }
    const started = work()
      .catch((error: Error) => {
        // The next time tries again. That the database is away is in the log already.
        if (!(error instanceof DatabaseUnavailable)) {
          this.#logger.error(`${task} broke off: ${error.message}`);
        }
      })
      .finally(() => this.#running.delete(task));
    this.#running.set(task, started);
    return started;
  }
}

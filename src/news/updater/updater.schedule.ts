import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../common/config/config.js';
import { ArticleWork } from './article-work.js';
import { BackgroundTasks } from '../../database/background-tasks.js';
import { UpdateCycle } from './update-cycle.js';

const FETCH_EVERY_MS = 2000;
const KEEP_HOUSE_EVERY_MS = 20_000;
const FETCH_PAGES_EVERY_MS = 5000;
const INDEX_EVERY_MS = 20_000;

/**
 * The timers of the built-in updater. They call the steps of `UpdateCycle`, then the work on articles.
 * Intervals rather than times of day, which would pause when the clock is set back.
 */
@Injectable()
export class UpdaterSchedule implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Updater'));

  constructor(
    private readonly config: Config,
    private readonly cycle: UpdateCycle,
    private readonly articleWork: ArticleWork,
  ) {}

  @Interval('feeds', FETCH_EVERY_MS)
  async fetchTick(): Promise<void> {
    await this.#runTask('fetching', () => this.cycle.fetchDue());
  }

  /** Separate from fetches, so that a long round of them does not delay it. */
  @Interval('housekeeping', KEEP_HOUSE_EVERY_MS)
  async housekeepingTick(): Promise<void> {
    await this.#runTask('housekeeping', () => this.cycle.keepHouse());
  }

  @Interval('full-text', FETCH_PAGES_EVERY_MS)
  async fullTextTick(): Promise<void> {
    if (this.config.scheduler) {
      await this.articleWork.fetchPages();
    }
  }

  @Interval('search-index', INDEX_EVERY_MS)
  async indexTick(): Promise<void> {
    if (this.config.scheduler) {
      await this.articleWork.index();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }

  async #runTask(task: string, work: () => Promise<void>): Promise<void> {
    if (this.config.scheduler && !this.#tasks.isRunning(task)) {
      await this.#tasks.run(task, work);
    }
  }
}

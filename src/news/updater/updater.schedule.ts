import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks } from '../../database/background-tasks.js';
import { Regularly } from '../../database/regularly.js';
import { NewsSettings } from '../news.settings.js';
import { ArticleWork } from './article-work.task.js';
import { UpdateCycle } from './update-cycle.service.js';

/** The timers of the built-in updater. They call the steps of `UpdateCycle`, then the work on articles. */
@Injectable()
export class UpdaterSchedule implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Updater'));

  constructor(
    private readonly settings: NewsSettings,
    private readonly cycle: UpdateCycle,
    private readonly articleWork: ArticleWork,
  ) {}

  @Regularly('feeds', 2)
  async fetchTick(): Promise<void> {
    await this.#runTask('fetching', () => this.cycle.fetchDue());
  }

  /** Separate from fetches, so that a long round of them does not delay it. */
  @Regularly('housekeeping', 20)
  async housekeepingTick(): Promise<void> {
    await this.#runTask('housekeeping', () => this.cycle.keepHouse());
  }

  @Regularly('full-text', 5)
  async fullTextTick(): Promise<void> {
    if (this.settings.scheduler) {
      await this.articleWork.fetchPages();
    }
  }

  @Regularly('search-index', 20)
  async indexTick(): Promise<void> {
    if (this.settings.scheduler) {
      await this.articleWork.index();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }

  async #runTask(task: string, work: () => Promise<void>): Promise<void> {
    if (this.settings.scheduler && !this.#tasks.isRunning(task)) {
      await this.#tasks.run(task, work);
    }
  }
}

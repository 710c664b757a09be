import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { BackgroundTasks } from '../../database/background-tasks.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { Regularly } from '../../database/regularly.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';
import { EVENT_DELIVERIES } from './event-delivery.service.js';
import { NEWS_EVENT_DELIVERIES } from './news-event-delivery.service.js';

/**
 * Drops the oldest events of apps that do not answer, or answer slower than events come: one user can
 * cause any number of them, and the queue serves all apps. Every process runs it.
 */
@Injectable()
export class UndeliveredEvents implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Events'));

  constructor(
    private readonly jobs: JobQueue,
    private readonly log: ExAppLog,
    private readonly config: Config,
  ) {}

  @Regularly('undelivered-events', 60)
  async tick(): Promise<void> {
    await this.#tasks.run('dropping undelivered events', () => this.trim());
  }

  /** Drops what is beyond the limit now; the log of the app says how many. */
  async trim(): Promise<void> {
    const most = this.config.limits['undelivered-events-per-app'];
    const dropped = await this.jobs.trim([EVENT_DELIVERIES, NEWS_EVENT_DELIVERIES], most);
    for (const [appId, count] of dropped) {
      this.log.warn(
        appId,
        `the oldest undelivered events were dropped: ${count}, since more than ${most} waited (undelivered-events-per-app)`,
      );
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}

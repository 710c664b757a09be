import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { AccountDeletionHooks } from '../../common/ports/hooks.js';
import { NewsEventSourceOffer } from '../../common/ports/news-events.js';
import { BackgroundTasks } from '../../database/background-tasks.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { Regularly } from '../../database/regularly.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';
import { EVENT_DELIVERIES } from './event-delivery.service.js';
import { NEWS_EVENT_DELIVERIES } from './news-event-delivery.service.js';

const KINDS = [EVENT_DELIVERIES, NEWS_EVENT_DELIVERIES];

/**
 * Drops events that apps have not received: the oldest of apps that do not answer, or answer slower than
 * events come, since one user can cause any number of them, and the queue serves all apps; and those of
 * deleted accounts.
 */
@Injectable()
export class UndeliveredEvents implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('Events'));

  constructor(
    private readonly jobs: JobQueue,
    private readonly log: ExAppLog,
    private readonly config: Config,
    private readonly newsEvents: NewsEventSourceOffer,
    private readonly deletionHooks: AccountDeletionHooks,
  ) {}

  onApplicationBootstrap(): void {
    // Registered last: removing the user's feeds causes events.
    this.deletionHooks.add((userId) => this.forget(userId));
  }

  @Regularly('undelivered-events', 60)
  async tick(): Promise<void> {
    await this.#tasks.run('dropping undelivered events', () => this.trim());
  }

  /** Drops what is beyond the limit now; the log of the app says how many. */
  async trim(): Promise<void> {
    const most = this.config.limits['undelivered-events-per-app'];
    const dropped = await this.jobs.trim(KINDS, most);
    for (const [appId, count] of dropped) {
      this.log.warn(
        appId,
        `the oldest undelivered events were dropped: ${count}, since more than ${most} waited (undelivered-events-per-app)`,
      );
    }
  }

  /**
   * Drops all events of a user, dead letters too: names of files and ids of items would otherwise stay, and be
   * delivered as those of the next account of that name. Call when the user causes no more of them.
   */
  async forget(userId: string): Promise<void> {
    // Recorded events of a user without a reader are not published, but some may be on their way.
    await this.newsEvents.service?.publishedAreStored();
    for (const kind of KINDS) {
      await this.jobs.forget(kind, { userId });
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}

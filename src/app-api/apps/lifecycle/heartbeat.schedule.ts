import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import { Regularly } from '../../../database/regularly.js';
import { ExAppsService } from './ex-apps.service.js';
import { LifecycleService } from './lifecycle.service.js';

const CHECK_EVERY_SECONDS = 60;

/** The name of the timer. */
export const EX_APPS_SCHEDULE = 'ex-apps';

/**
 * Checks the connection to each enabled app once a minute, fails overdue initialisations, and resumes
 * unfinished work of crashed processes. Every process runs it; the database gives each app to one of them.
 */
@Injectable()
export class HeartbeatSchedule implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('ExApps'));

  constructor(
    private readonly apps: ExAppsService,
    private readonly lifecycle: LifecycleService,
  ) {}

  // Runs more often than apps are due, so that one process does not get all of them.
  @Regularly(EX_APPS_SCHEDULE, 10)
  async tick(): Promise<void> {
    await this.#tasks.run('checking external apps', () => this.runRound());
  }

  /** Does the heartbeats that are due. */
  async runRound(): Promise<void> {
    await this.lifecycle.failOverdue();
    await this.lifecycle.resumeAbandoned();
    await this.apps.checkDue(CHECK_EVERY_SECONDS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}

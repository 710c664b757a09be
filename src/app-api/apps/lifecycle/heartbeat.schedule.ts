import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Cron } from '@nestjs/schedule';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { ExAppLog } from '../log/ex-app-log.js';
import { ExAppsService } from '../ex-apps.service.js';
import { LifecycleService } from './lifecycle.service.js';
import { ExAppsRepository } from '../ex-apps.repository.js';
import { LifecycleRepository } from './lifecycle.repository.js';

const CHECK_EVERY_SECONDS = 60;

/** For whoever wants to stop or start the timer. */
export const EX_APPS_SCHEDULE = 'ex-apps';

/**
 * Looks after apps while nobody else does: checks the connection to each enabled one once a minute,
 * tells of initialisations that take too long, and goes on with what a process left unfinished.
 * Every process may run it; the database gives each app to one of them.
 */
@Injectable()
export class HeartbeatSchedule implements BeforeApplicationShutdown {
  readonly #logger = new Logger('ExApps');
  #stopped = false;
  #round: Promise<void> = Promise.resolve();

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly apps: ExAppsRepository,
    private readonly exApps: ExAppsService,
    private readonly transitions: LifecycleRepository,
    private readonly lifecycle: LifecycleService,
    private readonly log: ExAppLog,
  ) {}

  // Oftener than apps are due, so that they do not all fall to the process that ticks first.
  @Cron('*/10 * * * * *', { name: EX_APPS_SCHEDULE, waitForCompletion: true })
  async tick(): Promise<void> {
    // A command of the command line starts no web server, and minds its own business.
    if (!this.http.listening || this.#stopped) {
      return;
    }
    this.#round = this.runRound();
    try {
      await this.#round;
    } catch (error) {
      // The next tick tries again. That the database is away is in the log already.
      if (!(error instanceof DatabaseUnavailable)) {
        this.#logger.error(`looking after external apps broke off: ${(error as Error).message}`);
      }
    }
  }

  /** One round: whatever is due now. */
  async runRound(): Promise<void> {
    await this.lifecycle.failOverdue();
    for (const { appId, step } of await this.transitions.findForgotten()) {
      this.lifecycle.resumeForgotten(appId, step);
    }
    const due = await this.transitions.claimChecks(CHECK_EVERY_SECONDS);
    await Promise.all(due.map((appId) => this.#check(appId)));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    await this.#round.catch(() => {});
  }

  async #check(appId: string): Promise<void> {
    const app = await this.apps.find(appId);
    if (app === null || !app.enabled) {
      return;
    }
    const heartbeat = await this.exApps.check(app);
    const known = app.status.heartbeat_error ?? '';
    if (!heartbeat.alive && known === '') {
      this.log.warn(appId, `does not answer any more: ${heartbeat.error}`);
    }
    if (heartbeat.alive && known !== '') {
      this.log.note(appId, 'answers again');
    }
  }
}

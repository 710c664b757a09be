import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Cron } from '@nestjs/schedule';
import { ExAppUninstallHooks } from '../../../common/ports/ex-app-uninstall-hooks.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { TaskQueue } from './task-queue.service.js';

/** Rounds of 15 seconds in which an installation without providers is left alone. */
const IDLE_ROUNDS = 40;

/**
 * Ends leases, and announces waiting tasks again. Every process does; each task is given back once.
 * Without a provider it looks every ten minutes only.
 */
@Injectable()
export class TaskLeasesSchedule implements BeforeApplicationShutdown {
  readonly #logger = new Logger('TaskProcessing');
  #round: Promise<void> = Promise.resolve();
  #idleRounds = IDLE_ROUNDS;
  #isStopped = false;

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly queue: TaskQueue,
    private readonly catalogue: TaskCatalogue,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    uninstallHooks.onUninstall((appId) => this.queue.giveBackOf(appId));
  }

  @Cron('*/15 * * * * *', { name: 'task-leases', waitForCompletion: true })
  async tick(): Promise<void> {
    // Commands run without a web server, and without this schedule.
    if (!this.http.listening || this.#isStopped || !(await this.#isInUse())) {
      return;
    }
    this.#round = this.runRound();
    try {
      await this.#round;
    } catch (error) {
      // Retried with the next tick. An unavailable database is logged elsewhere.
      if (!(error instanceof DatabaseUnavailable)) {
        this.#logger.error(`looking after tasks failed: ${(error as Error).message}`);
      }
    }
  }

  /** Does what is due now. */
  async runRound(): Promise<void> {
    await this.queue.endLeases();
    await this.queue.giveBackWithoutProvider();
    await this.queue.announceWaiting();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    await this.#round.catch(() => {});
  }

  async #isInUse(): Promise<boolean> {
    const types = await this.catalogue.available().catch(() => new Map());
    this.#idleRounds = types.size > 0 ? 0 : this.#idleRounds + 1;
    if (this.#idleRounds > IDLE_ROUNDS) {
      this.#idleRounds = 0;
      return true;
    }
    return types.size > 0;
  }
}

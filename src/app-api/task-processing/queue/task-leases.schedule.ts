import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Cron } from '@nestjs/schedule';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { TaskQueue } from './task-queue.service.js';

/** Name of the schedule. */
export const TASK_LEASES_SCHEDULE = 'task-leases';

/** Looks after tasks, in every process; each task is given back once. */
@Injectable()
export class TaskLeasesSchedule implements BeforeApplicationShutdown {
  readonly #logger = new Logger('TaskProcessing');
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly queue: TaskQueue,
  ) {}

  @Cron('*/15 * * * * *', { name: TASK_LEASES_SCHEDULE, waitForCompletion: true })
  async tick(): Promise<void> {
    // Commands run without a web server, and without this schedule.
    if (!this.http.listening || this.#isStopped) {
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
    await this.queue.lookAfter();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    await this.#round.catch(() => {});
  }
}

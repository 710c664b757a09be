import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Cron } from '@nestjs/schedule';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import { TaskQueue } from './task-queue.service.js';

/** Name of the schedule. */
export const TASK_LEASES_SCHEDULE = 'task-leases';

/** Looks after tasks, in every process; each task is given back once. */
@Injectable()
export class TaskLeasesSchedule implements BeforeApplicationShutdown {
  readonly #tasks = new BackgroundTasks(new Logger('TaskProcessing'));

  constructor(
    private readonly http: HttpAdapterHost,
    private readonly queue: TaskQueue,
  ) {}

  @Cron('*/15 * * * * *', { name: TASK_LEASES_SCHEDULE, waitForCompletion: true })
  async tick(): Promise<void> {
    // Commands run without a web server, and without this schedule.
    if (this.http.listening) {
      await this.#tasks.run('looking after tasks', () => this.runRound());
    }
  }

  /** Does what is due now. */
  async runRound(): Promise<void> {
    await this.queue.lookAfter();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }
}

import { Injectable } from '@nestjs/common';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';
import { ScheduledTypes } from './scheduled-types.js';
import { TaskQueue } from './task-queue.service.js';
import { TaskTriggers } from './task-triggers.service.js';

const WAITING_SECONDS = 60;

/** What has to be done for tasks from time to time. Several processes may do it at once. */
@Injectable()
export class TaskRounds {
  /** What `ScheduledTypes.changes` was when there was no unfinished task; else null. */
  #quietSince: number | null = null;

  constructor(
    private readonly queue: TaskQueue,
    private readonly tasks: ProcessingTasksRepository,
    private readonly scheduled: ScheduledTypes,
    private readonly triggers: TaskTriggers,
  ) {}

  /**
   * Ends leases, and triggers again for tasks that wait for longer than a minute. Without a statement
   * while there are no unfinished tasks.
   */
  async run(): Promise<void> {
    const { changes } = this.scheduled;
    if (changes !== null && changes === this.#quietSince) {
      return;
    }
    this.#quietSince = null;
    if (!(await this.tasks.anyUnfinished())) {
      this.#quietSince = changes;
      return;
    }
    await this.queue.tidy();
    for (const type of await this.tasks.waitingTypes(WAITING_SECONDS)) {
      this.triggers.trigger(type);
    }
  }
}

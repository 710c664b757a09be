import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../database/database.js';
import {
  TaskFailed,
  ProcessingTaskNotFound,
  TaskTypeUnavailable,
  TooManyTasks,
} from '../task-processing.errors.js';
import { type NewTask, type Task, TasksRepository } from './tasks.repository.js';
import { type TaskRequest, TaskScheduler } from '../consumers/task-scheduler.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import type { Patience } from '../../../common/ports/patience.js';
import type { Account } from '../../../common/ports/user-directory.js';

/** No caller waits for scheduled tasks, and small machines are slow. */
const MAX_SECONDS = 3600;

type Work = Pick<TaskRequest, 'typeId' | 'input' | 'uploads'>;

/** The custom id of a task that does the work of an older one. */
const OLDER = /^older-task:(\d{1,15})$/;

/**
 * Tasks of the older routes that run in task processing: a row of the older kind, whose id clients know,
 * and a task beside it. The row is finished in the transaction that ends the task.
 *
 * @see docs/decisions/0051-the-reader-uses-task-processing.md
 */
@Injectable()
export class OlderTasks {
  constructor(
    private readonly tasks: TasksRepository,
    private readonly scheduler: TaskScheduler,
    private readonly catalogue: TaskCatalogue,
    private readonly database: Database,
    private readonly config: Config,
    queue: TaskQueue,
  ) {
    queue.onEnd(async (task, tx) => {
      const older = OLDER.exec(task.customId ?? '')?.[1];
      // Every user may choose such a custom id, but it names tasks of the same user only.
      if (older !== undefined && task.userId !== null) {
        await tasks.finishOwn(tx, task.userId, Number(older), reportOf(task));
      }
    });
  }

  /**
   * Schedules a task and waits for its text.
   *
   * @throws TaskFailed, TaskTypeUnavailable; the reason of `patience.signal`
   */
  async run({ userId }: Account, request: Work, patience: Patience = {}): Promise<string> {
    const wanted = { ...request, userId, consumer: 'gatefold' };
    const { output: text } = await this.scheduler.run(wanted, patience);
    if (typeof text !== 'string') {
      throw new TaskFailed('The external app sent no text.');
    }
    return text;
  }

  /**
   * @param task input and note as the older routes show them
   * @throws TaskTypeUnavailable, TooManyTasks, InvalidTaskInput
   */
  async schedule(
    task: Pick<NewTask, 'kind' | 'userId' | 'input' | 'note'>,
    request: Work,
  ): Promise<Task> {
    const available = (await this.catalogue.available()).get(request.typeId);
    if (available === undefined) {
      throw new TaskTypeUnavailable(request.typeId);
    }
    const { appId, id: providerName } = available.provider;
    const most = this.config.limits['tasks-per-user'];
    const row = { ...task, appId, providerName, state: 'queued', maxSeconds: MAX_SECONDS } as const;
    const created = await this.database.transaction((tx) => this.tasks.create(row, most, tx));
    if (created === null) {
      throw new TooManyTasks(most);
    }
    try {
      const { id } = await this.scheduler.schedule({
        ...request,
        userId: task.userId,
        consumer: task.note?.['appId'] || 'gatefold',
        customId: `older-task:${created.id}`,
      });
      await this.tasks.setProcessingTask(created.id, id);
    } catch (error) {
      await this.tasks.remove(created.id);
      throw error;
    }
    const stored = await this.tasks.find(created.id);
    if (stored === null) {
      throw new ProcessingTaskNotFound(created.id);
    }
    return stored;
  }
}

function reportOf({ state, output, userError }: ProcessingTask): Pick<Task, 'result' | 'error'> {
  const text = output?.['output'];
  if (state === 'successful' && typeof text === 'string') {
    return { result: text, error: '' };
  }
  const isCancelled = state === 'cancelled';
  const unknown = isCancelled
    ? 'The task was cancelled.'
    : 'The external app could not do the task.';
  return { result: '', error: userError ?? unknown };
}

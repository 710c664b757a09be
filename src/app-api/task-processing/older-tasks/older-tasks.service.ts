import { Injectable } from '@nestjs/common';
import { ExAppUninstallHooks } from '../../../common/ports/hooks.js';
import type { Patience } from '../../../common/ports/patience.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { OwnTasksRepository, type TaskOwner } from '../consumers/own-tasks.repository.js';
import { CALLS } from '../consumers/task-calls.service.js';
import { type TaskRequest, TaskScheduler } from '../consumers/task-scheduler.service.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import { TaskFailed, ProcessingTaskNotFound } from '../task-processing.errors.js';
import { type OlderKind, olderKindOf, TYPES_OF_KIND } from '../types/older-kinds.js';

/** The host's own name as a consumer: that of tasks without another. */
export const HOST = 'gatefold';

/** No caller waits for scheduled tasks, and small machines are slow. */
const SCHEDULED_SECONDS = 3600;

export type Work = Pick<TaskRequest, 'typeId' | 'userId' | 'input' | 'uploads' | 'provider'>;

/** What a caller wants to see again with a task. */
export interface OlderNote {
  /** Empty if there is none, like the next field. */
  readonly appId: string;
  readonly identifier: string;
  /** Of a recording. */
  readonly filename?: string;
}

/** The report of a provider; `error` is empty unless the task failed. */
interface OlderReport {
  readonly result: string;
  readonly error: string;
}

/**
 * Tasks of the older routes: they wait in the queue of task processing, for apps that fetch them or for a
 * provider that is called.
 *
 * @see docs/decisions/0051-the-reader-uses-task-processing.md
 */
@Injectable()
export class OlderTasks {
  constructor(
    private readonly scheduler: TaskScheduler,
    private readonly own: OwnTasksRepository,
    private readonly tasks: ProcessingTasksRepository,
    private readonly queue: TaskQueue,
    jobs: JobQueue,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    // The tasks themselves are deleted with the app's row.
    uninstallHooks.add(async (appId) => {
      await jobs.forget(CALLS, { group: appId });
    });
  }

  /**
   * Schedules a task and waits for its text.
   *
   * @throws TaskFailed, TaskTypeUnavailable; the reason of `patience.signal`
   */
  async run(work: Work, patience: Patience = {}): Promise<string> {
    const isCalled = work.provider !== undefined;
    const request = { ...work, consumer: HOST, ...(isCalled && { older: {} }) };
    const { output: text } = await this.scheduler.run(request, patience);
    if (typeof text !== 'string') {
      throw new TaskFailed('The external app sent no text.');
    }
    return text;
  }

  /** @throws TaskTypeUnavailable, TooManyTasks, InvalidTaskInput */
  async schedule(work: Work, { appId, identifier, ...older }: OlderNote): Promise<ProcessingTask> {
    return this.scheduler.schedule({
      ...work,
      consumer: appId || HOST,
      customId: identifier,
      older,
      maxSeconds: SCHEDULED_SECONDS,
    });
  }

  /** @throws ProcessingTaskNotFound, also if it is another user's task */
  async find(userId: string, kind: OlderKind, id: number): Promise<ProcessingTask> {
    await this.queue.failOverdue();
    return ProcessingTaskNotFound.unless(await this.own.find(ownerOf(userId, kind), id), id);
  }

  /** Newest first, at most 200. */
  async list(
    userId: string,
    kind: OlderKind,
    {
      appId,
      identifier,
    }: { readonly appId?: string | undefined; readonly identifier?: string | undefined },
  ): Promise<ProcessingTask[]> {
    await this.queue.failOverdue();
    const filter = { typeId: null, consumer: appId ?? null, customId: identifier ?? null };
    return this.own.list(ownerOf(userId, kind), filter);
  }

  /**
   * Deletes a task; later reports about it are refused. One that apps fetch is cancelled.
   *
   * @returns the task as it was
   * @throws ProcessingTaskNotFound, also if it is another user's task
   */
  async remove(userId: string, kind: OlderKind, id: number): Promise<ProcessingTask> {
    const task = await this.find(userId, kind, id);
    if (task.calledAppId === null) {
      await this.own.forgetOlder(task.id);
      await this.queue.cancel(task.id);
    } else {
      await this.tasks.remove(task.id);
    }
    return task;
  }

  /**
   * Ends a task with the report of the provider that was called. Ignored for an ended task: the first
   * report counts.
   *
   * @throws ProcessingTaskNotFound, also if it is another app's task
   */
  async report(
    appId: string,
    kind: OlderKind,
    id: number,
    { result, error }: OlderReport,
  ): Promise<void> {
    const task = await this.#called(appId, kind, id);
    await this.tasks.noteCalled(task.id);
    await this.queue.endCalled(
      task.id,
      error === ''
        ? { state: 'successful', output: { output: result }, fileIds: [] }
        : { state: 'failed', error, userError: error },
    );
  }

  /**
   * @param progress from 0 to 1
   * @throws ProcessingTaskNotFound, also if it is another app's task
   */
  async reportProgress(
    appId: string,
    kind: OlderKind,
    id: number,
    progress: number,
  ): Promise<void> {
    const task = await this.#called(appId, kind, id);
    await this.tasks.noteCalled(task.id, progress);
  }

  async #called(appId: string, kind: OlderKind, id: number): Promise<ProcessingTask> {
    await this.queue.failOverdue();
    const task = await this.tasks.called(id);
    if (task === null || task.calledAppId !== appId || olderKindOf(task.type) !== kind) {
      throw new ProcessingTaskNotFound(id);
    }
    return task;
  }
}

const ownerOf = (userId: string, kind: OlderKind): TaskOwner => ({
  userId,
  consumer: '',
  olderTypes: TYPES_OF_KIND[kind],
});

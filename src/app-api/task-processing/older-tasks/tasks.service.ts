import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Config } from '../../../common/config/config.js';
import { AccountDeletionHooks } from '../../../common/ports/account-deletion-hooks.js';
import type { Patience } from '../../../common/ports/patience.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import { Regularly } from '../../../database/regularly.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import type { Registration } from '../../capabilities/capability.js';
import type { TaskKind } from './ex-app-task.entity.js';
import { inPieces } from '../files/pieces.js';
import { TaskDeliveryService, type ProviderFields } from './task-delivery.service.js';
import { TaskFailed, ProcessingTaskNotFound, TooManyTasks } from '../task-processing.errors.js';
import { TasksRepository, type NewTask, type OwnTasks, type Task } from './tasks.repository.js';

/** Work for one provider. */
export interface Assignment extends Pick<NewTask, 'kind' | 'userId' | 'input' | 'note'> {
  readonly provider: Registration<ProviderFields>;
  /** Input of speech to text; stored while it arrives. */
  readonly recording?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Default 300. */
  readonly maxSeconds?: number;
}

/** Numbers of stored tasks; finished ones are deleted after seven days. */
type TaskCounts = Readonly<Record<'queued' | 'running' | 'done' | 'failed', number>>;

const MAX_SECONDS = 300;
const KEEP_DAYS = 7;
const MOST_LISTED = 200;
const PIECE_BYTES = 1024 * 1024;
const UPLOAD_SECONDS = 3600;
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1000;

/**
 * Tasks for providers: stored, delivered to the app, finished by the app's report. They survive a
 * restart, and the report may arrive at another process than the one that waits for it.
 *
 * @see docs/app-api-tasks.md "Older providers"
 */
@Injectable()
export class TasksService implements BeforeApplicationShutdown {
  readonly #finished = new EventEmitter().setMaxListeners(0);
  readonly #stop = new AbortController();

  constructor(
    private readonly tasks: TasksRepository,
    private readonly delivery: TaskDeliveryService,
    private readonly database: Database,
    private readonly config: Config,
    private readonly processing: TaskQueue,
    deletionHooks: AccountDeletionHooks,
  ) {
    delivery.onFailed((taskId) => this.#finished.emit(String(taskId)));
    deletionHooks.onErase((userId) => tasks.removeOfUser(userId));
  }

  /**
   * Stores a task; it is delivered as soon as the app can be reached. A recording is read to its end
   * first.
   */
  async schedule({
    provider,
    maxSeconds = MAX_SECONDS,
    recording,
    ...work
  }: Assignment): Promise<Task> {
    const { appId, fields } = provider;
    const task = { ...work, appId, providerName: fields.name, maxSeconds };
    if (recording !== undefined) {
      return this.#upload(task, recording);
    }
    const queued = await this.database.transaction(async (tx) => {
      const created = await this.#create({ ...task, state: 'queued' }, tx);
      await this.delivery.enqueue(created, tx);
      return created;
    });
    this.delivery.wake();
    return queued;
  }

  /**
   * Schedules a task and waits for its result. A task that is given up is deleted.
   *
   * @throws TaskFailed; the reason of `signal`
   */
  async run(
    assignment: Omit<Assignment, 'maxSeconds'>,
    { maxSeconds = MAX_SECONDS, signal, onProgress }: Patience = {},
  ): Promise<string> {
    const { id } = await this.schedule({ ...assignment, maxSeconds });
    const { state, result, error } = await this.#awaitFinished(id, signal, onProgress);
    if (state === 'done') {
      return result;
    }
    throw new TaskFailed(error);
  }

  /**
   * Finishes a task with the provider's report. Ignored for a finished task: the first report counts.
   *
   * @param report `error` is empty unless the task failed
   * @throws ProcessingTaskNotFound, also if it is another app's task
   */
  async report(
    appId: string,
    kind: TaskKind,
    taskId: number,
    report: Pick<Task, 'result' | 'error'>,
  ): Promise<void> {
    if (!(await this.tasks.finish({ appId, kind, id: taskId }, report))) {
      throw new ProcessingTaskNotFound(taskId);
    }
    this.#finished.emit(String(taskId));
  }

  /**
   * @param progress per cent
   * @throws ProcessingTaskNotFound, also if it is another app's task
   */
  async reportProgress(
    appId: string,
    kind: TaskKind,
    taskId: number,
    progress: number,
  ): Promise<void> {
    if (!(await this.tasks.recordProgress({ appId, kind, id: taskId }, progress))) {
      throw new ProcessingTaskNotFound(taskId);
    }
  }

  /** @throws ProcessingTaskNotFound, also if it is another user's task */
  async find(userId: string, kind: TaskKind, taskId: number): Promise<Task> {
    const task = await this.tasks.find(taskId);
    if (task === null || task.userId !== userId || task.kind !== kind) {
      throw new ProcessingTaskNotFound(taskId);
    }
    return task;
  }

  /** Newest first, at most 200. */
  async list(own: OwnTasks): Promise<Task[]> {
    return this.tasks.ofUser(own, MOST_LISTED);
  }

  /**
   * Deletes a task; later reports about it are refused.
   *
   * @returns the task as it was
   * @throws ProcessingTaskNotFound, also if it is another user's task
   */
  async remove(userId: string, kind: TaskKind, taskId: number): Promise<Task> {
    const task = await this.find(userId, kind, taskId);
    await this.tasks.remove(taskId);
    if (task.processingTaskId !== null) {
      await this.processing.cancel(task.processingTaskId);
    }
    return task;
  }

  async counts(): Promise<TaskCounts> {
    return { queued: 0, running: 0, done: 0, failed: 0, ...(await this.tasks.countByState()) };
  }

  @Regularly('older-tasks', HOUR_SECONDS)
  async tidy(): Promise<void> {
    await this.tasks.failOverdue();
    await this.tasks.deleteFinished(KEEP_DAYS);
    await this.tasks.deleteAbandonedUploads();
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  async #create(task: NewTask, tx: SqlRunner): Promise<Task> {
    const most = this.config.limits['tasks-per-user'];
    const created = await this.tasks.create(task, most, tx);
    if (created === null) {
      throw new TooManyTasks(most);
    }
    return created;
  }

  /** Woken by a report to this process; polls, up to once a second, for reports to others. */
  async #awaitFinished(
    taskId: number,
    givenUp: AbortSignal | undefined,
    onProgress: Patience['onProgress'],
  ): Promise<Task> {
    let progress: number | null = null;
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_POLL_MS)) {
      const polled = new AbortController();
      const ends = givenUp === undefined ? [] : [givenUp];
      const signal = AbortSignal.any([polled.signal, this.#stop.signal, ...ends]);
      const report = once(this.#finished, String(taskId), { signal });
      report.catch(() => {});
      try {
        const task = await this.tasks.find(taskId);
        if (task === null) {
          throw new ProcessingTaskNotFound(taskId);
        }
        if (task.finishedSeconds !== null) {
          return task;
        }
        if (task.progress !== null && task.progress !== progress) {
          progress = task.progress;
          onProgress?.(progress / 100);
        }
        await Promise.race([report, delay(pauseMs, undefined, { signal })]);
      } catch (error) {
        if (this.#stop.signal.aborted) {
          throw new TaskFailed('The service is stopping.');
        }
        if (givenUp?.aborted === true) {
          await this.tasks.remove(taskId);
          throw givenUp.reason;
        }
        throw error;
      } finally {
        polled.abort();
      }
    }
  }

  /** Outside of a transaction: a recording arrives at the speed of its sender. */
  async #upload(
    task: Omit<NewTask, 'state'>,
    recording: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<Task> {
    const uploading = { ...task, state: 'uploading', maxSeconds: UPLOAD_SECONDS } as const;
    const { id } = await this.database.transaction((tx) => this.#create(uploading, tx));
    try {
      let place = 0;
      for await (const piece of inPieces(recording, PIECE_BYTES)) {
        await this.tasks.addPiece(id, place, piece);
        place += 1;
      }
      const queued = await this.database.transaction(async (tx) => {
        const complete = await this.tasks.queue(id, task.maxSeconds, tx);
        if (complete === null) {
          throw new ProcessingTaskNotFound(id);
        }
        await this.delivery.enqueue(complete, tx);
        return complete;
      });
      this.delivery.wake();
      return queued;
    } catch (error) {
      await this.tasks.remove(id);
      throw error;
    }
  }
}

import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { TaskFailed } from '../../tasks/tasks.errors.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import type { SlotValues, TaskWebhook } from '../queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import type { ProcessingTask } from '../queue/processing-tasks.sql.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import { ProcessingTaskNotFound, TaskTypeUnavailable } from '../task-processing.errors.js';

/** A file of the input that the host has, and no user: stored with the task while it arrives. */
export interface InputUpload {
  readonly filename: string;
  readonly mime: string;
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** A task to schedule. */
export interface TaskRequest {
  readonly typeId: string;
  /** Values by slot; files are ids of the user's files. */
  readonly input: SlotValues;
  /** Files of slots that `input` does not have. */
  readonly uploads?: Readonly<Record<string, InputUpload>>;
  /** Null for a task of an app itself. */
  readonly userId: string | null;
  /** The `appId` that is shown with the task. */
  readonly consumer: string;
  readonly customId?: string | null;
  readonly webhook?: TaskWebhook | null;
  readonly includeWatermark?: boolean;
  readonly preferStreaming?: boolean;
}

interface Patience {
  /** The task is cancelled after this time. Default 300. */
  readonly maxSeconds?: number;
  /** Cancels the task. */
  readonly signal?: AbortSignal;
  /** @param progress from 0 to 1; called when it has changed */
  readonly onProgress?: (progress: number) => void;
}

const MAX_SECONDS = 300;
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1000;

/**
 * Schedules tasks of task processing, for the consumers' routes and for the host's own rooms.
 *
 * @see docs/app-api.md "Task processing"
 */
@Injectable()
export class TaskScheduler implements BeforeApplicationShutdown {
  readonly #stop = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly catalogue: TaskCatalogue,
    private readonly queue: TaskQueue,
    private readonly tasks: ProcessingTasksRepository,
  ) {}

  /**
   * Checks the input and stores the task.
   *
   * @throws TaskTypeUnavailable, InvalidTaskInput, TooManyTasks
   */
  async schedule(request: TaskRequest): Promise<ProcessingTask> {
    const available = (await this.catalogue.available()).get(request.typeId);
    if (available === undefined) {
      throw new TaskTypeUnavailable(request.typeId);
    }
    const task = await this.database.transaction((tx) =>
      this.queue.add(tx, {
        type: request.typeId,
        state: 'scheduled',
        userId: request.userId,
        consumer: request.consumer,
        customId: request.customId ?? null,
        input: request.input,
        fileIds: [],
        includeWatermark: request.includeWatermark ?? true,
        preferStreaming: request.preferStreaming ?? false,
        webhook: request.webhook ?? null,
        expectedSeconds: available.provider.expectedSeconds,
      }),
    );
    this.queue.announce(task);
    return task;
  }

  /**
   * Schedules a task and waits for its output. A task that is given up is cancelled.
   *
   * @throws TaskFailed with a message for the user, and as `schedule`; the reason of `signal`
   */
  async run(request: TaskRequest, patience: Patience = {}): Promise<SlotValues> {
    const { id } = await this.schedule(request);
    const { maxSeconds = MAX_SECONDS, signal, onProgress } = patience;
    const over = AbortSignal.any([
      this.#stop.signal,
      AbortSignal.timeout(maxSeconds * 1000),
      ...(signal ? [signal] : []),
    ]);
    try {
      return await this.#output(id, over, onProgress);
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        await this.queue.cancel(id);
      }
      signal?.throwIfAborted();
      throw error;
    }
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  async #output(
    id: number,
    over: AbortSignal,
    onProgress?: (progress: number) => void,
  ): Promise<SlotValues> {
    let progress: number | null = null;
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_POLL_MS)) {
      const task = await this.tasks.find(id);
      if (task === null) {
        throw new ProcessingTaskNotFound(id);
      }
      if (task.state === 'successful') {
        return task.output ?? {};
      }
      if (task.endedSeconds !== null) {
        throw new TaskFailed(task.userError ?? 'The external app could not do the task.');
      }
      if (over.aborted) {
        throw new TaskFailed('The external app did not finish the task in time.');
      }
      if (task.progress !== null && task.progress !== progress) {
        progress = task.progress;
        onProgress?.(progress);
      }
      await this.queue.pauseUntilEnd(id, pauseMs, over);
    }
  }
}

import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../database/database.js';
import {
  ProcessingTaskNotFound,
  TaskFailed,
  TaskTypeUnavailable,
  TooManyTasks,
} from '../task-processing.errors.js';
import { TaskFilesService, type ArrivingFile } from '../files/task-files.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import type {
  NewProcessingTask,
  ProcessingTask,
  SlotValues,
  TaskWebhook,
} from '../queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import { checkValues, inputSlots, type Slots } from '../queue/check-values.js';
import { OwnTasksRepository } from './own-tasks.repository.js';

/** A file of the input that the host has, and no user: stored with the task while it arrives. */
type InputUpload = ArrivingFile;

/** A task to schedule. */
export interface TaskRequest {
  readonly typeId: string;
  /** Values by slot; files are ids of the user's files. */
  readonly input: SlotValues;
  /** Files of slots that `input` does not have; for a slot with a list, its only file. */
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

type Uploads = NonNullable<TaskRequest['uploads']>;

/** Placeholder for the id of an upload while the input is checked: no file has it. */
const NOT_YET_STORED = Number.MAX_SAFE_INTEGER;

const MAX_SECONDS = 300;
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1000;

/**
 * Schedules tasks of task processing, for the consumers' routes and for the host's own rooms.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@Injectable()
export class TaskScheduler implements BeforeApplicationShutdown {
  readonly #stop = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly catalogue: TaskCatalogue,
    private readonly queue: TaskQueue,
    private readonly tasks: ProcessingTasksRepository,
    private readonly own: OwnTasksRepository,
    private readonly files: TaskFilesService,
    private readonly config: Config,
  ) {}

  /**
   * Checks the input and stores the task. Uploads are read to their end first.
   *
   * @throws TaskTypeUnavailable, InvalidTaskInput, TaskInputUnreadable, TooManyTasks
   * @throws TaskFileTooLarge, TooManyTaskFiles, StorageFull for uploads
   */
  async schedule(request: TaskRequest): Promise<ProcessingTask> {
    const available = (await this.catalogue.available()).get(request.typeId);
    if (available === undefined) {
      throw new TaskTypeUnavailable(request.typeId);
    }
    const { typeId, userId, consumer, uploads = {} } = request;
    const slots = inputSlots(available);
    const sent = { ...request.input, ...filled(slots, uploads, () => NOT_YET_STORED) };
    const { values, fileIds } = checkValues(slots, sent);
    await this.files.assertReadable(
      request,
      fileIds.filter((id) => id !== NOT_YET_STORED),
    );
    const hasUploads = Object.keys(uploads).length > 0;
    const checked: NewProcessingTask = {
      type: typeId,
      state: hasUploads ? 'uploading' : 'scheduled',
      userId,
      consumer,
      customId: request.customId ?? null,
      input: hasUploads ? {} : values,
      fileIds: hasUploads ? [] : fileIds,
      includeWatermark: request.includeWatermark ?? true,
      preferStreaming: request.preferStreaming ?? false,
      webhook: request.webhook ?? null,
      expectedSeconds: available.provider.expectedSeconds,
    };
    const stored = await this.#store(checked);
    const task = hasUploads ? await this.#upload(stored.id, slots, values, uploads) : stored;
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

  async #store(task: NewProcessingTask): Promise<ProcessingTask> {
    const { limits } = this.config;
    const most = limits['tasks-per-user'];
    return this.database.transaction(async (tx) => {
      if (!(await this.own.makeRoom(tx, task, most, limits['tasks-kept-per-user'] - 1))) {
        throw new TooManyTasks(most);
      }
      return this.queue.add(tx, task);
    });
  }

  /** Outside of a transaction: files arrive at the speed of their sender. */
  async #upload(
    taskId: number,
    slots: Slots,
    values: SlotValues,
    uploads: Uploads,
  ): Promise<ProcessingTask> {
    try {
      const ids = new Map<string, number>();
      for (const [slot, upload] of Object.entries(uploads)) {
        ids.set(slot, await this.files.receive(taskId, null, upload));
      }
      const input = { ...values, ...filled(slots, uploads, (slot) => ids.get(slot) ?? 0) };
      const { fileIds } = checkValues(slots, input);
      return await this.database.transaction(async (tx) => {
        const scheduled = await this.own.scheduleUploaded(tx, taskId, input, fileIds);
        if (scheduled === null) {
          throw new ProcessingTaskNotFound(taskId);
        }
        return scheduled;
      });
    } catch (error) {
      await this.own.removeUpload(taskId);
      throw error;
    }
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

/** Ids of uploads in their slots. */
function filled(
  slots: Slots,
  uploads: Uploads,
  idOf: (slot: string) => number,
): Record<string, number | readonly number[]> {
  const shape = { ...slots.optional, ...slots.required };
  return Object.fromEntries(
    Object.keys(uploads).map((slot) => {
      const id = idOf(slot);
      const type = Object.hasOwn(shape, slot) ? shape[slot]?.type : undefined;
      return [slot, type?.startsWith('ListOf') ? [id] : id];
    }),
  );
}

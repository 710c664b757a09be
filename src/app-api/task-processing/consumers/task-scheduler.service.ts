import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import type { Patience } from '../../../common/ports/patience.js';
import { Database } from '../../../database/database.js';
import { TaskFilesService, type ArrivingFile } from '../files/task-files.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { checkValues, inputSlots, type Slots } from '../queue/check-values.js';
import type {
  NewProcessingTask,
  OlderTask,
  ProcessingTask,
  SlotValues,
  TaskWebhook,
} from '../queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import {
  ProcessingTaskNotFound,
  TaskFailed,
  TaskTypeUnavailable,
  TooManyTasks,
} from '../task-processing.errors.js';
import { TaskProcessingSettings } from '../task-processing.settings.js';
import { OwnTasksRepository } from './own-tasks.repository.js';
import { TaskCalls } from './task-calls.service.js';

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
  /** What older routes show of the task; without it, they do not know it. */
  readonly older?: OlderTask;
  /** The provider that is called with the task, and its input as it is; otherwise apps fetch it. */
  readonly provider?: CalledProvider;
  /** The task fails after this time. Default: that of the settings. */
  readonly maxSeconds?: number;
}

/** A provider of an older kind. */
export interface CalledProvider {
  readonly appId: string;
  /** Its name. */
  readonly key: string;
}

/** What is stored of an input. */
interface CheckedInput {
  readonly values: SlotValues;
  /** Ids in the slots of files. */
  readonly fileIds: readonly number[];
  readonly expectedSeconds: number;
  /** The input with uploaded files, by slot. */
  complete(files: ReadonlyMap<string, number>): Pick<CheckedInput, 'values' | 'fileIds'>;
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
    private readonly calls: TaskCalls,
    private readonly config: Config,
  ) {}

  /**
   * Checks the input and stores the task. Uploads are read to their end first.
   *
   * @throws TaskTypeUnavailable, InvalidTaskInput, TaskInputUnreadable, TooManyTasks
   * @throws TaskFileTooLarge, TooManyTaskFiles, StorageFull for uploads
   */
  async schedule(request: TaskRequest): Promise<ProcessingTask> {
    const { provider, uploads = {} } = request;
    const checked =
      provider === undefined ? await this.#checked(request, uploads) : asItIs(request.input);
    const hasUploads = Object.keys(uploads).length > 0;
    const stored = await this.#store({
      type: request.typeId,
      state: hasUploads ? 'uploading' : 'scheduled',
      userId: request.userId,
      consumer: request.consumer,
      customId: request.customId ?? null,
      input: hasUploads ? {} : checked.values,
      fileIds: hasUploads ? [] : checked.fileIds,
      includeWatermark: request.includeWatermark ?? true,
      preferStreaming: request.preferStreaming ?? false,
      webhook: request.webhook ?? null,
      expectedSeconds: checked.expectedSeconds,
      older: request.older ?? null,
      calledAppId: provider?.appId ?? null,
      providerId: provider?.key ?? null,
      maxSeconds:
        request.maxSeconds ?? this.config.of(TaskProcessingSettings).longestTaskHours * 3600,
    });
    const task = hasUploads ? await this.#upload(stored.id, checked, uploads) : stored;
    if (provider === undefined) {
      this.queue.announce(task);
    } else {
      this.calls.wake();
    }
    return task;
  }

  /**
   * Schedules a task and waits for its output. A task that is given up is cancelled; one that an app is
   * called with is deleted, and fails at its deadline.
   *
   * @throws TaskFailed with a message for the user, and as `schedule`; the reason of `signal`
   */
  async run(request: TaskRequest, patience: Patience = {}): Promise<SlotValues> {
    const { maxSeconds = MAX_SECONDS, signal, onProgress } = patience;
    const isCalled = request.provider !== undefined;
    const { id } = await this.schedule(isCalled ? { ...request, maxSeconds } : request);
    const over = AbortSignal.any([
      this.#stop.signal,
      ...(isCalled ? [] : [AbortSignal.timeout(maxSeconds * 1000)]),
      ...(signal ? [signal] : []),
    ]);
    try {
      return await this.#output(id, over, onProgress);
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        await (isCalled && signal?.aborted ? this.tasks.remove(id) : this.queue.cancel(id));
      }
      signal?.throwIfAborted();
      throw error;
    }
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  async #checked(request: TaskRequest, uploads: Uploads): Promise<CheckedInput> {
    const available = (await this.catalogue.available()).get(request.typeId);
    if (available === undefined) {
      throw new TaskTypeUnavailable(request.typeId);
    }
    const slots = inputSlots(available);
    const complete = (idOf: (slot: string) => number) =>
      checkValues(slots, { ...request.input, ...filled(slots, uploads, idOf) });
    const { values, fileIds } = complete(() => NOT_YET_STORED);
    await this.files.assertReadable(
      request,
      fileIds.filter((id) => id !== NOT_YET_STORED),
    );
    return {
      values,
      fileIds,
      expectedSeconds: available.provider.expectedSeconds,
      complete: (files) => complete((slot) => files.get(slot) ?? 0),
    };
  }

  async #store(task: NewProcessingTask): Promise<ProcessingTask> {
    const { limits } = this.config;
    const most = limits['tasks-per-user'];
    return this.database.transaction(async (tx) => {
      if (!(await this.own.makeRoom(tx, task, most, limits['tasks-kept-per-user'] - 1))) {
        throw new TooManyTasks(most);
      }
      const stored = await this.tasks.create(tx, task);
      await this.calls.enqueue(stored, tx);
      return stored;
    });
  }

  /** Outside of a transaction: files arrive at the speed of their sender. */
  async #upload(taskId: number, checked: CheckedInput, uploads: Uploads): Promise<ProcessingTask> {
    try {
      const ids = new Map<string, number>();
      for (const [slot, upload] of Object.entries(uploads)) {
        ids.set(slot, await this.files.receive(taskId, null, upload));
      }
      const { values, fileIds } = checked.complete(ids);
      return await this.database.transaction(async (tx) => {
        const scheduled = await this.own.scheduleUploaded(tx, taskId, values, fileIds);
        if (scheduled === null) {
          throw new ProcessingTaskNotFound(taskId);
        }
        await this.calls.enqueue(scheduled, tx);
        return scheduled;
      });
    } catch (error) {
      await this.tasks.remove(taskId);
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
      let task = await this.tasks.find(id);
      if (task !== null && task.secondsLeft < 0 && task.endedSeconds === null) {
        await this.queue.failOverdue();
        task = await this.tasks.find(id);
      }
      if (task === null) {
        throw new ProcessingTaskNotFound(id);
      }
      if (task.state === 'successful') {
        return task.output ?? {};
      }
      if (task.endedSeconds !== null) {
        throw new TaskFailed(task.userError ?? 'The external app could not do the task.');
      }
      if (this.#stop.signal.aborted) {
        throw new TaskFailed('The service is stopping.');
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

/** The input of a task that a provider is called with; its files are beside it. */
function asItIs(values: SlotValues): CheckedInput {
  const complete = (files: ReadonlyMap<string, number>) => ({
    values,
    fileIds: [...files.values()],
  });
  return { ...complete(new Map()), expectedSeconds: 0, complete };
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

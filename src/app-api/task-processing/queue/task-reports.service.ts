import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { keepLatest } from '../../../common/keep-latest.js';
import { Offer } from '../../../common/ports/offer.js';
import { ExAppLog } from '../../apps/log/ex-app-log.service.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { InvalidTaskInput, ProcessingTaskNotFound } from '../task-processing.errors.js';
import { checkValues, outputSlots, type Slots } from './check-values.js';
import type { ProcessingTask, SlotValues, TaskEnd } from './processing-task.entity.js';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';
import { TaskQueue } from './task-queue.service.js';

const MOST_KEPT = 10_000;

/** Admits one report per name and time. In memory: each process has its own. */
class ReportPace {
  /** Time by name, oldest first; milliseconds of the clock. */
  readonly #latest = new Map<string, number>();

  constructor(
    private readonly gapMs: number,
    private readonly clock: Clock,
  ) {}

  /** Whether none was let through within the gap; this one is then. */
  isDue(name: string): boolean {
    const now = this.clock.now().getTime();
    const latest = this.#latest.get(name);
    if (latest !== undefined && Math.abs(now - latest) < this.gapMs) {
      return false;
    }
    keepLatest(this.#latest, name, now, MOST_KEPT);
    return true;
  }
}

/** An app's report at the end of a task. With neither output nor error, nothing changes. */
interface TaskReport {
  /** Any value: one that does not fit fails the task. */
  readonly output: unknown;
  /** Message for administrators. */
  readonly error: string | null;
  /** Message for the user. */
  readonly userError: string | null;
}

/** Complete files of tasks, whose subject is above. */
export class TaskFilesOffer extends Offer<{
  find(
    ids: readonly number[],
  ): Promise<readonly { readonly id: number; readonly taskId: number }[]>;
}> {}

const LONGEST_MESSAGE = 1000;
const UNFIT_OUTPUT = 'The external app sent a result that does not fit the task.';

const PROGRESS_GAP_MS = 1000;
const STREAM_GAP_MS = 500;

/**
 * Reports of apps on tasks. An app can report only on tasks that it claimed last; other tasks are answered
 * as if they did not exist. Reports on ended tasks change nothing: the answer tells the app how the task
 * ended.
 */
@Injectable()
export class TaskReports {
  readonly #progressPace: ReportPace;
  readonly #streamPace: ReportPace;

  constructor(
    private readonly queue: TaskQueue,
    private readonly tasks: ProcessingTasksRepository,
    private readonly catalogue: TaskCatalogue,
    private readonly log: ExAppLog,
    private readonly files: TaskFilesOffer,
    clock: Clock,
  ) {
    this.#progressPace = new ReportPace(PROGRESS_GAP_MS, clock);
    this.#streamPace = new ReportPace(STREAM_GAP_MS, clock);
  }

  /**
   * Renews the lease. Within a second of the last report nothing is stored, unless the task is complete.
   *
   * @param progress from 0 to 1
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   */
  async progress(appId: string, taskId: number, progress: number): Promise<ProcessingTask> {
    if (progress === 1 || this.#progressPace.isDue(`${appId} ${taskId}`)) {
      return this.queue.reportProgress(appId, taskId, progress);
    }
    const task = await this.#taskOf(appId, taskId);
    // A task that was returned to the queue is running again.
    return task.state === 'scheduled'
      ? this.queue.reportProgress(appId, taskId, progress)
      : { ...task, progress: task.state === 'running' ? progress : task.progress };
  }

  /**
   * Ends a task. An output that does not fit its type fails the task, not the report.
   *
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   */
  async end(appId: string, taskId: number, report: TaskReport): Promise<ProcessingTask> {
    const task = await this.#taskOf(appId, taskId);
    if (task.endedSeconds !== null || (report.output === null && report.error === null)) {
      return task;
    }
    return this.queue.end(appId, taskId, await this.#endOf(task, report));
  }

  /**
   * Stores an intermediate output, and renews the lease; ignored if the consumer did not ask for streaming,
   * the task has ended, or the last one is less than half a second ago.
   *
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   * @throws InvalidTaskInput for invalid values of the task's type
   */
  async stream(appId: string, taskId: number, output: SlotValues): Promise<ProcessingTask> {
    const task = await this.#taskOf(appId, taskId);
    const isWanted = task.preferStreaming && task.endedSeconds === null;
    if (!isWanted || !this.#streamPace.isDue(`${appId} ${taskId}`)) {
      return task;
    }
    const slots = await this.#slotsOf(task);
    // Some slots may still be missing.
    const partial = { ...slots, required: {}, optional: { ...slots.optional, ...slots.required } };
    const checked = await this.#checked(task, partial, output);
    return (
      (await this.tasks.storeIntermediateOutput(appId, taskId, checked.output)) ??
      this.#taskOf(appId, taskId)
    );
  }

  async #taskOf(appId: string, taskId: number): Promise<ProcessingTask> {
    return ProcessingTaskNotFound.unless(await this.tasks.ofApp(appId, taskId), taskId);
  }

  async #endOf(task: ProcessingTask, { output, error, userError }: TaskReport): Promise<TaskEnd> {
    if (error !== null || output === null) {
      return failed(error ?? '', userError);
    }
    const slots = await this.#slotsOf(task);
    try {
      return { state: 'successful', ...(await this.#checked(task, slots, output)) };
    } catch (unfit) {
      if (!(unfit instanceof DomainError)) {
        throw unfit;
      }
      this.log.warn(task.appId ?? '', `task ${task.id} (${task.type}): ${unfit.message}`);
      return failed(unfit.message, UNFIT_OUTPUT);
    }
  }

  /** @throws ProcessingTaskNotFound if the provider was unregistered: others do the task now */
  async #slotsOf({ id, type, providerId }: ProcessingTask): Promise<Slots> {
    const assigned = await this.catalogue.assigned(type, providerId);
    if (assigned === null) {
      throw new ProcessingTaskNotFound(id);
    }
    return outputSlots(assigned);
  }

  /** @throws InvalidTaskInput */
  async #checked(
    task: ProcessingTask,
    slots: Slots,
    output: unknown,
  ): Promise<{ readonly output: SlotValues; readonly fileIds: readonly number[] }> {
    const { values, fileIds } = checkValues(slots, asValues(output));
    const found = fileIds.length === 0 ? [] : await this.files.required.find(fileIds);
    const foreign = fileIds.find(
      (id) => !found.some((file) => file.id === id && file.taskId === task.id),
    );
    if (foreign !== undefined) {
      throw new InvalidTaskInput(`The file ${foreign} was not uploaded for this task.`);
    }
    return { output: values, fileIds };
  }
}

/** PHP and Lua encode an empty object as an empty list. */
function asValues(output: unknown): SlotValues {
  if (
    typeof output !== 'object' ||
    output === null ||
    (Array.isArray(output) && output.length > 0)
  ) {
    throw new InvalidTaskInput('The output must be an object.');
  }
  return { ...output };
}

function failed(error: string, userError: string | null): TaskEnd {
  return { state: 'failed', error: shortened(error), userError: userError && shortened(userError) };
}

/** PostgreSQL cannot store null characters in texts. */
function shortened(message: string): string {
  return [...message.replaceAll('\0', '')].slice(0, LONGEST_MESSAGE).join('');
}

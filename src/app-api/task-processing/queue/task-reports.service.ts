import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/errors/domain-error.js';
import { ExAppLog } from '../../apps/log/ex-app-log.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { InvalidTaskInput, ProcessingTaskNotFound } from '../task-processing.errors.js';
import { checkValues, outputSlots } from '../types/check-values.js';
import type { SlotValues } from './processing-task.entity.js';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';
import type { ProcessingTask, TaskEnd } from './processing-tasks.sql.js';
import { TaskQueue } from './task-queue.service.js';

/** What an app reports at the end of a task. With neither output nor error, nothing changes. */
export interface TaskReport {
  readonly output: SlotValues | null;
  /** For administrators. */
  readonly error: string | null;
  /** For the user. */
  readonly userError: string | null;
}

const LONGEST_MESSAGE = 1000;
const UNFIT_OUTPUT = 'The external app sent a result that does not fit the task.';

/** Checks the results that apps report. */
@Injectable()
export class TaskReports {
  constructor(
    private readonly queue: TaskQueue,
    private readonly tasks: ProcessingTasksRepository,
    private readonly catalogue: TaskCatalogue,
    private readonly log: ExAppLog,
  ) {}

  /**
   * Ends a task. An output that does not fit its type fails the task, not the report.
   *
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   */
  async end(appId: string, taskId: number, report: TaskReport): Promise<ProcessingTask> {
    const task = await this.tasks.ofApp(appId, taskId);
    if (task === null) {
      throw new ProcessingTaskNotFound(taskId);
    }
    if (task.endedSeconds !== null || (report.output === null && report.error === null)) {
      return task;
    }
    return this.queue.end(appId, taskId, await this.#endOf(task, report));
  }

  /**
   * Stores an output that is not final; ignored if the consumer did not ask for streaming, or the task
   * has ended.
   *
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   * @throws InvalidTaskInput for texts that are no values of the task's type
   */
  async stream(appId: string, taskId: number, output: SlotValues): Promise<ProcessingTask> {
    const task = await this.tasks.ofApp(appId, taskId);
    if (task === null) {
      throw new ProcessingTaskNotFound(taskId);
    }
    if (task.endedSeconds !== null || !task.preferStreaming) {
      return task;
    }
    const checked = await this.#checked(task, output);
    return (await this.tasks.storeIntermediateOutput(appId, taskId, checked.output)) ?? task;
  }

  async #endOf(task: ProcessingTask, { output, error, userError }: TaskReport): Promise<TaskEnd> {
    if (error !== null || output === null) {
      return failed(error ?? '', userError);
    }
    try {
      return { state: 'successful', ...(await this.#checked(task, output)) };
    } catch (unfit) {
      if (!(unfit instanceof DomainError)) {
        throw unfit;
      }
      this.log.warn(task.appId ?? '', `task ${task.id} (${task.type}): ${unfit.message}`);
      return failed(unfit.message, UNFIT_OUTPUT);
    }
  }

  /** @throws InvalidTaskInput */
  async #checked(
    task: ProcessingTask,
    output: SlotValues,
  ): Promise<{ readonly output: SlotValues; readonly fileIds: readonly number[] }> {
    const known = (await this.catalogue.all()).find(({ type }) => type.id === task.type);
    const provider = known?.providers.find(({ id }) => id === task.providerId);
    if (known === undefined || provider === undefined) {
      throw new InvalidTaskInput(`The provider "${task.providerId ?? ''}" was unregistered.`);
    }
    const { values, fileIds } = checkValues(outputSlots({ type: known.type, provider }), output);
    const own = new Set(await this.tasks.fileIdsOf(task.id));
    const foreign = fileIds.find((id) => !own.has(id));
    if (foreign !== undefined) {
      throw new InvalidTaskInput(`The file ${foreign} was not uploaded for this task.`);
    }
    return { output: values, fileIds };
  }
}

function failed(error: string, userError: string | null): TaskEnd {
  return { state: 'failed', error: shortened(error), userError: userError && shortened(userError) };
}

/** PostgreSQL cannot store null characters in texts. */
function shortened(message: string): string {
  return [...message.replaceAll('\0', '')].slice(0, LONGEST_MESSAGE).join('');
}

import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Allowances } from '../../../common/ports/allowances.js';
import { AccountDeletionHooks, ExAppUninstallHooks } from '../../../common/ports/hooks.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import { Regularly } from '../../../database/regularly.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import { ProcessingTaskNotFound, TasksTooFast } from '../task-processing.errors.js';
import { OwnTasksRepository, type TaskFilter, type TaskOwner } from './own-tasks.repository.js';
import { TaskScheduler, type TaskRequest } from './task-scheduler.service.js';
import { TaskWebhooks } from './task-webhooks.task.js';

/** A consumer's task request, with a webhook in its own words. */
interface OwnTaskRequest extends Omit<TaskRequest, 'webhook' | 'uploads'> {
  readonly webhookMethod: string | null;
  readonly webhookUri: string | null;
  /** The app that schedules it; undefined for a user. */
  readonly callingAppId: string | undefined;
}

const KEEP_DAYS = 7;
const UPLOAD_SECONDS = 3600;
const PACE_SECONDS = 120;

/** Operations of consumers on their tasks: users, and apps that act for a user or for themselves. */
@Injectable()
export class OwnTasksService {
  readonly #mostInTwoMinutes: number;

  constructor(
    private readonly scheduler: TaskScheduler,
    private readonly queue: TaskQueue,
    private readonly tasks: OwnTasksRepository,
    private readonly webhooks: TaskWebhooks,
    private readonly allowances: Allowances,
    config: Config,
    deletionHooks: AccountDeletionHooks,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    this.#mostInTwoMinutes = config.limits['tasks-per-user-and-two-minutes'];
    deletionHooks.add((userId) => tasks.removeAllOf({ userId, consumer: '' }));
    uninstallHooks.add((appId) => tasks.removeAllOf({ userId: null, consumer: appId }));
  }

  /** @throws InvalidTaskWebhook, TasksTooFast, and as `TaskScheduler.schedule` */
  async schedule({
    webhookMethod,
    webhookUri,
    callingAppId,
    ...request
  }: OwnTaskRequest): Promise<ProcessingTask> {
    const webhook = this.webhooks.parse(webhookMethod, webhookUri, callingAppId);
    await this.#assertPace(request);
    return this.scheduler.schedule({ ...request, webhook });
  }

  /** @throws ProcessingTaskNotFound, also if it is another owner's task */
  async find(owner: TaskOwner, id: number): Promise<ProcessingTask> {
    return ProcessingTaskNotFound.unless(await this.tasks.find(owner, id), id);
  }

  /** Newest first, at most 200. */
  async list(owner: TaskOwner, filter: TaskFilter): Promise<ProcessingTask[]> {
    return this.tasks.list(owner, filter);
  }

  /**
   * Cancels a task; an ended one is unchanged.
   *
   * @throws ProcessingTaskNotFound, also if it is another owner's task
   */
  async cancel(owner: TaskOwner, id: number): Promise<ProcessingTask> {
    await this.find(owner, id);
    await this.queue.cancel(id);
    return this.find(owner, id);
  }

  /** Deletes a task with its files, if there is one; later reports about it are refused. */
  async remove(owner: TaskOwner, id: number): Promise<void> {
    await this.tasks.remove(owner, id);
  }

  @Regularly('tasks', HOUR_SECONDS)
  async tidy(): Promise<void> {
    await this.tasks.removeOld(KEEP_DAYS, UPLOAD_SECONDS);
  }

  async #assertPace({ userId, consumer }: TaskOwner): Promise<void> {
    const most = this.#mostInTwoMinutes;
    const allowance = { kind: 'tasks', most, periodSeconds: PACE_SECONDS };
    const owner = userId ?? `app ${consumer}`;
    const { granted, waitSeconds } = await this.allowances.take(owner, allowance);
    if (granted === 0) {
      throw new TasksTooFast(most, waitSeconds);
    }
  }
}

import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Database, type SqlRunner } from '../../../database/database.js';
import { Config } from '../../../common/config/config.js';
import { DatabaseNotices } from '../../../database/database-notices.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { ProcessingTaskNotFound } from '../task-processing.errors.js';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';
import type {
  ClaimOffer,
  NewProcessingTask,
  ProcessingTask,
  TaskBounds,
  TaskEnd,
} from './processing-tasks.sql.js';
import { ScheduledTypes } from './scheduled-types.js';
import { TaskTriggers } from './task-triggers.service.js';

/** What a provider asks for. */
export interface TaskWish {
  readonly providerIds: readonly string[];
  readonly typeIds: readonly string[];
}

/** Inputs have at most 2 MiB, and apps expect at most 50 MiB at once. */
const MOST_IN_BATCH = 20;
const FAILED_AT_ONCE = 200;
const HOUR_SECONDS = 3600;
const ENDED = 'task_ended';
const LEAST_LEASE_SECONDS = 900;
const LEASE_RUNTIMES = 3;

/** Called in the transaction that ends a task. */
type EndListener = (task: ProcessingTask, tx: SqlRunner) => Promise<void>;

/**
 * The queue of task processing: apps claim tasks for a lease, and report on them. A report counts only
 * from the app that claimed the task last, and only the first end counts.
 *
 * @see docs/app-api.md "Task processing"
 */
@Injectable()
export class TaskQueue implements OnApplicationBootstrap {
  readonly #endListeners: EndListener[] = [];
  readonly #ended = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly database: Database,
    private readonly tasks: ProcessingTasksRepository,
    private readonly catalogue: TaskCatalogue,
    private readonly scheduled: ScheduledTypes,
    private readonly triggers: TaskTriggers,
    private readonly config: Config,
    private readonly notices: DatabaseNotices,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // CLI commands start no web server.
    if (this.http?.httpAdapter) {
      await this.notices.listen(ENDED, {
        heard: (id) => this.#ended.emit(id),
        // Whoever waits also asks from time to time.
        resumed: () => {},
      });
    }
  }

  /** @param listener called within the transaction that ends or cancels a task */
  onEnd(listener: EndListener): void {
    this.#endListeners.push(listener);
  }

  /** Stores a task whose input was checked. Call `announce` after the commit. */
  async add(tx: SqlRunner, task: NewProcessingTask): Promise<ProcessingTask> {
    return this.tasks.create(tx, task);
  }

  /**
   * Claims the next tasks that the app may work on, in turns between users. Without a statement where
   * nothing is scheduled.
   *
   * @param most number of tasks
   * @returns in the order in which they are due; empty if there are none
   */
  async claim(appId: string, wish: TaskWish, most: number): Promise<ProcessingTask[]> {
    const types = await this.scheduled.among(wish.typeIds);
    const offers = types.length === 0 ? [] : await this.#offers(appId, { ...wish, typeIds: types });
    if (offers.length === 0) {
      return [];
    }
    const mostRunning = this.config.limits['tasks-running-per-app'];
    const tasks = await this.tasks.claim(appId, offers, { most, mostRunning });
    if (tasks.length < most) {
      await this.scheduled.askAgain(types);
    }
    return tasks;
  }

  /**
   * As `claim`, for several tasks at once; fewer than asked for, since each may have a large input.
   *
   * @returns also whether more tasks of these types are scheduled
   */
  async claimBatch(
    appId: string,
    wish: TaskWish,
    most: number,
  ): Promise<{ readonly tasks: readonly ProcessingTask[]; readonly hasMore: boolean }> {
    const asked = Math.min(most, MOST_IN_BATCH);
    const tasks = await this.claim(appId, wish, asked);
    const offers = tasks.length === asked ? await this.#offers(appId, wish) : [];
    const more = await this.tasks.scheduledAmong(offers.map(({ type }) => type));
    return { tasks, hasMore: more.length > 0 };
  }

  /**
   * @param progress from 0 to 1
   * @returns the task, which may have been cancelled meanwhile
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   */
  async reportProgress(appId: string, id: number, progress: number): Promise<ProcessingTask> {
    return found(id, await this.tasks.recordProgress(appId, id, progress));
  }

  /**
   * Ends a task; ignored if it has ended.
   *
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   */
  async end(appId: string, id: number, end: TaskEnd): Promise<ProcessingTask> {
    await this.database.transaction(async (tx) => {
      await this.#tellOfEnd(await this.tasks.end(tx, appId, id, end), tx);
    });
    this.#ended.emit(String(id));
    return found(id, await this.tasks.ofApp(appId, id));
  }

  /** Cancels an unfinished task; an ended one stays as it is. */
  async cancel(id: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.#tellOfEnd(await this.tasks.cancel(tx, id), tx);
    });
    this.#ended.emit(String(id));
  }

  /** Makes a scheduled task known to apps that wait for one. Call after the commit. */
  announce({ type }: Pick<ProcessingTask, 'type'>): void {
    this.scheduled.mark(type);
    this.triggers.trigger(type);
  }

  /**
   * Schedules the tasks again whose lease has ended, and fails those that have been claimed too often or
   * take too long. Every process may run it.
   */
  async tidy(): Promise<void> {
    const bounds = {
      attempts: this.config.limits['task-attempts'],
      seconds: this.config.longestTaskHours * HOUR_SECONDS,
    };
    await this.#failHopeless(bounds);
    for (const type of await this.tasks.giveBackEnded(bounds)) {
      this.announce({ type });
    }
  }

  async #failHopeless(bounds: TaskBounds): Promise<void> {
    for (;;) {
      const failed = await this.database.transaction(async (tx) => {
        const tasks = await this.tasks.failHopeless(tx, bounds, FAILED_AT_ONCE);
        for (const task of tasks) {
          await this.#tellOfEnd(task, tx);
        }
        return tasks;
      });
      failed.forEach(({ id }) => this.#ended.emit(String(id)));
      if (failed.length < FAILED_AT_ONCE) {
        return;
      }
    }
  }

  /**
   * Waits until a task has ended, in whichever process, or until something about it may have changed.
   *
   * @param longestMs resolves after this time at the latest
   */
  async pauseUntilEnd(id: number, longestMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const either = AbortSignal.any([over.signal, signal]);
    const ended = once(this.#ended, String(id), { signal: either });
    const patience = delay(longestMs, undefined, { signal: either, ref: false });
    // Both reject when the caller gives up; the loser rejects once `over` is aborted.
    await Promise.race([ended, patience]).catch(() => {});
    over.abort();
    await Promise.allSettled([ended, patience]);
  }

  async #offers(appId: string, { providerIds, typeIds }: TaskWish): Promise<ClaimOffer[]> {
    const types = await this.catalogue.available();
    return [...new Set(typeIds)].flatMap((type) => {
      const provider = types.get(type)?.provider;
      return provider?.appId === appId && providerIds.includes(provider.id)
        ? [{ type, providerId: provider.id, leaseSeconds: leaseSeconds(provider.expectedSeconds) }]
        : [];
    });
  }

  async #tellOfEnd(task: ProcessingTask | null, tx: SqlRunner): Promise<void> {
    for (const listener of this.#endListeners) {
      await (task && listener(task, tx));
    }
  }
}

function leaseSeconds(expectedSeconds: number): number {
  return Math.max(LEAST_LEASE_SECONDS, expectedSeconds * LEASE_RUNTIMES);
}

function found(id: number, task: ProcessingTask | null): ProcessingTask {
  if (task === null) {
    throw new ProcessingTaskNotFound(id);
  }
  return task;
}

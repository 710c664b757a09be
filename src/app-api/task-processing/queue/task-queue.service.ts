import { Injectable } from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Database, type SqlRunner } from '../../../database/database.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { ProcessingTaskNotFound } from '../task-processing.errors.js';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';
import type {
  ClaimOffer,
  NewProcessingTask,
  ProcessingTask,
  TaskEnd,
} from './processing-tasks.sql.js';

/** What a provider asks for. */
export interface TaskWish {
  readonly providerIds: readonly string[];
  readonly typeIds: readonly string[];
}

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
export class TaskQueue {
  readonly #endListeners: EndListener[] = [];
  readonly #ended = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly database: Database,
    private readonly tasks: ProcessingTasksRepository,
    private readonly catalogue: TaskCatalogue,
  ) {}

  /** @param listener called within the transaction that ends or cancels a task */
  onEnd(listener: EndListener): void {
    this.#endListeners.push(listener);
  }

  /** Stores a task whose input was checked. Call `announce` after the commit. */
  async add(tx: SqlRunner, task: NewProcessingTask): Promise<ProcessingTask> {
    return this.tasks.create(tx, task);
  }

  /**
   * Claims the oldest tasks that the app may work on now.
   *
   * @param most number of tasks
   * @returns oldest first; empty if there are none
   */
  async claim(appId: string, wish: TaskWish, most: number): Promise<ProcessingTask[]> {
    const offers = await this.#offers(appId, wish);
    return offers.length === 0 ? [] : this.tasks.claim(appId, offers, most);
  }

  /** As `claim`; with whether there may be more. */
  async claimBatch(
    appId: string,
    wish: TaskWish,
    most: number,
  ): Promise<{ readonly tasks: readonly ProcessingTask[]; readonly hasMore: boolean }> {
    const tasks = await this.claim(appId, wish, most);
    return { tasks, hasMore: tasks.length === most };
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

  /** Makes the new task known to apps that wait for one. Call after the commit. */
  announce(_task: ProcessingTask): void {}

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

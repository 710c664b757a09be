import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Config } from '../../../common/config/config.js';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { DatabaseNotices } from '../../../database/notices/notices.js';
import { Regularly } from '../../../database/regularly.js';
import { TaskCatalogue } from '../providers/task-catalogue.service.js';
import { ProcessingTaskNotFound } from '../task-processing.errors.js';
import type { ClaimedTask, ClaimOffer, ProcessingTask, TaskEnd } from './processing-task.entity.js';
import { ProcessingTasksRepository } from './processing-tasks.repository.js';
import { ScheduledTypes } from './scheduled-types-cache.service.js';
import { TaskTriggers } from './task-triggers.service.js';

/** A provider's request for tasks. */
interface TaskWish {
  readonly providerIds: readonly string[];
  readonly typeIds: readonly string[];
}

/** Name of the schedule. */
export const TASK_LEASES_SCHEDULE = 'task-leases';

/** Announced by a trigger with the id of each task that ends. */
const ENDED = 'gatefold_task_ended';

const LEAST_LEASE_SECONDS = 900;
const LEASE_RUNTIMES = 3;
/** A task that waits for longer is announced to its provider again. */
const PATIENCE_SECONDS = 60;

/** Tasks of a type that are cancelled in one transaction. */
const CANCELLED_AT_ONCE = 200;

const OVERDUE = {
  error: 'No app finished the task before its deadline.',
  userError: 'The task was not finished in time.',
};

const OLDER_OVERDUE = 'The provider did not report a result in time.';

const LOST = {
  error: 'The app claimed the task again and again, and never reported a result.',
  userError: 'The external app could not finish the task.',
};

/** Called in the transaction that ends a task. */
type EndListener = (task: ProcessingTask, tx: SqlRunner) => Promise<void>;

/**
 * The queue of task processing: apps claim tasks for a lease, and report on them. A report counts only
 * from the app that claimed the task last, and only the first end counts.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@Injectable()
export class TaskQueue implements BeforeApplicationShutdown {
  readonly #background = new BackgroundTasks(new Logger('TaskProcessing'));
  readonly #endListeners: EndListener[] = [];
  readonly #ended = new EventEmitter().setMaxListeners(0);
  /** Value of `ScheduledTypes.changes` when there was no unfinished task; else null. */
  #quietSince: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly tasks: ProcessingTasksRepository,
    private readonly catalogue: TaskCatalogue,
    private readonly scheduled: ScheduledTypes,
    private readonly triggers: TaskTriggers,
    private readonly config: Config,
    notices: DatabaseNotices,
  ) {
    // Waiting callers also ask from time to time.
    notices.follow(ENDED, { heard: (id) => this.#ended.emit(id), resumed: () => {} });
  }

  /** Runs in every process; each task is returned to the queue once. */
  @Regularly(TASK_LEASES_SCHEDULE, 15)
  async tick(): Promise<void> {
    await this.#background.run('looking after tasks', () => this.lookAfter());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#background.stop();
  }

  /** @param listener called within the transaction that ends or cancels a task */
  onEnd(listener: EndListener): void {
    this.#endListeners.push(listener);
  }

  /** Makes a scheduled task known to its provider's app. Call after the commit. */
  announce({ type }: Pick<ProcessingTask, 'type'>): void {
    this.scheduled.noteScheduled(type);
    this.triggers.pull(type);
  }

  /** Whether there is certainly no task that the app could claim, decided without the database. */
  async hasNothingFor(appId: string, wish: TaskWish): Promise<boolean> {
    const offers = await this.#offers(appId, wish);
    return offers.every(({ type }) => this.scheduled.isEmpty(type));
  }

  /**
   * Claims the next tasks that the app may work on now. Makes no statement if none is scheduled.
   *
   * @param most number of tasks
   * @returns oldest first; empty if there are none
   */
  async claim(appId: string, wish: TaskWish, most: number): Promise<ClaimedTask[]> {
    const offers = (await this.#offers(appId, wish)).filter(
      ({ type }) => !this.scheduled.isEmpty(type),
    );
    if (offers.length === 0) {
      return [];
    }
    const notices = offers.map(({ type }) => [type, this.scheduled.latestNotice(type)] as const);
    const mostRunning = this.config.limits['tasks-running-per-app'];
    const claimed = await this.tasks.claim(appId, offers, { most, mostRunning });
    if (claimed.length === 0) {
      // Queried again, since the claim skips tasks that others have locked.
      const left = await this.tasks.scheduledTypes(notices.map(([type]) => type));
      for (const [type, notice] of notices) {
        if (!left.includes(type)) {
          this.scheduled.noteEmpty(type, notice);
        }
      }
    }
    return claimed;
  }

  /**
   * As `claim`.
   *
   * @returns also whether more tasks of these types are scheduled
   */
  async claimBatch(
    appId: string,
    wish: TaskWish,
    most: number,
  ): Promise<{ readonly tasks: readonly ClaimedTask[]; readonly hasMore: boolean }> {
    const tasks = await this.claim(appId, wish, most);
    const offers = tasks.length === most ? await this.#offers(appId, wish) : [];
    const more = await this.tasks.scheduledTypes(offers.map(({ type }) => type));
    return { tasks, hasMore: more.length > 0 };
  }

  /**
   * Ignored for an ended task.
   *
   * @param progress from 0 to 1
   * @returns the task, which may have been cancelled
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   */
  async reportProgress(appId: string, id: number, progress: number): Promise<ProcessingTask> {
    const task = await this.tasks.recordProgress(appId, id, progress);
    return task ?? found(id, await this.tasks.ofApp(appId, id));
  }

  /**
   * Ends a task; ignored if it has ended.
   *
   * @throws ProcessingTaskNotFound, also if another app has claimed it
   */
  async end(appId: string, id: number, end: TaskEnd): Promise<ProcessingTask> {
    const ended = await this.#endAll(async (tx) => {
      const task = await this.tasks.end(tx, appId, id, end);
      return task === null ? [] : [task];
    });
    return ended[0] ?? found(id, await this.tasks.ofApp(appId, id));
  }

  /** Ends a task that an app is called with. @returns false for an ended one, which is not changed */
  async endCalled(id: number, end: TaskEnd): Promise<boolean> {
    const ended = await this.#endAll(async (tx) => {
      const task = await this.tasks.endCalled(tx, id, end);
      return task === null ? [] : [task];
    });
    return ended.length > 0;
  }

  /** Cancels an unfinished task; an ended one is unchanged. */
  async cancel(id: number): Promise<void> {
    await this.#endAll(async (tx) => {
      const task = await this.tasks.cancel(tx, id);
      return task === null ? [] : [task];
    });
  }

  /** Fails unfinished tasks after their deadline. */
  async failOverdue(): Promise<void> {
    await this.#endAll(async (tx) => this.tasks.failOverdue(tx, OVERDUE, OLDER_OVERDUE));
  }

  /**
   * Cancels the scheduled tasks of a type.
   *
   * @returns their number
   */
  async cancelScheduled(type: string): Promise<number> {
    for (let cancelled = 0; ;) {
      const some = await this.#endAll((tx) =>
        this.tasks.cancelScheduled(tx, type, CANCELLED_AT_ONCE),
      );
      cancelled += some.length;
      if (some.length < CANCELLED_AT_ONCE) {
        return cancelled;
      }
    }
  }

  /**
   * Reschedules tasks whose lease has ended, fails tasks that no app finishes, and notifies providers again
   * of tasks that have waited for a while. Runs no statement while there are no unfinished tasks.
   */
  async lookAfter(): Promise<void> {
    const { changes } = this.scheduled;
    if (changes !== null && changes === this.#quietSince) {
      return;
    }
    this.#quietSince = null;
    if (!(await this.tasks.anyUnfinished())) {
      this.#quietSince = changes;
      return;
    }
    const mostAttempts = this.config.limits['attempts-per-task'];
    await this.failOverdue();
    await this.#endAll(async (tx) => this.tasks.failLost(tx, mostAttempts, LOST));
    this.#announceAll(await this.tasks.giveBackEndedLeases(mostAttempts));
    for (const type of await this.tasks.waitingTypes(PATIENCE_SECONDS)) {
      this.triggers.pull(type);
    }
  }

  /**
   * Waits until a task has ended in any process, for a limited time: notices may be missed.
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

  /** @param change ends tasks, and returns them */
  async #endAll(
    change: (tx: SqlRunner) => Promise<readonly ProcessingTask[]>,
  ): Promise<readonly ProcessingTask[]> {
    const ended = await this.database.transaction(async (tx) => {
      const tasks = await change(tx);
      for (const task of tasks) {
        for (const listener of this.#endListeners) {
          await listener(task, tx);
        }
      }
      return tasks;
    });
    for (const { id } of ended) {
      this.#ended.emit(String(id));
    }
    return ended;
  }

  #announceAll(tasks: readonly ProcessingTask[]): void {
    for (const type of new Set(tasks.map((task) => task.type))) {
      this.announce({ type });
    }
  }
}

function leaseSeconds(expectedSeconds: number): number {
  return Math.max(LEAST_LEASE_SECONDS, expectedSeconds * LEASE_RUNTIMES);
}

function found(id: number, task: ProcessingTask | null): ProcessingTask {
  return ProcessingTaskNotFound.unless(task, id);
}

import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Config } from '../../common/config/config.js';
import { ExAppUninstallHooks } from '../../common/ports/ex-app-uninstall-hooks.js';
import { Database, type SqlRunner } from '../../database/database.js';
import type { JobAttempt, JobKind, NewJob } from '../../database/job-kind.js';
import { JobQueue } from '../../database/job-queue.js';
import { ExAppUnreachable } from '../app-api.errors.js';
import { ExAppClient } from '../client/ex-app-client.js';
import { ExAppLog } from '../apps/log/ex-app-log.js';
import { inPieces } from './pieces.js';
import { providerRequest } from './provider-request.js';
import { recordingUpload } from './recording-upload.js';
import { ExAppsRepository, type ExApp } from '../apps/ex-apps.repository.js';
import type { KindOf, Registration } from '../capabilities/capability.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import {
  TasksRepository,
  type NewTask,
  type OwnTasks,
  type Task,
  type TaskInput,
  type TaskKind,
  type TaskReport,
} from './tasks.repository.js';
import { TaskFailed, TaskNotFound, TooManyTasks } from './tasks.errors.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';

/** What all kinds of providers have in common. */
export interface ProviderFields {
  readonly name: string;
  readonly actionHandler: string;
}

export interface Assignment {
  readonly kind: TaskKind;
  readonly provider: Registration<ProviderFields>;
  readonly userId: string;
  readonly input: TaskInput;
  readonly note?: Task['note'];
  /** For speech: as it arrives. */
  readonly recording?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Default 300. */
  readonly maxSeconds?: number;
}

/** What there is to do, by state. */
export interface TaskCounts {
  readonly queued: number;
  readonly running: number;
  /** Of those that are still kept. */
  readonly done: number;
  readonly failed: number;
}

interface HandOver {
  readonly taskId: number;
}

interface Work {
  readonly app: ExApp;
  readonly task: Task;
  readonly actionHandler: string;
}

const MAX_SECONDS = 300;
const KEEP_DAYS = 7;
/** What one user may have scheduled at once. */
const MOST_LISTED = 200;
/** How a recording is cut. */
const PIECE_BYTES = 1024 * 1024;
/** A recording that has not arrived by then never will. */
const UPLOAD_SECONDS = 3600;
const HOUR_MS = 3_600_000;
const ATTEMPTS = 3;
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1000;

const HAND_OVERS: JobKind<HandOver> = {
  name: 'provider-task',
  deadlineSeconds: 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 30,
  parallel: 6,
  // One app that hangs leaves workers for the others.
  parallelPerGroup: 2,
};

/**
 * Work for providers: stored, handed to the app, finished by the app's report. All of it survives
 * a restart, and the report may arrive at another process than the one that waits for it.
 *
 * @see docs/app-api.md "Providers"
 */
@Injectable()
export class TasksService implements BeforeApplicationShutdown {
  /** An app that works before it answers keeps its connection, but not one of our workers. */
  patienceSeconds = 10;

  readonly #reports = new EventEmitter().setMaxListeners(0);
  readonly #stop = new AbortController();

  constructor(
    private readonly tasks: TasksRepository,
    private readonly jobs: JobQueue,
    private readonly database: Database,
    private readonly registrations: RegistrationsRepository,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    private readonly log: ExAppLog,
    private readonly config: Config,
    deletionHooks: AccountDeletionHooks,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    jobs.carryOut(HAND_OVERS, (job) => this.#handOver(job));
    // The tasks themselves go with the app's row.
    uninstallHooks.onUninstall(async (appId) => {
      await jobs.forget(HAND_OVERS, { group: appId });
    });
    deletionHooks.onErase((userId) => tasks.removeOfUser(userId));
  }

  /**
   * Stores work for a provider; the app hears of it as soon as it can be reached. A recording is
   * read to its end first.
   *
   * @throws TooManyTasks
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
      await this.jobs.send(HAND_OVERS, [handOverOf(created)], tx);
      return created;
    });
    this.jobs.wake(HAND_OVERS);
    return queued;
  }

  /**
   * Schedules and waits.
   *
   * @returns what the provider reported
   * @throws TooManyTasks
   * @throws TaskFailed
   */
  async run(assignment: Assignment): Promise<string> {
    const { id } = await this.schedule(assignment);
    const { state, result, error } = await this.#finished(id);
    if (state === 'done') {
      return result;
    }
    throw new TaskFailed(error);
  }

  /**
   * Takes an app's report. The first one counts; repeated and late ones are taken and change
   * nothing.
   *
   * @throws TaskNotFound also when the task is another app's
   */
  async report(appId: string, kind: TaskKind, taskId: number, report: TaskReport): Promise<void> {
    if (!(await this.tasks.report(appId, kind, taskId, report))) {
      throw new TaskNotFound(taskId);
    }
    this.#reports.emit(String(taskId));
  }

  /**
   * Takes note of how far an app is.
   *
   * @param progress per cent
   * @throws TaskNotFound also when the task is another app's
   */
  async reportProgress(
    appId: string,
    kind: TaskKind,
    taskId: number,
    progress: number,
  ): Promise<void> {
    if (!(await this.tasks.noteProgress(appId, kind, taskId, progress))) {
      throw new TaskNotFound(taskId);
    }
  }

  /** @throws TaskNotFound also when the task is another user's */
  async find(userId: string, kind: TaskKind, taskId: number): Promise<Task> {
    const task = await this.tasks.find(taskId);
    if (task === null || task.userId !== userId || task.kind !== kind) {
      throw new TaskNotFound(taskId);
    }
    return task;
  }

  /** Newest first, at most 200. */
  async list(own: OwnTasks): Promise<Task[]> {
    return this.tasks.ofUser(own, MOST_LISTED);
  }

  /**
   * Forgets a task; what the provider may still report about it is refused.
   *
   * @returns the task as it was
   * @throws TaskNotFound also when the task is another user's
   */
  async remove(userId: string, kind: TaskKind, taskId: number): Promise<Task> {
    const task = await this.find(userId, kind, taskId);
    await this.tasks.remove(taskId);
    return task;
  }

  /** Of all users, newest first; for administrators. */
  async recent(limit: number): Promise<Task[]> {
    return this.tasks.recent(limit);
  }

  async counts(): Promise<TaskCounts> {
    const counted = new Map(
      (await this.tasks.countByState()).map(({ state, count }) => [state, count]),
    );
    return {
      queued: counted.get('queued') ?? 0,
      running: counted.get('running') ?? 0,
      done: counted.get('done') ?? 0,
      failed: counted.get('failed') ?? 0,
    };
  }

  @Interval(HOUR_MS)
  async tidy(): Promise<void> {
    await this.tasks.failOverdue();
    await this.tasks.forgetFinishedBefore(KEEP_DAYS);
    await this.tasks.forgetAbandonedUploads();
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

  /** Woken by a report that arrives here; one that arrives elsewhere is found within a second. */
  async #finished(taskId: number): Promise<Task> {
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LONGEST_LOOK_MS)) {
      const looked = new AbortController();
      const signal = AbortSignal.any([looked.signal, this.#stop.signal]);
      const report = once(this.#reports, String(taskId), { signal });
      report.catch(() => {});
      try {
        const task = await this.tasks.find(taskId);
        if (task === null) {
          throw new TaskNotFound(taskId);
        }
        if (isFinished(task)) {
          return task;
        }
        await Promise.race([report, delay(pause, undefined, { signal })]);
      } catch (error) {
        throw this.#stop.signal.aborted ? new TaskFailed('The service is stopping.') : error;
      } finally {
        looked.abort();
      }
    }
  }

  async #handOver({ payload, signal, attempt }: JobAttempt<HandOver>): Promise<void> {
    const task = await this.tasks.find(payload.taskId);
    if (task === null || isFinished(task)) {
      return;
    }
    const app = await this.apps.find(task.appId);
    const kind: KindOf<ProviderFields> = { kind: task.kind };
    const provider = await this.registrations.find(task.appId, kind, task.providerName);
    if (!app?.enabled || provider === null) {
      await this.#fail(task, `The provider "${task.providerName}" is not available any more.`);
      return;
    }
    const work = { app, task, actionHandler: provider.fields.actionHandler };
    await this.#deliver(work, { signal, attempt });
  }

  async #deliver(
    work: Work,
    { signal, attempt }: Pick<JobAttempt<HandOver>, 'signal' | 'attempt'>,
  ): Promise<void> {
    const { task } = work;
    const answered = this.#send(work);
    const patience = delay(this.patienceSeconds * 1000, 'later' as const, { signal, ref: false });
    patience.catch(() => {});
    try {
      const soon = await Promise.race([answered, patience]);
      if (soon === 'later') {
        answered.catch((error: unknown) => this.#lostContact(task, error));
      }
      await this.tasks.begin(task.id);
    } catch (error) {
      if (!(error instanceof ExAppUnreachable) || attempt < ATTEMPTS) {
        throw error;
      }
      await this.#fail(task, `The provider "${task.providerName}" could not be reached.`);
    }
  }

  /** What the answer says does not matter: the result comes by a request of the app. */
  async #send(work: Work): Promise<void> {
    const { task } = work;
    const status = await this.#statusOf(work);
    if (status >= 400) {
      await this.#fail(task, `The provider "${task.providerName}" answered with status ${status}.`);
    }
  }

  async #statusOf({ app, task, actionHandler }: Work): Promise<number> {
    if (task.kind === 'speech_to_text') {
      const recording = {
        bytes: await this.tasks.recordingBytes(task.id),
        piece: (place: number) => this.tasks.piece(task.id, place),
      };
      return this.client.upload(app, recordingUpload(task, actionHandler, recording));
    }
    return this.client.tell(app, {
      ...providerRequest(task, actionHandler),
      timeoutSeconds: Math.max(task.secondsLeft, 1),
    });
  }

  async #lostContact(task: Task, error: unknown): Promise<void> {
    // A stop of ours is no failure of the app, whose report the next process will take.
    if (error instanceof ExAppUnreachable && !this.#stop.signal.aborted) {
      await this.#fail(task, `The provider "${task.providerName}" broke off its work.`);
    }
  }

  async #fail(task: Task, error: string): Promise<void> {
    if (await this.tasks.fail(task.id, error)) {
      this.log.warn(task.appId, `task ${task.id} (${task.kind}): ${error}`);
    }
    this.#reports.emit(String(task.id));
  }

  /** Without a transaction around it: a recording arrives as slowly as its sender likes. */
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
        const whole = await this.tasks.queue(id, task.maxSeconds, tx);
        await this.jobs.send(HAND_OVERS, whole === null ? [] : [handOverOf(whole)], tx);
        return whole;
      });
      if (queued === null) {
        throw new TaskNotFound(id);
      }
      this.jobs.wake(HAND_OVERS);
      return queued;
    } catch (error) {
      await this.tasks.remove(id);
      throw error;
    }
  }
}

function handOverOf({ id, appId }: Task): NewJob<HandOver> {
  return { key: appId, payload: { taskId: id } };
}

function isFinished({ state }: Task): boolean {
  return state === 'done' || state === 'failed';
}

import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { PersonalData } from '../common/ports/personal-data.js';
import { Database } from '../database/database.js';
import { JobQueue, type JobAttempt, type JobKind } from '../database/job-queue.js';
import { ExAppUnreachable } from './app-api.errors.js';
import { ExAppClient, type ExAppRequest } from './client/ex-app-client.js';
import { providerRequest } from './provider-request.js';
import { ExAppsRepository, type ExApp } from './store/ex-apps.repository.js';
import { RegistrationsRepository, type Registration } from './store/registrations.repository.js';
import {
  TasksRepository,
  type Task,
  type TaskInput,
  type TaskKind,
  type TaskReport,
} from './store/tasks.repository.js';
import { TaskFailed, TaskNotFound } from './tasks.errors.js';

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
  readonly file?: Uint8Array;
  /** Default 300. */
  readonly maxSeconds?: number;
}

interface HandOver {
  readonly taskId: number;
}

const MAX_SECONDS = 300;
const KEEP_DAYS = 7;
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
  parallelPerKey: 2,
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
    personalData: PersonalData,
  ) {
    jobs.carryOut(HAND_OVERS, (job) => this.#handOver(job));
    personalData.onErase((userId) => tasks.removeOfUser(userId));
  }

  /** Stores work for a provider; the app hears of it as soon as it can be reached. */
  async assign({ provider, maxSeconds = MAX_SECONDS, ...work }: Assignment): Promise<Task> {
    const task = await this.database.transaction(async (tx) => {
      const { appId, fields } = provider;
      const created = await this.tasks.create(
        { ...work, appId, providerName: fields.name, maxSeconds },
        tx,
      );
      const handOver = { key: appId, payload: { taskId: created.id } };
      await this.jobs.send(HAND_OVERS, [handOver], tx);
      return created;
    });
    this.jobs.wake(HAND_OVERS);
    return task;
  }

  /**
   * Assigns and waits.
   *
   * @returns what the provider reported
   * @throws TaskFailed
   */
  async run(assignment: Assignment): Promise<string> {
    const { id } = await this.assign(assignment);
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

  /** @throws TaskNotFound also when the task is another user's */
  async find(userId: string, kind: TaskKind, taskId: number): Promise<Task> {
    const task = await this.tasks.find(taskId);
    if (task === null || task.userId !== userId || task.kind !== kind) {
      throw new TaskNotFound(taskId);
    }
    return task;
  }

  @Interval(HOUR_MS)
  async tidy(): Promise<void> {
    await this.tasks.failOverdue();
    await this.tasks.forgetFinishedBefore(KEEP_DAYS);
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
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
        if (task.state !== 'running') {
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
    if (task?.state !== 'running') {
      return;
    }
    const app = await this.apps.find(task.appId);
    const provider = await this.registrations.find<ProviderFields>(
      task.appId,
      task.kind,
      task.providerName,
    );
    if (!app?.enabled || provider === null) {
      await this.#fail(task, `The provider "${task.providerName}" is not available any more.`);
      return;
    }
    const file = await this.tasks.file(task.id);
    const request = await providerRequest(task, provider.fields.actionHandler, file);
    await this.#deliver(app, task, request, { signal, attempt });
  }

  async #deliver(
    app: ExApp,
    task: Task,
    request: ExAppRequest,
    { signal, attempt }: Pick<JobAttempt<HandOver>, 'signal' | 'attempt'>,
  ): Promise<void> {
    const answered = this.#send(app, task, request);
    const patience = delay(this.patienceSeconds * 1000, 'later' as const, { signal, ref: false });
    patience.catch(() => {});
    try {
      const soon = await Promise.race([answered, patience]);
      if (soon === 'later') {
        answered.catch((error: unknown) => this.#lostContact(task, error));
      }
    } catch (error) {
      if (!(error instanceof ExAppUnreachable) || attempt < ATTEMPTS) {
        throw error;
      }
      await this.#fail(task, `The provider "${task.providerName}" could not be reached.`);
    }
  }

  /** What the answer says does not matter: the result comes by a request of the app. */
  async #send(app: ExApp, task: Task, request: ExAppRequest): Promise<void> {
    const { status } = await this.client.send(app, {
      ...request,
      timeoutSeconds: Math.max(task.secondsLeft, 1),
    });
    if (status >= 400) {
      await this.#fail(task, `The provider "${task.providerName}" answered with status ${status}.`);
    }
  }

  async #lostContact(task: Task, error: unknown): Promise<void> {
    // A stop of ours is no failure of the app, whose report the next process will take.
    if (error instanceof ExAppUnreachable && !this.#stop.signal.aborted) {
      await this.#fail(task, `The provider "${task.providerName}" broke off its work.`);
    }
  }

  async #fail(task: Task, error: string): Promise<void> {
    await this.tasks.fail(task.id, error);
    this.#reports.emit(String(task.id));
  }
}

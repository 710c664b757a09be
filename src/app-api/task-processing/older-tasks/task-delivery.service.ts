import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ExAppUninstallHooks } from '../../../common/ports/ex-app-uninstall-hooks.js';
import type { SqlRunner } from '../../../database/database.js';
import type { JobAttempt, JobKind } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { ExAppUnreachable } from '../../app-api.errors.js';
import { type ExApp, ExAppsRepository } from '../../apps/ex-apps.repository.js';
import { ExAppLog } from '../../apps/log/ex-app-log.js';
import type { KindOf } from '../../capabilities/capability.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import {
  ExAppClient,
  type ExAppRequest,
  type ExAppUpload,
} from '../../apps/client/ex-app-client.js';
import { type Task, TasksRepository } from './tasks.repository.js';

/** A stored recording. */
interface KeptRecording {
  readonly bytes: number;
  /** Null after the last one. */
  piece(place: number): Promise<Uint8Array | null>;
}

/** The fields that all kinds of providers have. */
export interface ProviderFields {
  readonly name: string;
  readonly actionHandler: string;
}

interface TaskDelivery {
  readonly taskId: number;
}

const DELIVERIES: JobKind<TaskDelivery> = {
  name: 'provider-task',
  deadlineSeconds: 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 30,
  parallel: 6,
  // An app that hangs leaves workers for the others.
  parallelPerGroup: 2,
};

const ATTEMPTS = 3;

/** Sends queued tasks to the handlers of their providers. The result comes later, as a report. */
@Injectable()
export class TaskDeliveryService implements BeforeApplicationShutdown {
  /** An app that works before it answers keeps its connection, but no worker beyond this. */
  patienceSeconds = 10;

  readonly #stop = new AbortController();
  #onFailed: (taskId: number) => void = () => {};

  constructor(
    private readonly tasks: TasksRepository,
    private readonly jobs: JobQueue,
    private readonly registrations: RegistrationsRepository,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    private readonly log: ExAppLog,
    uninstallHooks: ExAppUninstallHooks,
  ) {
    jobs.carryOut(DELIVERIES, (job) => this.#deliver(job));
    // The tasks themselves are deleted with the app's row.
    uninstallHooks.onUninstall(async (appId) => {
      await jobs.forget(DELIVERIES, { group: appId });
    });
  }

  /** @param listener called when a task has failed here */
  onFailed(listener: (taskId: number) => void): void {
    this.#onFailed = listener;
  }

  /** Stores a job in the transaction of the task. Call `wake` after the commit. */
  async enqueue({ id, appId }: Task, tx: SqlRunner): Promise<void> {
    await this.jobs.send(DELIVERIES, [{ key: appId, payload: { taskId: id } }], tx);
  }

  wake(): void {
    this.jobs.wake(DELIVERIES);
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  async #deliver({ payload, signal, attempt }: JobAttempt<TaskDelivery>): Promise<void> {
    const task = await this.tasks.find(payload.taskId);
    if (task === null || task.finishedSeconds !== null) {
      return;
    }
    const app = await this.apps.find(task.appId);
    const kind: KindOf<ProviderFields> = { kind: task.kind };
    const provider = await this.registrations.find(task.appId, kind, task.providerName);
    if (!app?.enabled || provider === null) {
      await this.#fail(task, 'The provider is no longer available.');
      return;
    }
    const answered = this.#send(app, task, provider.fields.actionHandler);
    const patience = delay(this.patienceSeconds * 1000, 'later' as const, { signal, ref: false });
    patience.catch(() => {});
    try {
      if ((await Promise.race([answered, patience])) === 'later') {
        answered.catch((error: unknown) => this.#connectionLost(task, error));
      }
      await this.tasks.markRunning(task.id);
    } catch (error) {
      if (!(error instanceof ExAppUnreachable) || attempt < ATTEMPTS) {
        throw error;
      }
      await this.#fail(task, 'The provider could not be reached.');
    }
  }

  /** Ignores the body of the answer: the result comes as a request of the app. */
  async #send(app: ExApp, task: Task, handler: string): Promise<void> {
    const status = await this.#statusOf(app, task, handler);
    if (status >= 400) {
      await this.#fail(task, `The provider answered with status ${status}.`);
    }
  }

  async #statusOf(app: ExApp, task: Task, handler: string): Promise<number> {
    if (task.kind !== 'speech_to_text') {
      const timeoutSeconds = Math.max(task.secondsLeft, 1);
      return this.client.tell(app, { ...providerRequest(task, handler), timeoutSeconds });
    }
    const recording = {
      bytes: await this.tasks.recordingBytes(task.id),
      piece: (place: number) => this.tasks.piece(task.id, place),
    };
    return this.client.upload(app, recordingUpload(task, handler, recording));
  }

  async #connectionLost(task: Task, error: unknown): Promise<void> {
    // If this process stops, the next one accepts the app's report.
    if (error instanceof ExAppUnreachable && !this.#stop.signal.aborted) {
      await this.#fail(task, 'The provider closed the connection.');
    }
  }

  async #fail(task: Task, error: string): Promise<void> {
    if (await this.tasks.fail(task.id, error)) {
      this.log.warn(task.appId, `task ${task.id} (${task.kind}, ${task.providerName}): ${error}`);
    }
    this.#onFailed(task.id);
  }
}

function providerRequest(task: Task, handler: string): ExAppRequest {
  return {
    method: 'POST',
    route: handler,
    userId: task.userId,
    json: { ...task.input, task_id: task.id, max_execution_time: task.secondsLeft },
  };
}

/**
 * The request to a provider of speech to text: a form whose part `data` is the recording, streamed
 * piece by piece.
 */
export function recordingUpload(
  task: Task,
  actionHandler: string,
  recording: KeptRecording,
): ExAppUpload {
  const boundary = `recording-${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="data"; filename="${quotable(task.input['filename'])}"\r\n` +
      `Content-Type: ${mediaType(task.input['mime'])}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const timeoutSeconds = Math.max(task.secondsLeft, 1);
  return {
    route: actionHandler,
    userId: task.userId,
    query: { task_id: String(task.id), max_execution_time: String(task.secondsLeft) },
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Readable.from(framed(head, recording, tail), { objectMode: false }),
    bodyBytes: head.length + recording.bytes + tail.length,
    timeoutSeconds,
  };
}

async function* framed(
  head: Uint8Array,
  recording: KeptRecording,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield head;
  for (let place = 0; ; place += 1) {
    const bytes = await recording.piece(place);
    if (bytes === null) {
      break;
    }
    yield bytes;
  }
  yield tail;
}

/** Untrusted: may be anything, line breaks included. */
function mediaType(announced: string | null | undefined): string {
  const [plain = 'application/octet-stream'] =
    /^[\w.+-]+\/[\w.+-]+/.exec(announced?.trim() ?? '') ?? [];
  return plain;
}

/** Escapes like browsers do in forms. */
function quotable(filename: string | null | undefined): string {
  return (filename || 'recording')
    .replaceAll('"', '%22')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}

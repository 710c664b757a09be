import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileContent } from '../../../common/ports/file-contents.js';
import type { SqlRunner } from '../../../database/database.js';
import type { JobAttempt, JobKind } from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { ExAppUnreachable } from '../../app-api.errors.js';
import {
  ExAppClient,
  type ExAppRequest,
  type ExAppUpload,
} from '../../apps/client/ex-app-client.service.js';
import { type ExApp, ExAppsRepository } from '../../apps/ex-apps.repository.js';
import { ExAppLog } from '../../apps/log/ex-app-log.service.js';
import type { KindOf } from '../../capabilities/capability.js';
import { RegistrationsRepository } from '../../capabilities/registrations.repository.js';
import { TaskFilesService } from '../files/task-files.service.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import { olderKindOf } from '../types/older-kinds.js';

/** The fields that all kinds of providers have. */
export interface ProviderFields {
  readonly name: string;
  readonly actionHandler: string;
}

interface TaskCall {
  /** The id at the older routes. */
  readonly taskId: number;
}

export const CALLS: JobKind<TaskCall> = {
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

/**
 * Sends tasks to the handlers of providers that do not fetch them. The result comes later, as a report.
 *
 * @see docs/app-api-tasks.md "Older providers"
 */
@Injectable()
export class TaskCalls implements BeforeApplicationShutdown {
  /** An app that works before it answers keeps its connection, but no worker beyond this. */
  patienceSeconds = 10;

  readonly #stop = new AbortController();

  constructor(
    private readonly tasks: ProcessingTasksRepository,
    private readonly queue: TaskQueue,
    private readonly files: TaskFilesService,
    private readonly jobs: JobQueue,
    private readonly registrations: RegistrationsRepository,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    private readonly log: ExAppLog,
  ) {
    jobs.carryOut(CALLS, (job) => this.#deliver(job));
  }

  /**
   * Stores a job in the transaction that schedules a task; ignored for one that apps fetch. Call `wake`
   * after the commit.
   */
  async enqueue({ olderId, calledAppId, state }: ProcessingTask, tx: SqlRunner): Promise<void> {
    if (calledAppId !== null && state === 'scheduled') {
      await this.jobs.send(CALLS, [{ key: calledAppId, payload: { taskId: olderId } }], tx);
    }
  }

  wake(): void {
    this.jobs.wake(CALLS);
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  async #deliver({ payload, signal, attempt }: JobAttempt<TaskCall>): Promise<void> {
    await this.queue.failOverdue();
    const task = await this.tasks.called(payload.taskId);
    if (task === null || task.endedSeconds !== null) {
      return;
    }
    const appId = task.calledAppId ?? '';
    const app = await this.apps.find(appId);
    const kind: KindOf<ProviderFields> = { kind: olderKindOf(task.type) };
    const provider = await this.registrations.find(appId, kind, task.providerId ?? '');
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
      await this.tasks.noteCalled(task.id);
    } catch (error) {
      if (!(error instanceof ExAppUnreachable) || attempt < ATTEMPTS) {
        throw error;
      }
      await this.#fail(task, 'The provider could not be reached.');
    }
  }

  /** Ignores the body of the answer: the result comes as a request of the app. */
  async #send(app: ExApp, task: ProcessingTask, handler: string): Promise<void> {
    const [recordingId] = task.fileIds;
    const status =
      recordingId === undefined
        ? await this.client.tell(app, requestOf(task, handler))
        : await this.client.upload(
            app,
            recordingUpload(task, handler, await this.files.open(task, recordingId)),
          );
    if (status >= 400) {
      await this.#fail(task, `The provider answered with status ${status}.`);
    }
  }

  async #connectionLost(task: ProcessingTask, error: unknown): Promise<void> {
    // If this process stops, the next one accepts the app's report.
    if (error instanceof ExAppUnreachable && !this.#stop.signal.aborted) {
      await this.#fail(task, 'The provider closed the connection.');
    }
  }

  async #fail(task: ProcessingTask, error: string): Promise<void> {
    const { id, olderId, type, calledAppId, providerId } = task;
    if (await this.queue.endCalled(id, { state: 'failed', error, userError: error })) {
      const what = `${olderKindOf(type)}, ${providerId}`;
      this.log.warn(calledAppId ?? '', `task ${olderId} (${what}): ${error}`);
    }
  }
}

function requestOf(task: ProcessingTask, route: string): ExAppRequest {
  const { input, olderId, userId, secondsLeft } = task;
  return {
    method: 'POST',
    route,
    userId: userId ?? '',
    json: { ...input, task_id: olderId, max_execution_time: secondsLeft },
    timeoutSeconds: Math.max(secondsLeft, 1),
  };
}

/**
 * The request to a provider of speech to text: a form whose part `data` is the recording, streamed
 * piece by piece.
 */
export function recordingUpload(
  {
    input,
    olderId,
    userId,
    secondsLeft,
  }: Pick<ProcessingTask, 'input' | 'olderId' | 'userId' | 'secondsLeft'>,
  route: string,
  recording: Pick<FileContent, 'sizeBytes' | 'read'>,
): ExAppUpload {
  const boundary = `recording-${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="data"; filename="${quotable(input['filename'])}"\r\n` +
      `Content-Type: ${mediaType(input['mime'])}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    route,
    userId: userId ?? '',
    query: { task_id: String(olderId), max_execution_time: String(secondsLeft) },
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Readable.from(framed(head, recording.read(), tail), { objectMode: false }),
    bodyBytes: head.length + recording.sizeBytes + tail.length,
    timeoutSeconds: Math.max(secondsLeft, 1),
  };
}

async function* framed(
  head: Uint8Array,
  recording: AsyncIterable<Uint8Array>,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* recording;
  yield tail;
}

/** Untrusted: may be anything, line breaks included. */
function mediaType(announced: unknown): string {
  const [plain = 'application/octet-stream'] =
    /^[\w.+-]+\/[\w.+-]+/.exec(typeof announced === 'string' ? announced.trim() : '') ?? [];
  return plain;
}

/** Escapes like browsers do in forms. */
function quotable(filename: unknown): string {
  return (typeof filename === 'string' && filename !== '' ? filename : 'recording')
    .replaceAll('"', '%22')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}

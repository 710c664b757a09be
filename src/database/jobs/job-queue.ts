import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { randomUUID, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PgBoss, type JobWithMetadata } from 'pg-boss';
import { DatabaseUnavailable } from '../database-unavailable.js';
import { Database, type SqlRunner } from '../database.js';
import { JOB_SCHEMA, jobStatementsOn } from '../job-schema.js';
import { forOthersToo } from '../statement-limits.js';
import {
  deadLettersOf,
  type DeadEnvelope,
  type DeadLetter,
  type Envelope,
  type JobKind,
  type JobRunner,
  type JobsInCommon,
  type NewJob,
} from './job-kind.js';
import {
  countDeadLetters,
  countJobs,
  deleteSomeExcess,
  deleteSomeJobs,
  hasJob,
  listDeadJobs,
  listDeadLetters,
  listExcesses,
  listKindsWithJobs,
  type DeadJob,
  type DeadLetterLine,
  type QueueState,
} from './job-statements.js';
import { JobWorkers } from './job-workers.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How soon jobs of a crashed process are retried. */
const SUPERVISE_SECONDS = 15;
/** Never reached: the deadline of its kind ends a job. */
const RETRY_LIMIT = 100_000;
/** Exceeds any deadline, since jobs that wait behind a failing one must not expire. */
const RETENTION_SECONDS = 30 * 24 * 3600;
/** Log limit: every worker reports a lost connection with every poll. */
const ERROR_LOG_GAP_MS = 10_000;

/**
 * Durable background jobs. A sent job is run, if necessary after a restart or by another process. Every
 * process may send; only processes that serve HTTP run jobs.
 * @see docs/decisions/0013-durable-jobs.md
 */
@Injectable()
export class JobQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** How long the shutdown waits for running jobs. */
  drainSeconds = 5;

  readonly #logger = new Logger('Jobs');
  readonly #runners = new Map<string, { kind: JobKind<object>; run: JobRunner<never> }>();
  readonly #queues = new Map<string, Promise<void>>();
  #boss: PgBoss | undefined;
  #workers: JobWorkers | undefined;
  #starting: Promise<void> = Promise.resolve();
  #nextErrorLogAt = 0;

  constructor(
    private readonly database: Database,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Registers how jobs of a kind are run. Call before the application has started. */
  carryOut<Payload extends object>(kind: JobKind<Payload>, run: JobRunner<Payload>): void {
    this.#runners.set(kind.name, { kind, run });
  }

  /**
   * Stores jobs. They are durable when this resolves or, with `tx`, when the transaction commits.
   *
   * @param tx call `wake` after the commit, or the jobs wait for the next poll
   */
  async send<Payload extends object>(
    kind: JobKind<Payload>,
    jobs: readonly NewJob<Payload>[],
    tx?: SqlRunner,
  ): Promise<void> {
    if (jobs.length === 0) {
      return;
    }
    const boss = this.#open();
    await this.#ensureQueue(boss, kind);
    await boss.insert(
      kind.name,
      jobs.map(({ key, group = key, payload }) => ({
        id: timeOrderedId(),
        data: { payload } satisfies Envelope<Payload>,
        singletonKey: key,
        group: { id: group },
        retryLimit: RETRY_LIMIT,
        retryDelay: kind.retryDelaySeconds,
        retryBackoff: true,
        retryDelayMax: kind.longestRetryDelaySeconds,
        expireInSeconds: kind.attemptSeconds,
        retentionSeconds: RETENTION_SECONDS,
        deleteAfterSeconds: 3600,
      })),
      tx && { db: statementsOn(tx) },
    );
    if (tx === undefined) {
      this.wake(kind, jobs.length);
    }
  }

  /** Makes this process look for jobs at once instead of at the next poll. */
  wake(kind: JobKind<object>, jobs = 1): void {
    this.#workers?.wake(kind.name, jobs);
  }

  /** Whether a job of this key waits or is run. */
  async has(
    kind: JobKind<object>,
    key: string,
    runner: SqlRunner = this.database,
  ): Promise<boolean> {
    return hasJob(runner, kind.name, key);
  }

  /** Deletes waiting jobs. @returns how many */
  async drop(kind: JobKind<object>, keyPrefix: string): Promise<number> {
    return this.#delete([kind.name], { keyPrefix });
  }

  /**
   * Deletes waiting jobs and dead letters; of a user also jobs that run, whose attempts go on and leave
   * nothing, and that have ended.
   *
   * @returns how many
   */
  async forget(kind: JobKind<object>, which: JobsInCommon): Promise<number> {
    return this.#delete([kind.name, deadLettersOf(kind)], which);
  }

  /**
   * Deletes the oldest waiting jobs and dead letters beyond `most`, counted by queue and by owner: the part
   * of the key before the first `/`. Jobs that run stay.
   *
   * @returns how many by owner; owners that have no more than `most` are left out
   */
  async trim(
    kinds: readonly JobKind<object>[],
    most: number,
  ): Promise<ReadonlyMap<string, number>> {
    const queues = kinds.flatMap((kind) => [kind.name, deadLettersOf(kind)]);
    const dropped = new Map<string, number>();
    for (const excess of await listExcesses(this.database, queues, most)) {
      const count = await untilNone(() => deleteSomeExcess(this.database, excess));
      dropped.set(excess.owner, (dropped.get(excess.owner) ?? 0) + count);
    }
    return dropped;
  }

  /** The newest dead letters of one kind, oldest first; see `listDeadJobs`. */
  async deadLetters<Payload extends object>(
    kind: JobKind<Payload>,
  ): Promise<DeadLetter<Payload>[]> {
    await this.#ensureQueue(this.#open(), kind);
    const jobs = await listDeadJobs<Payload>(this.database, deadLettersOf(kind));
    return jobs.map(toDeadLetter).toReversed();
  }

  /** A page of the dead letters of all kinds, newest first. */
  async listDeadLetters(
    limit: number,
    offset: number,
  ): Promise<{ readonly total: number; readonly letters: readonly DeadLetterLine[] }> {
    const queues = this.kinds().map((kind) => deadLettersOf(kind));
    const [total, letters] = await Promise.all([
      countDeadLetters(this.database, queues),
      listDeadLetters(this.database, queues, limit, offset),
    ]);
    return { total, letters };
  }

  /**
   * Sends a dead letter again, with a new deadline and behind all later jobs.
   *
   * @returns false when it does not exist
   */
  async retryDeadLetter<Payload extends object>(
    kind: JobKind<Payload>,
    id: string,
  ): Promise<boolean> {
    const boss = this.#open();
    const letter = await this.#findDeadLetter(boss, kind, id);
    if (letter === undefined) {
      return false;
    }
    await this.database.transaction(async (tx) => {
      await boss.deleteJob(deadLettersOf(kind), id, { db: statementsOn(tx) });
      const key = letter.singletonKey ?? '';
      const group = letter.groupId ?? key;
      await this.send(kind, [{ key, group, payload: letter.data.payload }], tx);
    });
    this.wake(kind);
    return true;
  }

  /** Deletes a dead letter. @returns false when it does not exist */
  async dropDeadLetter(kind: JobKind<object>, id: string): Promise<boolean> {
    const boss = this.#open();
    const letter = await this.#findDeadLetter(boss, kind, id);
    if (letter !== undefined) {
      await boss.deleteJob(deadLettersOf(kind), id);
    }
    return letter !== undefined;
  }

  /** All kinds that rooms have registered. */
  kinds(): JobKind<object>[] {
    return [...this.#runners.values()].map(({ kind }) => kind);
  }

  /** Creates queues that are missing in the database; its migration knows no kinds. */
  async createQueues(): Promise<void> {
    const boss = this.#open();
    const present = new Set((await boss.getQueues()).map(({ name }) => name));
    for (const { kind } of this.#runners.values()) {
      if (present.has(kind.name) && present.has(deadLettersOf(kind))) {
        this.#queues.set(kind.name, Promise.resolve());
      } else {
        await this.#ensureQueue(boss, kind);
      }
    }
  }

  /** Numbers of jobs by kind, in all processes. */
  async overview(): Promise<QueueState[]> {
    return countJobs(this.database, [...this.#runners.keys()]);
  }

  /** Looks for jobs of other processes, as every process does every two seconds. */
  async poll(): Promise<void> {
    await this.#workers?.poll();
  }

  /** Jobs that this process is running. */
  get underWay(): number {
    return this.#workers?.busy ?? 0;
  }

  async onApplicationBootstrap(): Promise<void> {
    // CLI commands start no web server and run no jobs.
    if (!this.http?.httpAdapter) {
      return;
    }
    const boss = this.#open();
    await boss.start();
    await this.createQueues();
    // External apps that a job calls may call back at once, so the server has to listen first.
    this.http.listen$.subscribe(() => (this.#starting = this.#startWorkers(boss)));
  }

  /** Starts no further jobs, waits for running ones, and leaves the rest to other processes. */
  async beforeApplicationShutdown(): Promise<void> {
    const boss = this.#boss;
    if (boss === undefined) {
      return;
    }
    await Promise.race([
      this.#starting.then(() => this.#workers?.drain()),
      delay(this.drainSeconds * 1000, undefined, { ref: false }),
    ]);
    await boss.stop({ graceful: false, close: false });
  }

  async #startWorkers(boss: PgBoss): Promise<void> {
    this.#workers = new JobWorkers(boss, (kinds) => listKindsWithJobs(this.database, kinds));
    for (const { kind, run } of this.#runners.values()) {
      this.#workers.add(kind, run);
    }
    await this.#workers.start();
  }

  async #delete(queues: readonly string[], which: JobsInCommon): Promise<number> {
    let deleted = 0;
    for (const queue of queues) {
      deleted += await untilNone(() => deleteSomeJobs(this.database, queue, which));
    }
    return deleted;
  }

  async #findDeadLetter<Payload extends object>(
    boss: PgBoss,
    kind: JobKind<Payload>,
    id: string,
  ): Promise<JobWithMetadata<DeadEnvelope<Payload>> | undefined> {
    if (!UUID.test(id)) {
      return undefined;
    }
    await this.#ensureQueue(boss, kind);
    const [letter] = await boss.findJobs<DeadEnvelope<Payload>>(deadLettersOf(kind), { id });
    return letter;
  }

  #open(): PgBoss {
    this.#boss ??= this.#create();
    return this.#boss;
  }

  #create(): PgBoss {
    const boss = new PgBoss({
      db: {
        executeSql: (text, values) =>
          this.database.withPool((pool) => jobStatementsOn(pool).executeSql(text, values)),
      },
      schema: JOB_SCHEMA,
      schedule: false,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
    });
    boss.on('error', (error) => this.#logError(error));
    boss.on('warning', ({ message }) => this.#logger.warn(message));
    return boss;
  }

  #logError(error: Error): void {
    // Logged elsewhere, once for all. pg-boss emits copies, so instanceof does not work.
    if (error.name === DatabaseUnavailable.name) {
      return;
    }
    const now = Date.now();
    if (now >= this.#nextErrorLogAt) {
      this.#nextErrorLogAt = now + ERROR_LOG_GAP_MS;
      this.#logger.error(error.message);
    }
  }

  async #ensureQueue(boss: PgBoss, kind: JobKind<object>): Promise<void> {
    const known = this.#queues.get(kind.name);
    if (known !== undefined) {
      return known;
    }
    const created = forOthersToo(() => createQueues(boss, kind));
    this.#queues.set(kind.name, created);
    created.catch(() => this.#queues.delete(kind.name));
    return created;
  }
}

/** Adds up what `deleteSome` returns, until it returns 0. */
async function untilNone(deleteSome: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (let some = await deleteSome(); some > 0; some = await deleteSome()) {
    sum += some;
  }
  return sum;
}

async function createQueues(boss: PgBoss, kind: JobKind<object>): Promise<void> {
  await boss.createQueue(kind.name, { policy: kind.ordered ? 'key_strict_fifo' : 'standard' });
  await boss.createQueue(deadLettersOf(kind));
  // So that pg-boss knows it from now on: it would ask in the middle of a transaction that sends a job,
  // by a second connection, which the pool may not have.
  await boss.findJobs(kind.name, { id: randomUUID() });
}

function statementsOn(tx: SqlRunner) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      rows: await tx.query<unknown>(text, values),
    }),
  };
}

function toDeadLetter<Payload>(job: DeadJob<Payload>): DeadLetter<Payload> {
  const { payload, error, attempts, sentAt } = job.data;
  return {
    id: job.id,
    key: job.singletonKey ?? '',
    payload,
    error,
    attempts,
    sentAt: new Date(sentAt),
    givenUpAt: new Date(job.createdMillis),
  };
}

let lastMilliseconds = 0;
let count = 0;

/**
 * A UUIDv7 that sorts after all earlier ones of this process. Jobs inserted in one transaction have
 * the same timestamp, so only the id keeps their order.
 */
function timeOrderedId(nowMilliseconds = Date.now()): string {
  if (nowMilliseconds > lastMilliseconds) {
    lastMilliseconds = nowMilliseconds;
    count = 0;
  } else if (++count > 0xfff) {
    lastMilliseconds++;
    count = 0;
  }
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastMilliseconds, 0, 6);
  bytes.writeUInt16BE(0x7000 | count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

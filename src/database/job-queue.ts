import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { PgBoss, type JobWithMetadata } from 'pg-boss';
import { setTimeout as delay } from 'node:timers/promises';
import { Database, type SqlRunner } from './database.js';
import { DatabaseUnavailable } from './database-unavailable.js';
import { JOB_SCHEMA, jobStatementsOn } from './job-schema.js';
import { timeOrderedId } from './time-ordered-id.js';

/** A sort of work that may wait, fail and be tried again. `Payload` is what a job carries. */
export interface JobKind<Payload extends object> {
  /** Lower case with dashes; in the database, so it stays. */
  readonly name: string;
  /** From sending to giving up. A job that is then still failing becomes a dead letter. */
  readonly deadlineSeconds: number;
  /** Before the second attempt; doubled with each further one up to the longest. */
  readonly retryDelaySeconds: number;
  readonly longestRetryDelaySeconds: number;
  /** One attempt that takes longer is over. */
  readonly attemptSeconds: number;
  /** Jobs under way at once in one process. */
  readonly parallel: number;
  /**
   * Jobs of one group under way at once in all processes; the others of the group wait. Not to the
   * last one: processes that look at the same moment may each take one more.
   */
  readonly parallelPerGroup?: number;
  /** Jobs of one key run one after another, as they were sent; a failing one holds up the rest. */
  readonly ordered?: boolean;
  /** Only for the type. */
  readonly payload?: Payload;
}

/** One attempt at a job. */
export interface JobAttempt<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** Ends when the attempt takes too long or the process stops. */
  readonly signal: AbortSignal;
  /** Counted from 1. */
  readonly attempt: number;
}

export type JobRunner<Payload> = (job: JobAttempt<Payload>) => Promise<void>;

/** A job to send. Jobs of one key are ordered and dropped together. */
export interface NewJob<Payload> {
  readonly key: string;
  /** Jobs of one group are limited together, if their kind says so. Default: the key. */
  readonly group?: string;
  readonly payload: Payload;
}

/** Jobs that have something in common. */
export type JobsInCommon =
  | { readonly keyPrefix: string; readonly group?: never }
  | { readonly group: string; readonly keyPrefix?: never };

/** A job that was given up on. */
export interface DeadLetter<Payload> {
  readonly id: string;
  readonly key: string;
  readonly payload: Payload;
  readonly error: string;
  readonly attempts: number;
  readonly sentAt: Date;
  readonly givenUpAt: Date;
}

/** A dead letter of any kind, without what it was about. Times are unix seconds. */
export interface DeadLetterLine {
  readonly kind: string;
  readonly id: string;
  readonly key: string;
  readonly error: string;
  readonly attempts: number;
  readonly sentAtSeconds: number;
  readonly givenUpAtSeconds: number;
}

/** How much there is of one kind of work. */
export interface QueueState {
  readonly kind: string;
  /** Waiting for a worker. */
  readonly queued: number;
  /** Failed at least once, and waiting for the next attempt. */
  readonly retrying: number;
  readonly active: number;
  /** Given up: dead letters. */
  readonly failed: number;
  /** How long the oldest that is not finished has been there; null when there is none. */
  readonly oldestSeconds: number | null;
}

/** Thrown by a job that would fail again in the same way: it becomes a dead letter at once. */
export class PermanentJobFailure extends Error {}

interface Envelope<Payload> {
  readonly payload: Payload;
}

interface DeadEnvelope<Payload> extends Envelope<Payload> {
  readonly error: string;
  readonly attempts: number;
  readonly sentAt: string;
}

interface Worker {
  id: string;
  busy: boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the names of their queues end with. */
const DEAD_LETTERS = '.dead-letters';

const POLL_SECONDS = 2;
/** How soon it is noticed that a process died with jobs in its hands. */
const LOOK_AFTER_SECONDS = 15;
const KEEP_DEAD_LETTERS_SECONDS = 90 * 24 * 3600;
/** What ends a job is its deadline. */
const MANY_RETRIES = 100_000;
/** Beyond any deadline, since jobs that wait in line for one that fails must not vanish. */
const KEEP_WAITING_SECONDS = 30 * 24 * 3600;
/** A database that went away would otherwise be reported by every worker at every poll. */
const ERROR_LOG_GAP_MS = 10_000;

/**
 * Durable work: a job that was sent is carried out, be it after a restart or by another process.
 * Every process may send; only those that serve HTTP carry out.
 *
 * @see docs/decisions/0013-durable-jobs.md
 */
@Injectable()
export class JobQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** How long a stop waits for what is under way. */
  drainSeconds = 5;

  readonly #logger = new Logger('Jobs');
  readonly #runners = new Map<string, { kind: JobKind<object>; run: JobRunner<never> }>();
  readonly #workers = new Map<string, Worker[]>();
  readonly #queues = new Map<string, Promise<void>>();
  #boss: PgBoss | undefined;
  #working: Promise<void> = Promise.resolve();
  #nextErrorLogAt = 0;

  constructor(
    private readonly database: Database,
    private readonly http: HttpAdapterHost,
  ) {}

  /** Says how jobs of a kind are carried out. Before the application has started. */
  carryOut<Payload extends object>(kind: JobKind<Payload>, run: JobRunner<Payload>): void {
    this.#runners.set(kind.name, { kind, run });
  }

  /**
   * Stores jobs; they are safe when this returns, or when the transaction commits.
   *
   * @param tx the transaction to be part of; `wake` afterwards saves them the wait for the next poll
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
        retryLimit: MANY_RETRIES,
        retryDelay: kind.retryDelaySeconds,
        retryBackoff: true,
        retryDelayMax: kind.longestRetryDelaySeconds,
        expireInSeconds: kind.attemptSeconds,
        retentionSeconds: KEEP_WAITING_SECONDS,
        deleteAfterSeconds: 3600,
      })),
      tx && { db: statementsOn(tx) },
    );
    if (tx === undefined) {
      this.wake(kind, jobs.length);
    }
  }

  /** Has this process look for jobs now rather than at the next poll. */
  wake(kind: JobKind<object>, jobs = 1): void {
    const idle = (this.#workers.get(kind.name) ?? []).filter(({ busy }) => !busy);
    for (const { id } of idle.slice(0, jobs)) {
      this.#boss?.notifyWorker(id);
    }
  }

  /** Forgets what has not been carried out yet of the keys that begin with `keyPrefix`. */
  async drop(kind: JobKind<object>, keyPrefix: string): Promise<number> {
    return this.#forget(kind, [kind.name], { keyPrefix });
  }

  /** Forgets what has not been carried out yet, and what was given up on. */
  async forget(kind: JobKind<object>, which: JobsInCommon): Promise<number> {
    return this.#forget(kind, [kind.name, deadLettersOf(kind)], which);
  }

  /** Oldest first. */
  async deadLetters<Payload extends object>(
    kind: JobKind<Payload>,
  ): Promise<DeadLetter<Payload>[]> {
    const boss = this.#open();
    await this.#ensureQueue(boss, kind);
    const jobs = await boss.findJobs<DeadEnvelope<Payload>>(deadLettersOf(kind));
    return jobs.map(toDeadLetter).sort((a, b) => a.givenUpAt.getTime() - b.givenUpAt.getTime());
  }

  /** Of every kind, newest first, page by page. */
  async listDeadLetters(
    limit: number,
    offset: number,
  ): Promise<{ readonly total: number; readonly letters: readonly DeadLetterLine[] }> {
    const names = this.kinds().map((kind) => deadLettersOf(kind));
    const [counted, letters] = await Promise.all([
      this.database.query<{ total: number }>(
        `select count(*)::int as total from ${JOB_SCHEMA}.job
          where name = any($1::text[]) and state < 'completed'`,
        [names],
      ),
      this.database.query<DeadLetterLine>(
        `select id, left(name, -length($2::text)) as kind, coalesce(singleton_key, '') as key,
                data->>'error' as error, (data->>'attempts')::int as attempts,
                floor(extract(epoch from (data->>'sentAt')::timestamptz))::bigint as "sentAtSeconds",
                floor(extract(epoch from created_on))::bigint as "givenUpAtSeconds"
           from ${JOB_SCHEMA}.job
          where name = any($1::text[]) and state < 'completed'
          order by created_on desc, id desc limit $3 offset $4`,
        [names, DEAD_LETTERS, limit, offset],
      ),
    ]);
    return { total: counted[0]?.total ?? 0, letters };
  }

  /**
   * Sends a dead letter again, with a new deadline and after everything sent since.
   *
   * @returns false when there is none with that id
   */
  async retryDeadLetter<Payload extends object>(
    kind: JobKind<Payload>,
    id: string,
  ): Promise<boolean> {
    if (!UUID.test(id)) {
      return false;
    }
    const boss = this.#open();
    await this.#ensureQueue(boss, kind);
    const [letter] = await boss.findJobs<DeadEnvelope<Payload>>(deadLettersOf(kind), { id });
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

  /**
   * Forgets a dead letter.
   *
   * @returns false when there is none with that id
   */
  async dropDeadLetter(kind: JobKind<object>, id: string): Promise<boolean> {
    if (!UUID.test(id)) {
      return false;
    }
    const boss = this.#open();
    await this.#ensureQueue(boss, kind);
    const found = await boss.findJobs(deadLettersOf(kind), { id });
    if (found.length > 0) {
      await boss.deleteJob(deadLettersOf(kind), id);
    }
    return found.length > 0;
  }

  /** Everything that this service carries out, whichever room it is of. */
  kinds(): JobKind<object>[] {
    return [...this.#runners.values()].map(({ kind }) => kind);
  }

  /** Each kind with how much there is of it, in all processes together; by name. */
  async overview(): Promise<QueueState[]> {
    return this.database.query<QueueState>(
      `select k.name as kind,
              count(*) filter (where j.name = k.name and j.state = 'created')::int as queued,
              count(*) filter (where j.name = k.name and j.state = 'retry')::int as retrying,
              count(*) filter (where j.name = k.name and j.state = 'active')::int as active,
              count(*) filter (where j.name <> k.name)::int as failed,
              floor(extract(epoch from now() - min(j.created_on)
                filter (where j.name = k.name)))::int as "oldestSeconds"
         from unnest($1::text[]) k (name)
         left join ${JOB_SCHEMA}.job j
           on j.name in (k.name, k.name || $2) and j.state < 'completed'
        group by k.name order by k.name`,
      [[...this.#runners.keys()], DEAD_LETTERS],
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    // A command of the command line starts no web server, and is over before a job would be.
    if (!this.http?.httpAdapter) {
      return;
    }
    const boss = this.#open();
    await boss.start();
    for (const { kind } of this.#runners.values()) {
      await this.#ensureQueue(boss, kind);
    }
    // Whoever a job calls may call back at once, and must find somebody listening.
    this.http.listen$.subscribe(() => (this.#working = this.#startAllWorkers(boss)));
  }

  /** Takes nothing new, gives what is under way a while, and leaves the rest to the next start. */
  async beforeApplicationShutdown(): Promise<void> {
    const boss = this.#boss;
    if (boss === undefined) {
      return;
    }
    await Promise.race([
      this.#drain(boss),
      delay(this.drainSeconds * 1000, undefined, { ref: false }),
    ]);
    await boss.stop({ graceful: false, close: false });
  }

  /** Jobs that this process carries out now. */
  get underWay(): number {
    return [...this.#workers.values()].flat().filter(({ busy }) => busy).length;
  }

  async #drain(boss: PgBoss): Promise<void> {
    await this.#working;
    await Promise.allSettled(
      [...this.#workers.keys()].map((name) => boss.offWork(name, { wait: true })),
    );
  }

  async #forget(
    kind: JobKind<object>,
    queues: readonly string[],
    which: JobsInCommon,
  ): Promise<number> {
    const boss = this.#open();
    await this.#ensureQueue(boss, kind);
    const waiting = await this.database.query<{ id: string; queue: string }>(
      `select id, name as queue from ${JOB_SCHEMA}.job
        where name = any($1) and (starts_with(singleton_key, $2) or group_id = $3)
          and state < 'active'`,
      [queues, which.keyPrefix ?? null, which.group ?? null],
    );
    for (const queue of queues) {
      const ids = waiting.filter((job) => job.queue === queue).map(({ id }) => id);
      if (ids.length > 0) {
        await boss.deleteJob(queue, ids);
      }
    }
    return waiting.length;
  }

  async #startAllWorkers(boss: PgBoss): Promise<void> {
    for (const { kind, run } of this.#runners.values()) {
      await this.#startWorkers(boss, kind, run);
    }
  }

  async #startWorkers(boss: PgBoss, kind: JobKind<object>, run: JobRunner<never>): Promise<void> {
    const workers: Worker[] = [];
    this.#workers.set(kind.name, workers);
    for (let n = 0; n < kind.parallel; n++) {
      const worker: Worker = { id: '', busy: false };
      worker.id = await boss.work(
        kind.name,
        {
          includeMetadata: true,
          pollingIntervalSeconds: POLL_SECONDS,
          ...(kind.parallelPerGroup && { groupConcurrency: kind.parallelPerGroup }),
        },
        async ([job]: JobWithMetadata<Envelope<never>>[]) => {
          worker.busy = true;
          try {
            await (job && this.#attempt(boss, kind, run, job));
          } finally {
            worker.busy = false;
            // Where one job was, there may be another.
            boss.notifyWorker(worker.id);
          }
        },
      );
      workers.push(worker);
    }
  }

  async #attempt(
    boss: PgBoss,
    kind: JobKind<object>,
    run: JobRunner<never>,
    job: JobWithMetadata<Envelope<never>>,
  ): Promise<void> {
    const attempt = job.retryCount + 1;
    const what = `${kind.name} ${job.singletonKey ?? ''} (job ${job.id}, attempt ${attempt})`;
    try {
      await run({ id: job.id, payload: job.data.payload, signal: job.signal, attempt });
    } catch (error) {
      const { message } = error as Error;
      const ageSeconds = (Date.now() - job.createdOn.getTime()) / 1000;
      if (!(error instanceof PermanentJobFailure) && ageSeconds < kind.deadlineSeconds) {
        this.#logger.log(`${what} will be tried again: ${message}`);
        throw error;
      }
      await this.#bury(boss, kind, job, { message, attempts: attempt });
      this.#logger.warn(`${what} was given up and kept as a dead letter: ${message}`);
    }
  }

  /**
   * Kept apart by us rather than by pg-boss, where a job that failed for good would hold up the
   * others of its key until it is deleted.
   */
  async #bury(
    boss: PgBoss,
    kind: JobKind<object>,
    job: JobWithMetadata<Envelope<never>>,
    { message, attempts }: { readonly message: string; readonly attempts: number },
  ): Promise<void> {
    const letter: DeadEnvelope<never> = {
      payload: job.data.payload,
      error: message,
      attempts,
      sentAt: job.createdOn.toISOString(),
    };
    // The same id again, so that burying twice leaves one letter.
    await boss.insert(deadLettersOf(kind), [
      {
        id: job.id,
        data: letter,
        singletonKey: job.singletonKey ?? '',
        ...(job.groupId && { group: { id: job.groupId } }),
        retentionSeconds: KEEP_DEAD_LETTERS_SECONDS,
      },
    ]);
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
      superviseIntervalSeconds: LOOK_AFTER_SECONDS,
      monitorIntervalSeconds: LOOK_AFTER_SECONDS,
    });
    boss.on('error', (error) => this.#report(error));
    boss.on('warning', ({ message }) => this.#logger.warn(message));
    return boss;
  }

  #report(error: Error): void {
    // Logged already, once for all. pg-boss passes on copies, so the class says nothing.
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
    const created = createQueues(boss, kind);
    this.#queues.set(kind.name, created);
    created.catch(() => this.#queues.delete(kind.name));
    return created;
  }
}

async function createQueues(boss: PgBoss, kind: JobKind<object>): Promise<void> {
  await boss.createQueue(kind.name, { policy: kind.ordered ? 'key_strict_fifo' : 'standard' });
  await boss.createQueue(deadLettersOf(kind));
}

function deadLettersOf({ name }: JobKind<object>): string {
  return `${name}${DEAD_LETTERS}`;
}

function statementsOn(tx: SqlRunner) {
  return {
    executeSql: async (text: string, values: unknown[] = []) => ({
      rows: await tx.query<unknown>(text, values),
    }),
  };
}

function toDeadLetter<Payload>(job: JobWithMetadata<DeadEnvelope<Payload>>): DeadLetter<Payload> {
  const { payload, error, attempts, sentAt } = job.data;
  return {
    id: job.id,
    key: job.singletonKey ?? '',
    payload,
    error,
    attempts,
    sentAt: new Date(sentAt),
    givenUpAt: job.createdOn,
  };
}

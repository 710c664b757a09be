import { Logger } from '@nestjs/common';
import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import { traced } from '../../common/tracing/spans.js';
import { limitedAs } from '../statement-limits.js';
import {
  deadLettersOf,
  PermanentJobFailure,
  type DeadEnvelope,
  type Envelope,
  type JobKind,
  type JobRunner,
} from './job-kind.js';

interface Worker {
  /** Empty until pg-boss has started it. */
  id: string;
  /** Jobs that it runs. */
  busy: number;
}

interface Crew {
  readonly kind: JobKind<object>;
  readonly run: JobRunner<never>;
  /** At most `kind.parallel`; started on demand. */
  readonly workers: Worker[];
}

const POLL_SECONDS = 2;
/** Poll interval of an idle worker that is not notified. */
const PATROL_SECONDS = 60;
/** After this time, the jobs of a batch that are done are completed before its end. */
const COMPLETE_MS = 500;
const KEEP_DEAD_LETTERS_SECONDS = 90 * 24 * 3600;

/**
 * The workers of this process, by kind. One statement finds the kinds with jobs of other processes, and
 * an idle worker of each polls; one that finds a job has the next one look whether there are more.
 */
export class JobWorkers {
  readonly #logger = new Logger('Jobs');
  readonly #crews = new Map<string, Crew>();
  readonly #starting = new Set<Promise<void>>();
  #polling: NodeJS.Timeout | undefined;
  #draining = false;

  /** @param kindsWithJobs returns the given kinds that have a job to start */
  constructor(
    private readonly boss: PgBoss,
    private readonly kindsWithJobs: (kinds: readonly string[]) => Promise<readonly string[]>,
  ) {}

  /** Jobs that this process is running. */
  get busy(): number {
    return [...this.#crews.values()]
      .flatMap(({ workers }) => workers)
      .reduce((sum, { busy }) => sum + busy, 0);
  }

  add(kind: JobKind<object>, run: JobRunner<never>): void {
    this.#crews.set(kind.name, { kind, run, workers: [] });
  }

  /** Looks for jobs now and every two seconds. */
  async start(): Promise<void> {
    // A failed poll is retried with the next tick.
    const poll = () => this.poll().catch(() => {});
    this.#polling = setInterval(() => void poll(), POLL_SECONDS * 1000).unref();
    await poll();
  }

  /** Makes idle workers of a kind poll at once. @param jobs no more workers than these need */
  wake(kindName: string, jobs: number): void {
    const crew = this.#crews.get(kindName);
    if (crew === undefined || this.#draining) {
      return;
    }
    const wanted = Math.ceil(jobs / (crew.kind.batch ?? 1));
    const idle = crew.workers.filter(({ busy }) => busy === 0).slice(0, wanted);
    for (const { id } of idle.filter((worker) => worker.id !== '')) {
      this.boss.notifyWorker(id);
    }
    const free = crew.kind.parallel - crew.workers.length;
    for (let n = Math.min(wanted - idle.length, free); n > 0; n--) {
      // Not counted for the sender of the request that sent a job.
      const starting = limitedAs('background', () => this.#startWorker(crew));
      const started = starting.finally(() => this.#starting.delete(started));
      this.#starting.add(started);
    }
  }

  /** Makes an idle worker of each kind that has jobs poll; one statement for all kinds. */
  async poll(): Promise<void> {
    for (const name of await this.kindsWithJobs([...this.#crews.keys()])) {
      this.wake(name, 1);
    }
  }

  /** Starts no further jobs; resolves when the running ones have ended. */
  async drain(): Promise<void> {
    this.#draining = true;
    clearInterval(this.#polling);
    await Promise.all(this.#starting);
    await Promise.allSettled(
      [...this.#crews.values()]
        .filter(({ workers }) => workers.length > 0)
        .map(({ kind }) => this.boss.offWork(kind.name, { wait: true })),
    );
  }

  /** The worker polls at once. */
  async #startWorker({ kind, run, workers }: Crew): Promise<void> {
    const worker: Worker = { id: '', busy: 0 };
    const { batch = 1 } = kind;
    workers.push(worker);
    try {
      worker.id = await this.boss.work(
        kind.name,
        {
          includeMetadata: true,
          batchSize: batch,
          perJobResults: true,
          pollingIntervalSeconds: PATROL_SECONDS,
          ...(kind.parallelPerGroup && { groupConcurrency: kind.parallelPerGroup }),
        },
        async (jobs: JobWithMetadata<Envelope<never>>[]) => {
          worker.busy = jobs.length;
          if (jobs.length === batch) {
            this.wake(kind.name, 1);
          }
          try {
            return await this.#attemptAll(kind, run, jobs);
          } finally {
            worker.busy = 0;
            // Poll again at once: there may be more jobs.
            this.boss.notifyWorker(worker.id);
          }
        },
      );
    } catch {
      // The database is unavailable; the next poll that finds jobs starts another.
      workers.splice(workers.indexOf(worker), 1);
    }
  }

  /** Of several, those that are done do not wait for one that takes long. */
  async #attemptAll(
    kind: JobKind<object>,
    run: JobRunner<never>,
    jobs: readonly JobWithMetadata<Envelope<never>>[],
  ): Promise<JobResult[]> {
    let done: string[] = [];
    const results = jobs.map(async (job): Promise<JobResult> => {
      const { id } = job;
      try {
        await this.#attempt(kind, run, job);
        done.push(id);
        return { id, status: 'completed' };
      } catch (error) {
        return { id, status: 'failed', output: error };
      }
    });
    const completing = setInterval(() => {
      const ids = done;
      done = [];
      // If this fails, the end of the batch completes them.
      void (ids.length > 0 && this.boss.complete(kind.name, ids).catch(() => {}));
    }, COMPLETE_MS);
    return Promise.all(results).finally(() => clearInterval(completing));
  }

  async #attempt(
    kind: JobKind<object>,
    run: JobRunner<never>,
    job: JobWithMetadata<Envelope<never>>,
  ): Promise<void> {
    const attempt = job.retryCount + 1;
    const what = `${kind.name} ${job.singletonKey ?? ''} (job ${job.id}, attempt ${attempt})`;
    try {
      await traced(`job ${kind.name}`, { 'gatefold.attempt': attempt }, () =>
        run({ id: job.id, payload: job.data.payload, signal: job.signal, attempt }),
      );
    } catch (error) {
      const { message } = error as Error;
      const ageSeconds = (Date.now() - job.createdOn.getTime()) / 1000;
      if (!(error instanceof PermanentJobFailure) && ageSeconds < kind.deadlineSeconds) {
        this.#logger.log(`${what} failed and will be retried: ${message}`);
        throw error;
      }
      const [stored] = await this.boss.findJobs(kind.name, { id: job.id });
      if (stored === undefined) {
        // Forgotten while it ran.
        return;
      }
      await this.#keepAsDeadLetter(kind, job, message, attempt);
      this.#logger.warn(`${what} failed for good and is now a dead letter: ${message}`);
    }
  }

  /** Uses a separate queue: in the kind's own, pg-boss would block later jobs of the key. */
  async #keepAsDeadLetter(
    kind: JobKind<object>,
    job: JobWithMetadata<Envelope<never>>,
    error: string,
    attempts: number,
  ): Promise<void> {
    await this.boss.insert(deadLettersOf(kind), [
      {
        // The job's own id, so that inserting it twice leaves one dead letter.
        id: job.id,
        data: {
          payload: job.data.payload,
          error,
          attempts,
          sentAt: job.createdOn.toISOString(),
        } satisfies DeadEnvelope<never>,
        singletonKey: job.singletonKey ?? '',
        ...(job.groupId && { group: { id: job.groupId } }),
        retentionSeconds: KEEP_DEAD_LETTERS_SECONDS,
      },
    ]);
  }
}

import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../common/errors/domain-error.js';
import { UserDirectory } from '../../common/ports/user-directory.js';
import { Database } from '../../database/database.js';
import type { JobAttempt, JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { DatabaseNotices } from '../../database/notices/notices.js';
import { ArticleAssistant } from './article-assistant.service.js';
import { inputHash } from './article-input.js';
import { AssistanceFailed } from './assistance.errors.js';
import { AssistanceRepository } from './assistance.repository.js';

/** Attempts at one request; only a stop of the service leads to another one. */
const ATTEMPTS = 5;

/** Ids of cancelled requests. */
const CANCELLED = 'gatefold_assistance_cancelled';

const PROGRESS_GAP_MS = 1000;

export interface AssistanceJob {
  readonly assistanceId: number;
}

/** Translations and texts. Keys are user ids. */
export const TEXT_JOBS: JobKind<AssistanceJob> = {
  name: 'news-assistance',
  deadlineSeconds: 3 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 3600,
  parallel: 4,
  // Leaves room for other users.
  parallelPerGroup: 2,
};

/** A separate queue: they take long and hold a whole recording in memory. */
export const TRANSCRIPT_JOBS: JobKind<AssistanceJob> = {
  name: 'news-transcript',
  deadlineSeconds: 5 * 3600,
  retryDelaySeconds: 1,
  longestRetryDelaySeconds: 10,
  attemptSeconds: 2 * 3600,
  parallel: 1,
};

/** Works on requests to external apps: one job each. */
@Injectable()
export class AssistanceWork implements OnModuleDestroy, BeforeApplicationShutdown {
  readonly #logger = new Logger('Assistance');
  readonly #finished = new EventEmitter().setMaxListeners(0);
  readonly #stop = new AbortController();
  /** Requests that this process works on. */
  readonly #running = new Map<number, AbortController>();
  readonly #cancellations = {
    heard: (id: string) => this.#running.get(Number(id))?.abort(new AssistanceFailed('Cancelled.')),
    resumed: () => {},
  };
  /** Set before the dependencies of a running job begin to stop. */
  #isStopping = false;

  constructor(
    private readonly users: UserDirectory,
    private readonly database: Database,
    private readonly notices: DatabaseNotices,
    private readonly requests: AssistanceRepository,
    private readonly assistant: ArticleAssistant,
    jobs: JobQueue,
  ) {
    jobs.carryOut(TEXT_JOBS, (job) => this.#carryOut(job));
    jobs.carryOut(TRANSCRIPT_JOBS, (job) => this.#carryOut(job));
  }

  /** Whether the service is stopping. */
  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Waits until a request ends in this process, at most `pauseMs`. */
  async pauseUntilEnd(id: number, pauseMs: number): Promise<void> {
    const woken = new AbortController();
    const signal = AbortSignal.any([woken.signal, this.#stop.signal]);
    const finished = once(this.#finished, String(id), { signal });
    const patience = delay(pauseMs, undefined, { signal });
    // Both reject when the service stops; the loser rejects once `woken` is aborted.
    await Promise.race([finished, patience]).catch(() => {});
    woken.abort();
    await Promise.allSettled([finished, patience]);
  }

  /** Cancels a running request that the user made, in whichever process it is worked on. */
  async cancel(userId: string, id: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await this.requests.cancel(userId, id, 'The request was cancelled.', tx)) {
        await this.notices.announce(CANCELLED, String(id), tx);
      }
    });
    this.#finished.emit(String(id));
  }

  onModuleDestroy(): void {
    this.#isStopping = true;
  }

  beforeApplicationShutdown(): void {
    this.#stop.abort();
  }

  async #carryOut({ payload, signal, attempt }: JobAttempt<AssistanceJob>): Promise<void> {
    const id = payload.assistanceId;
    const cancelled = new AbortController();
    this.#running.set(id, cancelled);
    try {
      await this.notices.listen(CANCELLED, this.#cancellations);
      await this.#work(id, AbortSignal.any([signal, cancelled.signal]));
    } catch (error) {
      // Interrupted by a stop of the service: the next process repeats it.
      if ((this.#isStopping || signal.aborted) && attempt < ATTEMPTS) {
        throw error;
      }
      await this.requests.fail(id, this.#explain(id, error));
    } finally {
      this.#running.delete(id);
    }
    this.#finished.emit(String(id));
  }

  /** Does nothing for a request that has ended. */
  async #work(id: number, signal: AbortSignal): Promise<void> {
    const task = await this.requests.task(id);
    if (task === null) {
      return;
    }
    const account = await this.users.find(task.userId);
    const article = await this.requests.article(task, task.fullText);
    if (account === null || article === null) {
      throw new AssistanceFailed('The user or the article was removed.');
    }
    const hash = inputHash(task.kind, article);
    const onProgress = this.#recorder(id);
    const result = await this.assistant.work(account, task, article, { signal, onProgress });
    await this.requests.finish(id, result, hash);
  }

  /** Stores progress at most once a second, and never less than before. */
  #recorder(id: number): (share: number) => void {
    let recorded = 0;
    let nextAt = 0;
    return (share) => {
      const percent = Math.floor(Math.min(share, 0.99) * 100);
      if (percent > recorded && performance.now() >= nextAt) {
        recorded = percent;
        nextAt = performance.now() + PROGRESS_GAP_MS;
        this.requests
          .recordProgress(id, percent)
          .catch((error: unknown) =>
            this.#logger.warn(`progress of request ${id}: ${String(error)}`),
          );
      }
    };
  }

  #explain(id: number, error: unknown): string {
    if (error instanceof DomainError) {
      return error.message;
    }
    this.#logger.error(`request ${id}: ${error instanceof Error ? error.stack : String(error)}`);
    return 'It failed for a reason that an administrator can find in the log.';
  }
}

import { Injectable } from '@nestjs/common';
import type { JobKind } from '../../database/job-kind.js';
import { JobQueue } from '../../database/job-queue.js';
import type { DeadLetterLine, QueueState } from '../../database/job-statements.js';
import { DeadLetterNotFound } from '../app-api.errors.js';

/**
 * Job queues of all rooms and their dead letters, for administrators. Payloads are not shown, because
 * they may be private.
 */
@Injectable()
export class QueuesService {
  constructor(private readonly jobs: JobQueue) {}

  async overview(): Promise<QueueState[]> {
    return this.jobs.overview();
  }

  /** Newest first. `total` counts all pages. */
  async deadLetters(
    limit: number,
    offset: number,
  ): Promise<{ readonly total: number; readonly letters: readonly DeadLetterLine[] }> {
    return this.jobs.listDeadLetters(limit, offset);
  }

  /**
   * Appends it to its queue again.
   *
   * @throws DeadLetterNotFound
   */
  async retry(kindName: string, id: string): Promise<void> {
    const kind = this.#kind(kindName);
    if (kind === undefined || !(await this.jobs.retryDeadLetter(kind, id))) {
      throw new DeadLetterNotFound(id);
    }
  }

  /** @throws DeadLetterNotFound */
  async drop(kindName: string, id: string): Promise<void> {
    const kind = this.#kind(kindName);
    if (kind === undefined || !(await this.jobs.dropDeadLetter(kind, id))) {
      throw new DeadLetterNotFound(id);
    }
  }

  #kind(name: string): JobKind<object> | undefined {
    return this.jobs.kinds().find((kind) => kind.name === name);
  }
}

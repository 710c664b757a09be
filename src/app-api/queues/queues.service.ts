import { Injectable } from '@nestjs/common';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import type { JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import type { DeadLetterLine, QueueState } from '../../database/jobs/job-statements.js';
import { DeadLetterNotFound } from '../app-api.errors.js';

/**
 * Job queues of all rooms and their dead letters, for administrators. Payloads are not shown, because
 * they may be private.
 */
@Injectable()
export class QueuesService {
  readonly #tasks = new Map<string, () => Promise<Readonly<Record<string, number>>>>();

  constructor(
    private readonly jobs: JobQueue,
    private readonly log: AdministrationLog,
  ) {}

  /** @param count tasks by state, shown as `tasks` or `task_processing` */
  countsTasks(
    name: 'tasks' | 'task_processing',
    count: () => Promise<Readonly<Record<string, number>>>,
  ): void {
    this.#tasks.set(name, count);
  }

  /** Empty without task processing. */
  async tasks() {
    const [tasks = {}, task_processing = {}] = await Promise.all([
      this.#tasks.get('tasks')?.(),
      this.#tasks.get('task_processing')?.(),
    ]);
    return { tasks, task_processing };
  }

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
   * @param kindName null for whichever kind has the id
   * @throws DeadLetterNotFound
   */
  async retry(kindName: string | null, id: string): Promise<void> {
    for (const kind of this.#kinds(kindName)) {
      if (await this.jobs.retryDeadLetter(kind, id)) {
        await this.#record(id, `dead letter of ${kind.name} queued again`);
        return;
      }
    }
    throw new DeadLetterNotFound(id);
  }

  /**
   * Deletes it.
   *
   * @param kindName null for whichever kind has the id
   * @throws DeadLetterNotFound
   */
  async drop(kindName: string | null, id: string): Promise<void> {
    for (const kind of this.#kinds(kindName)) {
      if (await this.jobs.dropDeadLetter(kind, id)) {
        await this.#record(id, `dead letter of ${kind.name} dropped`);
        return;
      }
    }
    throw new DeadLetterNotFound(id);
  }

  async #record(id: string, details: string): Promise<void> {
    await this.log.record({ kind: 'tasks_changed', subject: { kind: 'task', id }, details });
  }

  #kinds(name: string | null): readonly JobKind<object>[] {
    return this.jobs.kinds().filter((kind) => name === null || kind.name === name);
  }
}

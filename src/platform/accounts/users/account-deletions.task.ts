import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTasks } from '../../../database/background-tasks.js';
import { Regularly } from '../../../database/regularly.js';
import { forOthersToo } from '../../../database/statement-limits.js';
import { AccountNotFound } from '../../platform.errors.js';
import { UsersService } from './users.service.js';

/** Deletes accounts of any size without keeping the caller waiting. Resumed after a restart. */
@Injectable()
export class AccountDeletions implements BeforeApplicationShutdown {
  /** Time for which a request waits for a deletion, which then continues in the background. */
  patienceMs = 5000;

  readonly #logger = new Logger('Accounts');
  readonly #tasks = new BackgroundTasks(this.#logger);
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(private readonly users: UsersService) {}

  /** Resolves when the account is deleted, or after `patienceMs` while the deletion continues. */
  async delete(userId: string): Promise<void> {
    await this.users.requestDeletion(userId);
    const patience = new AbortController();
    const waited = delay(this.patienceMs, undefined, { signal: patience.signal, ref: false });
    try {
      await Promise.race([this.#finish(userId), waited]);
    } finally {
      patience.abort();
    }
  }

  /** Resumes deletions that failed or whose process stopped. */
  @Regularly('account-deletions', 60)
  async tick(): Promise<void> {
    await this.resume();
  }

  /** Resolves when the deletion of every account has been tried. */
  async resume(): Promise<void> {
    await this.#tasks.run('deleting accounts', async (signal) => {
      for (const userId of await this.users.toBeDeleted()) {
        if (!signal.aborted) {
          await this.#finish(userId);
        }
      }
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#tasks.stop();
  }

  /** One deletion of an account at a time. */
  #finish(userId: string): Promise<void> {
    const finished = this.#underWay.get(userId) ?? forOthersToo(() => this.#finishNow(userId));
    this.#underWay.set(userId, finished);
    return finished;
  }

  async #finishNow(userId: string): Promise<void> {
    try {
      await this.users.finishDeletion(userId);
    } catch (error) {
      // Another process may have deleted it first.
      if (!(error instanceof AccountNotFound)) {
        this.#logger.error(`Deleting "${userId}" failed, will retry: ${(error as Error).message}`);
      }
    } finally {
      this.#underWay.delete(userId);
    }
  }
}

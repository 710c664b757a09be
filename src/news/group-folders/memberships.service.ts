import { Injectable, Logger } from '@nestjs/common';
import type { Transaction } from '../../database/database.js';
import type { JobKind } from '../../database/jobs/job-kind.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { Regularly } from '../../database/regularly.js';
import type { Statement } from '../../database/statement.js';
import type { GivenByGroups } from '../reader/delivery/given-by-groups.js';
import { ReaderClientsRepository } from '../reader/delivery/reader-clients.repository.js';
import { ReaderIdsRepository, type Reader } from '../reader/delivery/reader-ids.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { GivenRules } from '../reader/rules/given-rules.service.js';
import { MembershipsRepository } from './memberships.repository.js';

/** Brings those up to date who cannot wait; one job at a time. */
const GROUP_CHANGES: JobKind<Record<string, never>> = {
  name: 'news-group-changes',
  deadlineSeconds: 3600,
  retryDelaySeconds: 5,
  longestRetryDelaySeconds: 60,
  // Others wait as long for the job of a process that was killed.
  attemptSeconds: 60,
  parallel: 1,
  ordered: true,
};

const ALL = { key: 'all', payload: {} };

const USERS_AT_A_TIME = 200;

/** Each has a connection, and locks one reader for the time of one transaction. */
const CONCURRENT = 3;

/** Gives members what their groups have, when they synchronise or, if they cannot wait, within half a minute. */
@Injectable()
export class MembershipsService implements GivenByGroups {
  /** Of one job; another one does the rest. */
  workMs = 30_000;
  readonly #logger = new Logger('Folders of groups');

  constructor(
    private readonly memberships: MembershipsRepository,
    private readonly readers: ReadersRepository,
    private readonly clients: ReaderClientsRepository,
    private readonly ids: ReaderIdsRepository,
    private readonly jobs: JobQueue,
    private readonly rules: GivenRules,
  ) {
    jobs.carryOut(GROUP_CHANGES, ({ signal }) => this.bringAllUpToDate(signal));
  }

  asking(userId: string): Statement {
    return this.memberships.asking(userId);
  }

  async isDue(userId: string): Promise<boolean> {
    return this.memberships.isDue(userId);
  }

  async bringUpToDate(reader: Reader): Promise<void> {
    await this.readers.change(reader, (tx, locked) => this.#bring(reader, locked, tx));
  }

  /** Changes of groups are sought rather than announced, since many ways lead to them. */
  @Regularly('group-folders', 20)
  async seek(): Promise<void> {
    const due = await this.memberships.dueSoon([], 1);
    await (due.length > 0 ? this.soon() : undefined);
  }

  async soon(): Promise<void> {
    await this.jobs.send(GROUP_CHANGES, [ALL]);
  }

  /** In steps of one reader each. Those whose client is between pages wait for the next time. */
  async bringAllUpToDate(signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + this.workMs;
    const isOver = () => performance.now() >= endsAt;
    const postponed: string[] = [];
    let userIds: string[];
    do {
      userIds = await this.memberships.dueSoon(postponed, USERS_AT_A_TIME);
      const waiting = userIds.values();
      const lane = async () => {
        for (const userId of waiting) {
          signal.throwIfAborted();
          if (isOver()) {
            return;
          }
          if (!(await this.#bringNow(userId))) {
            postponed.push(userId);
          }
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT }, lane));
    } while (userIds.length > 0 && !isOver());
    await (isOver() ? this.soon() : undefined);
  }

  async #bring(reader: Reader, locked: LockedReader, tx: Transaction): Promise<void> {
    await this.rules.replace(locked, await this.memberships.bringUpToDate(reader, locked, tx), tx);
  }

  async #bringNow(userId: string): Promise<boolean> {
    try {
      const reader = await this.ids.of(userId);
      return await this.readers.change(reader, async (tx, locked) => {
        const isPaging = await this.clients.isPaging(locked.id, tx);
        await (isPaging ? undefined : this.#bring(reader, locked, tx));
        return !isPaging;
      });
    } catch (error) {
      this.#logger.warn(`${userId} gets changes of groups later: ${String(error)}`);
      return false;
    }
  }
}

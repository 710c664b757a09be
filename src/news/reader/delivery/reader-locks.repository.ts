import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';
import { ReaderIds } from './reader-ids.repository.js';
import { countAgain } from './kept-counts.sql.js';
import {
  createReader,
  lockOutReads,
  lockReaderRow,
  takeStamp,
  waitingForWriters,
  type ReaderCounters,
} from './readers.sql.js';

/** A reader's row as it was when its lock was granted. Proof that the caller holds the lock. */
export interface LockedReader {
  readonly id: number;
  readonly nextItemId: number;
  /** The stamp of every row changed in this transaction, unix microseconds. */
  readonly stampMicros: number;
  /** Whether some client listens for changes of this user. */
  readonly isWatched: boolean;
  /** Whether tasks start by themselves for new items of this user. */
  readonly isAutomated: boolean;
  /** Whether external apps listen for events of any user. */
  readonly areEventsWanted: boolean;
}

/**
 * The two locks that make one user's ids and stamps visible in the order of their commits. Each is a
 * separate statement in a READ COMMITTED transaction: a statement that locked and read at once would
 * read the state from before the wait.
 *
 * @see docs/decisions/0004-items-are-delivered-under-a-lock.md
 */
@Injectable()
export class ReaderLocks {
  constructor(private readonly ids: ReaderIds) {}

  /**
   * Waits for the other writers of this user. Must come first in a transaction that changes items or
   * subscriptions; a transaction locks one user only.
   */
  async lock(tx: SqlRunner, userId: string): Promise<LockedReader> {
    const row = (await this.#lockKnown(tx, userId)) ?? (await this.#createAndLock(tx, userId));
    await this.lockOutReads(tx, row.id);
    // Only after the lock: reads that came earlier ended before this moment, later ones see the change.
    const { isCounted, ...stamp } = await takeStamp(tx, row.id, row.lastModifiedMicros);
    if (!isCounted) {
      await countAgain(tx, row.id);
    }
    return { id: row.id, nextItemId: row.nextItemId, ...stamp };
  }

  /**
   * Waits until every change that may already have its stamp is visible. A client that remembers the
   * time of this read as its cursor then misses no change stamped before it.
   */
  async waitForWriters(runner: SqlRunner, readerId: number): Promise<void> {
    const { sql, params } = waitingForWriters(readerId);
    await runner.query(sql, params);
  }

  protected async lockRow(tx: SqlRunner, readerId: number): Promise<ReaderCounters | undefined> {
    return lockReaderRow(tx, readerId);
  }

  protected async lockOutReads(tx: SqlRunner, readerId: number): Promise<void> {
    await lockOutReads(tx, readerId);
  }

  async #lockKnown(tx: SqlRunner, userId: string): Promise<ReaderCounters | undefined> {
    const id = await this.ids.of(userId, tx);
    const row = id === null ? undefined : await this.lockRow(tx, id);
    if (row === undefined) {
      this.ids.forget(userId);
    }
    return row;
  }

  async #createAndLock(tx: SqlRunner, userId: string): Promise<ReaderCounters> {
    const row = await this.lockRow(tx, await createReader(tx, userId));
    if (row === undefined) {
      throw new Error(`The reader row of ${userId} was removed while it was being created`);
    }
    return row;
  }
}

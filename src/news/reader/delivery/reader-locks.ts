import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../database/database.js';

/** A user's row as it was when its lock was granted. */
export interface LockedReader {
  readonly id: number;
  readonly nextItemId: number;
  /** What every row changed in this transaction is stamped with, in microseconds. */
  readonly stampMicros: number;
  /** Whether some process wants to hear of this user's changes. */
  readonly isWatched: boolean;
}

interface ReaderRow {
  id: number;
  nextItemId: number;
  lastModifiedMicros: number;
}

/** Keeps our advisory locks apart from those of anything else in the same database. */
const READER_LOCK_SPACE = 4_706_000_000_000_000;

/**
 * The two locks that make ids and last-modified stamps of one user appear in the order in which
 * they were committed. Each is a statement of its own in a READ COMMITTED transaction: a statement
 * that locked and read at once would read from before the wait.
 *
 * @see docs/decisions/0004-items-are-delivered-under-a-lock.md
 */
@Injectable()
export class ReaderLocks {
  /**
   * Waits for its turn among the writers of this user. To be the first thing a transaction does
   * before it changes items or subscriptions; a transaction locks one user only.
   */
  async lock(tx: SqlRunner, userId: string): Promise<LockedReader> {
    const row = (await this.lockRow(tx, userId)) ?? (await this.#createAndLock(tx, userId));
    await this.keepReadersOut(tx, row.id);
    // Taken only now: whoever read before us was let in before this moment, and whoever reads
    // after us sees this. It never falls behind the last stamp, even if the clock steps back.
    const [now] = await tx.query<{ stampMicros: number; isWatched: boolean }>(
      `select greatest($1::bigint, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
                as "stampMicros",
              exists (select from reader where id = $2 and watched_until > clock_timestamp())
                as "isWatched"`,
      [row.lastModifiedMicros, row.id],
    );
    const { stampMicros = 0, isWatched = false } = now ?? {};
    return { id: row.id, nextItemId: row.nextItemId, stampMicros, isWatched };
  }

  /**
   * Waits until every change that may already carry a stamp is visible. A client that remembers
   * the time of this read as its cursor can then not miss a change stamped before it.
   */
  async waitForWriters(runner: SqlRunner, readerId: number): Promise<void> {
    await runner.query('select pg_advisory_xact_lock_shared($1)', [READER_LOCK_SPACE + readerId]);
  }

  protected async lockRow(tx: SqlRunner, userId: string): Promise<ReaderRow | undefined> {
    const [row] = await tx.query<ReaderRow>(
      `select id, next_item_id as "nextItemId", last_modified_micros as "lastModifiedMicros"
         from reader where user_id = $1 for update`,
      [userId],
    );
    return row;
  }

  protected async keepReadersOut(tx: SqlRunner, readerId: number): Promise<void> {
    await tx.query('select pg_advisory_xact_lock($1)', [READER_LOCK_SPACE + readerId]);
  }

  async #createAndLock(tx: SqlRunner, userId: string): Promise<ReaderRow> {
    await tx.query('insert into reader (user_id) values ($1) on conflict (user_id) do nothing', [
      userId,
    ]);
    const row = await this.lockRow(tx, userId);
    if (row === undefined) {
      throw new Error(`The reader row of ${userId} was removed while it was being created`);
    }
    return row;
  }
}

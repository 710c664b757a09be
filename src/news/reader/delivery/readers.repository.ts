import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import { announceChange, type ChangeOf } from './announcements.js';
import { ReaderLocks, type LockedReader } from './reader-locks.js';

/** Most rows one transaction removes. */
const REMOVAL_BATCH = 5000;

/** What a user may have very many of; the rest goes with the row of the reader. */
const REMOVAL_BATCHES = [
  `delete from item using (
     select reader_id, id from item where reader_id = $1 order by id limit $2
   ) due where item.reader_id = due.reader_id and item.id = due.id returning 1`,
  `delete from subscription using (
     select id from subscription where reader_id = $1 limit $2
   ) due where subscription.id = due.id returning 1`,
];

export interface ReaderPosition {
  readonly id: number;
  readonly lastModifiedMicros: number;
}

/** Users as the feed reader knows them, and the one way to change what is theirs. */
@Injectable()
export class ReadersRepository {
  constructor(
    private readonly database: Database,
    private readonly locks: ReaderLocks,
  ) {}

  /** @returns the reader's key, or null for a user who never used the feed reader */
  async idOf(userId: string): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>(
      'select id from reader where user_id = $1',
      [userId],
    );
    return row?.id ?? null;
  }

  /**
   * @returns the reader's key, and the stamp of the newest change that is committed; null for a user
   *   who never used the feed reader
   */
  async positionOf(userId: string): Promise<ReaderPosition | null> {
    const [row] = await this.database.query<ReaderPosition>(
      'select id, last_modified_micros as "lastModifiedMicros" from reader where user_id = $1',
      [userId],
    );
    return row ?? null;
  }

  /**
   * Runs `work` in a transaction that holds this user's lock, and tells whoever listens to the user.
   *
   * @param what may happen; by default whatever the user wished
   */
  async change<Result>(
    userId: string,
    work: (tx: Transaction, reader: LockedReader) => Promise<Result>,
    what: ChangeOf = 'anything',
  ): Promise<Result> {
    return this.database.transaction(async (tx) => {
      const reader = await this.locks.lock(tx, userId);
      const result = await work(tx, reader);
      await announceChange(tx, reader, what);
      return result;
    });
  }

  /**
   * Has this user's changes announced for a while: all that are committed after this resolves.
   *
   * @returns the reader's key
   */
  async watch(userId: string, seconds: number): Promise<number> {
    const [row] = await this.database.query<{ id: number }>(
      `insert into reader (user_id, watched_until)
       values ($1, clock_timestamp() + make_interval(secs => $2))
       on conflict (user_id) do update
          set watched_until = greatest(reader.watched_until, excluded.watched_until)
       returning id`,
      [userId, seconds],
    );
    if (row === undefined) {
      throw new Error(`The reader row of ${userId} could not be watched`);
    }
    return row.id;
  }

  /** Before a read whose time a client may remember. @see ReaderLocks.waitForWriters */
  async waitForWriters(readerId: number): Promise<void> {
    await this.locks.waitForWriters(this.database, readerId);
  }

  /**
   * Skips item ids and stamps that clients may have seen after the state was saved that has now been
   * restored.
   */
  async moveAhead(): Promise<void> {
    await this.database.query(
      `update reader set next_item_id = next_item_id + 1000000,
              last_modified_micros = (extract(epoch from clock_timestamp()) * 1000000)::bigint`,
    );
  }

  /** Every user who ever used the feed reader. */
  async userIds(): Promise<string[]> {
    const rows = await this.database.query<{ userId: string }>(
      'select user_id as "userId" from reader order by id',
    );
    return rows.map(({ userId }) => userId);
  }

  /** Forgets a user together with folders, subscriptions and items, in transactions of bounded size. */
  async remove(userId: string): Promise<void> {
    const readerId = await this.idOf(userId);
    if (readerId === null) {
      return;
    }
    for (const batch of REMOVAL_BATCHES) {
      for (let removed = REMOVAL_BATCH; removed === REMOVAL_BATCH;) {
        removed = (await this.database.query(batch, [readerId, REMOVAL_BATCH])).length;
      }
    }
    await this.database.query('delete from reader where id = $1', [readerId]);
  }
}

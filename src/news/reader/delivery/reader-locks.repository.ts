import { Injectable } from '@nestjs/common';
import { READER_LOCK_SPACE } from '../../../common/advisory-locks.js';
import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ReaderEntity } from '../../tables/reader.entity.js';
import { APPS_LISTEN } from './item-events.sql.js';
import { countAgain } from './kept-counts.sql.js';
import { NO_READER, ReaderIdsRepository, type Reader } from './reader-ids.repository.js';

/** Creates a reader, serialised with other processes, and sets its id. */
export async function createReader(reader: Reader, tx: SqlRunner): Promise<void> {
  const { userId } = reader;
  // Always an update, so that the row is returned even if another process has just added it.
  const [row] = await tx.query<{ id: number }>(
    `insert into reader_user (user_id, reader_id)
     values ($1, nextval(pg_get_serial_sequence('reader', 'id')))
     on conflict (user_id) do update set user_id = excluded.user_id
     returning reader_id as id`,
    [userId],
  );
  if (row === undefined) {
    throw new Error(`${userId} got no reader`);
  }
  await tx.query('insert into reader (id, user_id) values ($1, $2) on conflict (id) do nothing', [
    row.id,
    userId,
  ]);
  reader.id = row.id;
}

/** Evaluated for each row. */
export const NOW_MICROS = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

/** Waits for the row lock; the first statement of a transaction that uses `locked`. */
export const LOCK = prepared('lock-reader', 'select 1 from reader where id = $1 for update');

/**
 * The CTE `locked` for a statement that changes items of the reader `$1`: its id and the stamp. The row is
 * locked by an earlier statement of the transaction; this locks out reads, and takes the stamp after that:
 * the function in `from` is called before the row is made.
 *
 * @param condition SQL that is true, or fails the statement
 */
export const locked = (condition: string): string => `locked as materialized (
      select found.id, greatest(found.last_modified_micros + 1, ${NOW_MICROS}) as stamp
        from (select id, last_modified_micros from reader where id = $1 offset 0) found
       cross join lateral pg_advisory_xact_lock(${READER_LOCK_SPACE} + found.id)
       where ${condition}
    )`;

const COUNTERS = selectList(ReaderEntity, 'reader', ['id', 'nextItemId', 'lastModifiedMicros']);

type ReaderCounters = RowOf<typeof COUNTERS>;

const LOCK_COUNTERS = prepared(
  'lock-reader-counters',
  `select ${COUNTERS} from reader where id = $1 for update`,
);

const LOCK_OUT_READS = prepared(
  'lock-out-reads',
  `select pg_advisory_xact_lock(${READER_LOCK_SPACE} + id) from reader where id = $1`,
);

const TAKE_STAMP = prepared(
  'take-stamp',
  `select greatest($1::bigint + 1, ${NOW_MICROS}) as "stampMicros",
          coalesce(reader.watched_until > clock_timestamp(), false) as "isWatched",
          reader.counted_micros = reader.last_modified_micros as "isCounted",
          reader.stories_once as "storiesOnce",
          exists (select 1 from automatic_reader automatic
                   where automatic.reader_id = $2 and automatic.is_on) as "isAutomated",
          ${APPS_LISTEN} as "areEventsWanted"
     from reader where id = $2`,
);

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
  /** Whether each story is shown once. */
  readonly storiesOnce: boolean;
  /** Whether external apps listen for events of any user. */
  readonly areEventsWanted: boolean;
  /** What is to be done when the transaction is committed. */
  readonly afterCommit: (() => void)[];
}

/** State that a writer reads once it has both locks. */
type Stamp = Omit<LockedReader, 'id' | 'nextItemId' | 'afterCommit'> & {
  readonly isCounted: boolean;
};

const NO_STAMP: Stamp = {
  stampMicros: 0,
  isWatched: false,
  isCounted: true,
  isAutomated: false,
  storiesOnce: false,
  areEventsWanted: false,
};

/**
 * The two locks that make one user's ids and stamps visible in the order of their commits. Each is a
 * separate statement in a READ COMMITTED transaction: a statement that locked and read at once would
 * read the state from before the wait.
 *
 * @see docs/decisions/0004-items-are-delivered-under-a-lock.md
 */
@Injectable()
export class ReaderLocksRepository {
  constructor(private readonly ids: ReaderIdsRepository) {}

  /**
   * Waits for the other writers of this user. Must come first in a transaction that changes items or
   * subscriptions; a transaction locks one user only. Creates the reader if necessary, and sets its id.
   */
  async lock(reader: Reader, tx: SqlRunner): Promise<LockedReader> {
    let row = reader.id === NO_READER ? undefined : await this.lockRow(reader.id, tx);
    if (row === undefined) {
      this.ids.forget(reader.userId);
      await createReader(reader, tx);
      row = await this.lockRow(reader.id, tx);
    }
    if (row === undefined) {
      throw new Error(`The reader row of ${reader.userId} was removed while it was being created`);
    }
    await this.lockOutReads(row.id, tx);
    // Taken after the lock: earlier reads ended before this moment, later ones see the change.
    const { isCounted, ...stamp } = await this.#takeStamp(row, tx);
    if (!isCounted) {
      await countAgain(row.id, tx);
    }
    return { id: row.id, nextItemId: row.nextItemId, ...stamp, afterCommit: [] };
  }

  protected async lockRow(readerId: number, tx: SqlRunner): Promise<ReaderCounters | undefined> {
    const [row] = await tx.query<ReaderCounters>(LOCK_COUNTERS, [readerId]);
    return row;
  }

  /**
   * Held by a writer from before its stamp is taken until it commits. Taken where the reader's row is, so
   * that it meets `ReadersRepository.waitForWriters` on the same server.
   */
  protected async lockOutReads(readerId: number, tx: SqlRunner): Promise<void> {
    await tx.query(LOCK_OUT_READS, [readerId]);
  }

  /**
   * The new stamp is higher than the reader's last one, even when the clock is set back, so that it is
   * unique among the reader's changes.
   */
  async #takeStamp({ id, lastModifiedMicros }: ReaderCounters, tx: SqlRunner): Promise<Stamp> {
    const [now] = await tx.query<Stamp>(TAKE_STAMP, [lastModifiedMicros, id]);
    return now ?? NO_STAMP;
  }
}

import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { prepared } from '../../../database/prepared.js';
import type { Statement } from '../../../database/statement.js';
import { APPS_LISTEN } from '../events/item-events.sql.js';
import { moveStamp } from './kept-counts.sql.js';
import { ReaderEntity } from './reader.entity.js';

const POSITION = selectList(ReaderEntity, 'reader', ['id', 'lastModifiedMicros']);
const COUNTERS = selectList(ReaderEntity, 'reader', ['id', 'nextItemId', 'lastModifiedMicros']);

/** A reader and the stamp of its newest committed change. */
export type ReaderPosition = RowOf<typeof POSITION>;
/** A reader and the counters that its lock protects. */
export type ReaderCounters = RowOf<typeof COUNTERS>;

const FIND_ID = prepared('reader-id', 'select reader_id as id from reader_user where user_id = $1');

export async function findReaderId(runner: SqlRunner, userId: string): Promise<number | null> {
  const [row] = await runner.query<{ id: number }>(FIND_ID, [userId]);
  return row?.id ?? null;
}

export async function findReaderPosition(
  runner: SqlRunner,
  readerId: number,
): Promise<ReaderPosition | null> {
  const [row] = await runner.query<ReaderPosition>(`select ${POSITION} from reader where id = $1`, [
    readerId,
  ]);
  return row ?? null;
}

/** A reader at the start of a synchronisation. */
export interface ReaderState extends ReaderPosition {
  /** Whether a source that the user follows has a newer revision than was delivered. */
  readonly isPending: boolean;
  /** Whether the counts of the user's subscriptions are right. */
  readonly isCounted: boolean;
}

/** Keeps our advisory locks apart from those of other programs in the same database. */
const READER_LOCK_SPACE = 4_706_000_000_000_000;

const STATE = `${POSITION},
  exists (select 1 from subscription s join source on source.id = s.source_id
           where s.reader_id = $1 and source.rev > s.delivered_rev
             and s.deleted_at is null) as "isPending",
  reader.counted_micros = reader.last_modified_micros as "isCounted"`;

const FIND_STATE = prepared('reader-state', `select ${STATE} from reader where id = $1`);

const WAIT = prepared(
  'wait-for-writers',
  `select pg_advisory_xact_lock_shared(${READER_LOCK_SPACE} + id) from reader where id = $1`,
);

/** A statement with one row, `ReaderState`, or none. Reads one row per followed source; takes no lock. */
export function stateOf(readerId: number): Statement {
  return { sql: FIND_STATE, params: [readerId] };
}

/**
 * Waits for the writers that hold `lockOutReads`; a statement of its own, so that later ones see what was
 * waited for.
 */
export function waitingForWriters(readerId: number): Statement {
  return { sql: WAIT, params: [readerId] };
}

/** Of processes that create the same reader, one waits for the other. @returns the reader's id */
export async function createReader(tx: SqlRunner, userId: string): Promise<number> {
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
  return row.id;
}

/** Waits for the row lock. */
export async function lockReaderRow(
  tx: SqlRunner,
  readerId: number,
): Promise<ReaderCounters | undefined> {
  const [row] = await tx.query<ReaderCounters>(
    `select ${COUNTERS} from reader where id = $1 for update`,
    [readerId],
  );
  return row;
}

/**
 * @param lastModifiedMicros the reader's last stamp; the new one is higher, even when the clock is set
 *   back, so that it tells this change from all others of the reader
 */
export async function takeStamp(
  tx: SqlRunner,
  readerId: number,
  lastModifiedMicros: number,
): Promise<Stamp> {
  const [now] = await tx.query<Stamp>(
    `select greatest($1::bigint + 1, ${NOW_MICROS}) as "stampMicros",
            coalesce(reader.watched_until > clock_timestamp(), false) as "isWatched",
            reader.counted_micros = reader.last_modified_micros as "isCounted",
            exists (select 1 from automatic_reader automatic
                     where automatic.reader_id = $2 and automatic.is_on) as "isAutomated",
            ${APPS_LISTEN} as "areEventsWanted"
       from reader where id = $2`,
    [lastModifiedMicros, readerId],
  );
  return now ?? NO_STAMP;
}

/** What a writer learns once it has both locks. */
export interface Stamp {
  readonly stampMicros: number;
  readonly isWatched: boolean;
  readonly isCounted: boolean;
  readonly isAutomated: boolean;
  readonly areEventsWanted: boolean;
}

const NO_STAMP: Stamp = {
  stampMicros: 0,
  isWatched: false,
  isCounted: true,
  isAutomated: false,
  areEventsWanted: false,
};

/** Evaluated anew for each row. */
const NOW_MICROS = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

/** Waits for the row lock; the first statement of a transaction that uses `locked`. */
export function lockOf(readerId: number): Statement {
  return { sql: LOCK, params: [readerId] };
}

const LOCK = prepared('lock-reader', 'select from reader where id = $1 for update');

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

/**
 * Held by a writer from before its stamp is taken until it commits. Taken where the reader's row is, so
 * that it meets `waitingForWriters` on the same server.
 */
export async function lockOutReads(tx: SqlRunner, readerId: number): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(${READER_LOCK_SPACE} + id) from reader where id = $1`,
    [readerId],
  );
}

/**
 * Noted twice: beside the sources, for theirs and for flags, and with the reader, whose lock it waits for.
 * Each must be committed by itself: whoever locks the reader after the second sees the first.
 *
 * @returns whether there is such a reader
 */
export async function watchReader(
  runner: SqlRunner,
  readerId: number,
  seconds: number,
): Promise<boolean> {
  const set = `set watched_until = greatest(watched_until,
                                        statement_timestamp() + make_interval(secs => $2))`;
  await runner.query(`update reader_user ${set} where reader_id = $1`, [readerId, seconds]);
  const rows = await runner.query(`update reader ${set} where id = $1 returning id`, [
    readerId,
    seconds,
  ]);
  return rows.length > 0;
}

/** Every reader: item ids go up by a million, and the last stamp becomes now. */
export async function moveCountersAhead(runner: SqlRunner): Promise<void> {
  // Citus refuses functions that are called row by row.
  const [clock] = await runner.query<{ micros: number }>(`select ${NOW_MICROS} as micros`);
  const stamp = 'greatest(reader.last_modified_micros, $1::bigint)';
  await runner.query(
    `update reader set next_item_id = next_item_id + 1000000, ${moveStamp(stamp)}`,
    [clock?.micros],
  );
}

/** Removes at most `limit` items. @returns how many were removed */
export async function removeSomeItems(
  runner: SqlRunner,
  readerId: number,
  limit: number,
): Promise<number> {
  const rows = await runner.query(
    `delete from item using (
       select id from item where reader_id = $1 order by id limit $2
     ) due where item.reader_id = $1 and item.id = due.id returning 1`,
    [readerId, limit],
  );
  return rows.length;
}

/** Removes at most `limit` subscriptions. @returns how many were removed */
export async function removeSomeSubscriptions(
  runner: SqlRunner,
  readerId: number,
  limit: number,
): Promise<number> {
  const rows = await runner.query(
    `delete from subscription using (
       select id from subscription where reader_id = $1 limit $2
     ) due where subscription.reader_id = $1 and subscription.id = due.id returning 1`,
    [readerId, limit],
  );
  return rows.length;
}

/** With all that its user has. */
export async function removeReader(tx: SqlRunner, readerId: number): Promise<void> {
  await tx.query('delete from reader_user where reader_id = $1', [readerId]);
  await tx.query('delete from reader where id = $1', [readerId]);
}

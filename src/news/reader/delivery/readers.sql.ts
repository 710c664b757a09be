import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';

/** Keeps our advisory locks apart from those of other programs in the same database. */
export const READER_LOCK_SPACE = 4_706_000_000_000_000;

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

/** Evaluated anew for each row. */
export const NOW_MICROS = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

/** Waits for the row lock; the first statement of a transaction that uses `locked`. */
export const LOCK = prepared('lock-reader', 'select from reader where id = $1 for update');

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

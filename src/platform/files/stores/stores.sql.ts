import type { SqlRunner } from '../../../database/database.js';

/** Adds a store, unless one has that address. @returns the id of the store with that address */
export async function registerStore(
  runner: SqlRunner,
  address: string,
  proposedId: string,
): Promise<string> {
  const [row] = await runner.query<{ id: string }>(
    `with added as (
       insert into file_store (id, address) values ($1, $2)
       on conflict (address) do update set address = excluded.address
       returning id)
     select id from added`,
    [proposedId, address],
  );
  return row?.id ?? proposedId;
}

/** Gives the address to that store, also if another one had it. */
export async function adoptStore(runner: SqlRunner, address: string, id: string): Promise<void> {
  await runner.query(
    `with others as (
       update file_store set address = address || ' (until ' || now()::date || ', ' || id || ')'
        where address = $2 and id <> $1
       returning id)
     select count(*) from others`,
    [id, address],
  );
  await runner.query(
    `insert into file_store (id, address) values ($1, $2)
     on conflict (id) do update set address = excluded.address`,
    [id, address],
  );
}

/** Remembers bytes that are about to be written, and may be left there by a crash. */
export async function expectBytes(
  runner: SqlRunner,
  blobId: string,
  storeId: string | null,
  forSeconds: number,
): Promise<void> {
  await runner.query(
    `insert into file_blob_leftover (blob_id, store_id, due_at)
     values ($1, $2, now() + make_interval(secs => $3))
     on conflict (blob_id, store_id) do update set due_at = excluded.due_at`,
    [blobId, storeId, forSeconds],
  );
}

/**
 * The bytes are the content from now on.
 *
 * @param storeId null for the folder
 * @returns false when nothing was expected any more: they have been deleted
 */
export async function settleBytes(
  runner: SqlRunner,
  blobId: string,
  storeId: string | null,
): Promise<boolean> {
  const expected = await runner.query(
    `delete from file_blob_leftover
      where blob_id = $1 and store_id is not distinct from $2 returning 1`,
    [blobId, storeId],
  );
  if (expected.length === 0) {
    return false;
  }
  await (storeId === null
    ? runner.query('delete from file_blob_place where blob_id = $1', [blobId])
    : runner.query(
        `insert into file_blob_place (blob_id, store_id) values ($1, $2)
         on conflict (blob_id) do update set store_id = excluded.store_id`,
        [blobId, storeId],
      ));
  return true;
}

/** @returns the object store; null for the folder */
export async function placeOfBlob(runner: SqlRunner, blobId: string): Promise<string | null> {
  const [row] = await runner.query<{ storeId: string }>(
    'select store_id as "storeId" from file_blob_place where blob_id = $1',
    [blobId],
  );
  return row?.storeId ?? null;
}

/** Of content that is deleted: its bytes in an object store become leftovers. @returns whether it had any */
export async function leaveBytes(runner: SqlRunner, blobId: string): Promise<boolean> {
  const rows = await runner.query(
    `with gone as (delete from file_blob_place where blob_id = $1 returning store_id)
     insert into file_blob_leftover (blob_id, store_id, due_at)
     select $1, store_id, now() from gone
     on conflict (blob_id, store_id) do update set due_at = excluded.due_at
     returning 1`,
    [blobId],
  );
  return rows.length > 0;
}

export interface Leftover {
  readonly blobId: string;
  /** Null for the folder. */
  readonly storeId: string | null;
  /** Whether the bytes have become the content there. */
  readonly isContent: boolean;
}

/** Deletes and returns leftovers that are due, of these stores. Those that another process holds are skipped. */
export async function takeLeftovers(
  runner: SqlRunner,
  storeIds: readonly string[],
  limit: number,
): Promise<Leftover[]> {
  return runner.query<Leftover>(
    `delete from file_blob_leftover l using (
       select id from file_blob_leftover
        where due_at <= now() and (store_id is null or store_id = any ($1::uuid[]))
        order by due_at limit $2 for update skip locked
     ) due where l.id = due.id
     returning l.blob_id as "blobId", l.store_id as "storeId",
               coalesce(
                 (select p.store_id is not distinct from l.store_id
                    from file_blob_place p where p.blob_id = l.blob_id),
                 l.store_id is null
                   and (exists (select from file_node n where n.blob_id = l.blob_id)
                     or exists (select from file_upload_piece p where p.blob_id = l.blob_id)
                     or exists (select from file_blob_unreferenced u where u.blob_id = l.blob_id))
               ) as "isContent"`,
    [storeIds, limit],
  );
}

/** Object stores that have contents. */
export async function listUsedStores(
  runner: SqlRunner,
): Promise<{ readonly id: string; readonly address: string }[]> {
  return runner.query(
    `select s.id, s.address from file_store s
      where exists (select from file_blob_place p where p.store_id = s.id)
      order by s.address`,
  );
}

import { CONTENTS_LOCK } from '../../../database/backup/contents-lock.js';
import type { SqlRunner } from '../../../database/database.js';

/** Until the end of the transaction. @returns false while a backup or a move needs all contents */
export async function tryContentsLock(runner: SqlRunner): Promise<boolean> {
  const [backups] = await runner.query<{ none: boolean }>(
    'select pg_try_advisory_xact_lock($1) as none',
    [CONTENTS_LOCK],
  );
  return backups?.none === true;
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

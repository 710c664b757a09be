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
 * Deletes and returns ids of content that has been unreferenced for a while, oldest first. Rows that
 * another process holds are skipped. None while a backup is written, whose snapshot may refer to it.
 */
export async function takeUnreferenced(
  runner: SqlRunner,
  idleSeconds: number,
  limit: number,
): Promise<string[]> {
  if (!(await tryContentsLock(runner))) {
    return [];
  }
  const rows = await runner.query<{ blobId: string }>(
    `delete from file_blob_unreferenced u using (
       select blob_id from file_blob_unreferenced
        where since <= now() - make_interval(secs => $1)
        order by since limit $2 for update skip locked
     ) due where u.blob_id = due.blob_id returning u.blob_id as "blobId"`,
    [idleSeconds, limit],
  );
  return rows.map(({ blobId }) => blobId);
}

/** Ids of content that nodes and pieces of uploads refer to, each once, in their order. */
export async function listReferenced(
  runner: SqlRunner,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await runner.query<{ blobId: string }>(
    `(select distinct blob_id as "blobId" from file_node
       where blob_id is not null and ($1::uuid is null or blob_id > $1::uuid)
       order by blob_id limit $2)
     union
     (select blob_id from file_upload_piece
       where $1::uuid is null or blob_id > $1::uuid
       order by blob_id limit $2)
     order by 1 limit $2`,
    [after, limit],
  );
  return rows.map(({ blobId }) => blobId);
}

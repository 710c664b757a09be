import type { SqlRunner } from '../../database/database.js';

/**
 * Deletes and returns ids of content that has been unreferenced for a while, oldest first. Rows that
 * another process holds are skipped.
 */
export async function takeUnreferenced(
  runner: SqlRunner,
  idleSeconds: number,
  limit: number,
): Promise<string[]> {
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

import type { SqlRunner } from '../../../database/database.js';

/** Sets the marker unless there is one. @returns the marker */
export async function ensureFilesMarker(runner: SqlRunner, proposed: string): Promise<string> {
  const [row] = await runner.query<{ marker: string }>(
    `update installation set files_marker = coalesce(files_marker, $1)
     returning files_marker as marker`,
    [proposed],
  );
  return row?.marker ?? proposed;
}

/** Ids of some contents that files refer to and that are in no object store, in no order. */
export async function sampleContents(runner: SqlRunner, limit: number): Promise<string[]> {
  const rows = await runner.query<{ blobId: string }>(
    `select n.blob_id as "blobId" from file_node n
      where n.blob_id is not null
        and not exists (select from file_blob_place p where p.blob_id = n.blob_id)
      limit $1`,
    [limit],
  );
  return rows.map(({ blobId }) => blobId);
}

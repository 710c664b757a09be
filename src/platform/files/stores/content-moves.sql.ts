import type { SqlRunner } from '../../../database/database.js';

/** Arbitrary, but the same in every version. Held by the one process that moves contents. */
const MOVE_LOCK = 4_706_061;

/** Until the connection ends. @returns false when another process has it */
export async function tryMoveLock(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
    MOVE_LOCK,
  ]);
  return row?.held === true;
}

/** Content that is not in the store where it should be. */
export interface MisplacedContent {
  readonly blobId: string;
  /** Null for the folder. */
  readonly storeId: string | null;
  /** `SHA1:…` as of its upload; null when it is unknown. */
  readonly checksum: string | null;
  /** Null when it is unknown. */
  readonly sizeBytes: number | null;
}

/** Contents that files and pieces of uploads refer to. */
const ELSEWHERE = `
  (select n.blob_id, min(n.checksum) as checksum, min(n.size_bytes) as size_bytes
     from file_node n where n.blob_id is not null group by n.blob_id
   union
   select u.blob_id, null, u.size_bytes from file_upload_piece u) c
  left join file_blob_place p on p.blob_id = c.blob_id
  where p.store_id is distinct from $1::uuid`;

/** In the order of ids. @param storeId where they should be; null for the folder */
export async function listMisplaced(
  runner: SqlRunner,
  storeId: string | null,
  after: string | null,
  limit: number,
): Promise<MisplacedContent[]> {
  return runner.query<MisplacedContent>(
    `select c.blob_id as "blobId", p.store_id as "storeId", nullif(c.checksum, '') as checksum,
            c.size_bytes as "sizeBytes"
       from ${ELSEWHERE} and ($2::uuid is null or c.blob_id > $2::uuid)
      order by c.blob_id limit $3`,
    [storeId, after, limit],
  );
}

/** @param storeId where they should be; null for the folder */
export async function countMisplaced(
  runner: SqlRunner,
  storeId: string | null,
): Promise<{ readonly contents: number; readonly bytes: number }> {
  const [row] = await runner.query<{ contents: number; bytes: number }>(
    `select count(*)::int as contents, coalesce(sum(c.size_bytes), 0)::bigint as bytes
       from ${ELSEWHERE}`,
    [storeId],
  );
  return row ?? { contents: 0, bytes: 0 };
}

/**
 * Waits for a sweep that is deleting contents; none begins before the transaction ends.
 *
 * @returns as `isContentIn`
 */
export async function holdContent(
  runner: SqlRunner,
  contentsLock: number,
  blobId: string,
  storeId: string | null,
): Promise<boolean> {
  await runner.query('select pg_advisory_xact_lock_shared($1)', [contentsLock]);
  return isContentIn(runner, blobId, storeId);
}

/** @returns whether the content still exists, and is in that store (null for the folder) */
export async function isContentIn(
  runner: SqlRunner,
  blobId: string,
  storeId: string | null,
): Promise<boolean> {
  const [row] = await runner.query<{ isThere: boolean }>(
    `select (exists (select from file_node where blob_id = $1)
             or exists (select from file_upload_piece where blob_id = $1)
             or exists (select from file_blob_unreferenced where blob_id = $1))
        and (select store_id from file_blob_place where blob_id = $1)
            is not distinct from $2::uuid as "isThere"`,
    [blobId, storeId],
  );
  return row?.isThere === true;
}

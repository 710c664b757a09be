import { countUpTo } from '../../../database/count-up-to.js';
import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FileUploadPieceEntity } from './file-upload-piece.entity.js';

const PIECE = selectList(FileUploadPieceEntity, 'p', ['name', 'sizeBytes', 'blobId']);

/** A stored piece of an upload. */
export type Piece = RowOf<typeof PIECE>;

/** @returns false when the user has an upload of that name */
export async function insertUpload(
  runner: SqlRunner,
  userId: string,
  name: string,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into file_upload (user_id, name) values ($1, $2) on conflict do nothing returning 1`,
    [userId, name],
  );
  return rows.length > 0;
}

/** Unfinished uploads of a user, counted up to `limit`. */
export async function countUploads(
  runner: SqlRunner,
  userId: string,
  limit: number,
): Promise<number> {
  return countUpTo(runner, 'file_upload where user_id = $1', [userId], limit);
}

/** Serialises storing pieces of one user, so that the sum of their sizes is exact. */
export async function lockUploads(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query(`select from file_upload where user_id = $1 order by id for no key update`, [
    userId,
  ]);
}

/** Bytes of all unfinished uploads of a user, and the number of pieces of the one named. */
export async function sumPieces(
  runner: SqlRunner,
  userId: string,
  name: string,
): Promise<{ readonly bytes: number; readonly pieces: number }> {
  const [row] = await runner.query<{ bytes: number; pieces: number }>(
    `select coalesce(sum(p.size_bytes), 0)::bigint as bytes,
            (count(*) filter (where u.name = $2))::int as pieces
       from file_upload u join file_upload_piece p on p.upload_id = u.id where u.user_id = $1`,
    [userId, name],
  );
  return row ?? { bytes: 0, pieces: 0 };
}

/** Postpones the expiry of an upload. @returns its id; undefined when it has ended */
export async function touchUpload(
  runner: SqlRunner,
  userId: string,
  name: string,
): Promise<number | undefined> {
  const [upload] = await runner.query<{ id: number }>(
    `update file_upload set touched_at = now() where user_id = $1 and name = $2 returning id`,
    [userId, name],
  );
  return upload?.id;
}

/** Pieces in the order of the content. */
export async function listPieces(runner: SqlRunner, uploadId: number): Promise<Piece[]> {
  return runner.query<Piece>(
    `select ${PIECE} from file_upload_piece p
      where p.upload_id = $1 order by substring(p.name from '^[0-9]+')::numeric, p.name`,
    [uploadId],
  );
}

/** Deletes uploads that received no piece for `idleSeconds`, with their pieces. */
export async function deleteStaleUploads(runner: SqlRunner, idleSeconds: number): Promise<void> {
  await runner.query(
    'delete from file_upload where touched_at < now() - make_interval(secs => $1)',
    [idleSeconds],
  );
}

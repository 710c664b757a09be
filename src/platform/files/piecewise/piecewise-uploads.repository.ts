import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { lockLimit } from '../../../database/lock-limit.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { FileUploadEntity, FileUploadPieceEntity } from '../tables/upload.entity.js';

const PIECE = selectList(FileUploadPieceEntity, 'p', ['name', 'sizeBytes', 'blobId']);

export type Piece = RowOf<typeof PIECE>;

/** Unfinished uploads and their pieces. */
@Injectable()
export class PiecewiseUploadsRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param assertRoom called with the number of unfinished uploads of the user; may throw
   * @returns false when the user has an upload of that name
   */
  async begin(userId: string, name: string, assertRoom: (begun: number) => void): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await lockLimit(tx, 'uploads-per-user', userId);
      assertRoom(await tx.em.count(FileUploadEntity, { userId }));
      const rows = await tx.query(
        `insert into file_upload (user_id, name) values ($1, $2) on conflict do nothing returning 1`,
        [userId, name],
      );
      return rows.length > 0;
    });
  }

  /** @returns the id of the upload, or null if there is none */
  async find(userId: string, name: string): Promise<number | null> {
    const found = await this.database.entities((em) =>
      em.findOne(FileUploadEntity, { userId, name }, { fields: ['id'] }),
    );
    return found?.id ?? null;
  }

  /**
   * Serialises storing pieces of one user until the transaction ends, so that the sum of their sizes is
   * exact.
   */
  async lockUploads(runner: SqlRunner, userId: string): Promise<void> {
    await runner.query(`select from file_upload where user_id = $1 order by id for no key update`, [
      userId,
    ]);
  }

  /** Bytes of all unfinished uploads of a user, and the number of pieces of the one named. */
  async kept(
    userId: string,
    name: string,
    runner: SqlRunner = this.database,
  ): Promise<{ readonly bytes: number; readonly pieces: number }> {
    const [row] = await runner.query<{ bytes: number; pieces: number }>(
      `select coalesce(sum(p.size_bytes), 0)::bigint as bytes,
              (count(*) filter (where u.name = $2))::int as pieces
         from file_upload u join file_upload_piece p on p.upload_id = u.id where u.user_id = $1`,
      [userId, name],
    );
    return row ?? { bytes: 0, pieces: 0 };
  }

  /** Stores a piece; overwrites one of the same name. @returns null when the upload has ended */
  async keep(
    userId: string,
    name: string,
    piece: Piece,
    tx: Transaction,
  ): Promise<{ readonly isNew: boolean } | null> {
    const [upload] = await tx.query<{ id: number }>(
      `update file_upload set touched_at = now() where user_id = $1 and name = $2 returning id`,
      [userId, name],
    );
    if (upload === undefined) {
      return null;
    }
    const where = { uploadId: upload.id, name: piece.name };
    const replaced = await tx.em.nativeDelete(FileUploadPieceEntity, where);
    await tx.em.insert(FileUploadPieceEntity, { uploadId: upload.id, ...piece });
    return { isNew: replaced === 0 };
  }

  /** Pieces in the order of the content. */
  async pieces(uploadId: number): Promise<Piece[]> {
    return this.database.query<Piece>(
      `select ${PIECE} from file_upload_piece p
        where p.upload_id = $1 order by substring(p.name from '^[0-9]+')::numeric, p.name`,
      [uploadId],
    );
  }

  async remove(uploadId: number): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(FileUploadEntity, { id: uploadId }));
  }

  /** Removes uploads that received no piece for `idleSeconds`, with their pieces. */
  async removeStale(idleSeconds: number): Promise<void> {
    await this.database.query(
      'delete from file_upload where touched_at < now() - make_interval(secs => $1)',
      [idleSeconds],
    );
  }
}

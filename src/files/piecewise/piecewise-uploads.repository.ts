import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';

/** A part of content that is still coming. */
export interface Piece {
  /** Begins with digits, which say where it belongs. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly blobId: string;
}

/** Uploads that have begun and not ended. */
@Injectable()
export class PiecewiseUploadsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when the user has one of that name already */
  async begin(userId: string, name: string): Promise<boolean> {
    const rows = await this.database.query(
      `insert into file_upload (user_id, name) values ($1, $2) on conflict do nothing returning 1`,
      [userId, name],
    );
    return rows.length > 0;
  }

  /** @returns the id of an upload, or null when there is none of that name */
  async find(userId: string, name: string): Promise<number | null> {
    const [row] = await this.database.query<{ id: number }>(
      'select id from file_upload where user_id = $1 and name = $2',
      [userId, name],
    );
    return row?.id ?? null;
  }

  /** How many uploads the user has begun and not ended; not counted beyond `most`. */
  async count(userId: string, most: number): Promise<number> {
    const rows = await this.database.query('select from file_upload where user_id = $1 limit $2', [
      userId,
      most,
    ]);
    return rows.length;
  }

  /** The pieces of a user are stored one after another, so that their sum is exact. */
  async lockUploads(tx: SqlRunner, userId: string): Promise<void> {
    await tx.query(`select from file_upload where user_id = $1 order by id for no key update`, [
      userId,
    ]);
  }

  /** Bytes of all the user's uploads that have not ended, and pieces of the one of that name. */
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

  /** Of two pieces of the same name the later one counts; null when the upload has ended. */
  async keep(
    userId: string,
    name: string,
    piece: Piece,
    tx: SqlRunner,
  ): Promise<{ readonly isNew: boolean } | null> {
    const [upload] = await tx.query<{ id: number }>(
      `update file_upload set touched_at = now()
        where user_id = $1 and name = $2 returning id`,
      [userId, name],
    );
    if (upload === undefined) {
      return null;
    }
    const replaced = await tx.query(
      'delete from file_upload_piece where upload_id = $1 and name = $2 returning 1',
      [upload.id, piece.name],
    );
    await tx.query(
      `insert into file_upload_piece (upload_id, name, size_bytes, blob_id)
       values ($1, $2, $3, $4)`,
      [upload.id, piece.name, piece.sizeBytes, piece.blobId],
    );
    return { isNew: replaced.length === 0 };
  }

  /** In the order in which they make up the content. */
  async pieces(uploadId: number): Promise<Piece[]> {
    return this.database.query<Piece>(
      `select name, size_bytes as "sizeBytes", blob_id as "blobId" from file_upload_piece
        where upload_id = $1 order by substring(name from '^[0-9]+')::numeric, name`,
      [uploadId],
    );
  }

  async remove(uploadId: number): Promise<void> {
    await this.database.query('delete from file_upload where id = $1', [uploadId]);
  }

  /** What nobody has added to for so long will not be finished. */
  async removeStale(idleSeconds: number): Promise<void> {
    await this.database.query(
      'delete from file_upload where touched_at < now() - make_interval(secs => $1)',
      [idleSeconds],
    );
  }
}

import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { FileUploadPieceEntity } from './file-upload-piece.entity.js';
import { FileUploadEntity } from './file-upload.entity.js';
import {
  countUploads,
  deleteStaleUploads,
  insertUpload,
  listPieces,
  lockUploads,
  sumPieces,
  touchUpload,
  type Piece,
} from './piecewise-uploads.sql.js';

/** Unfinished uploads and their pieces. */
@Injectable()
export class PiecewiseUploadsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when the user has an upload of that name */
  async begin(userId: string, name: string): Promise<boolean> {
    return insertUpload(this.database, userId, name);
  }

  /** @returns the id of the upload, or null when there is none of that name */
  async find(userId: string, name: string): Promise<number | null> {
    const found = await this.database.entities((em) =>
      em.findOne(FileUploadEntity, { userId, name }, { fields: ['id'], disableIdentityMap: true }),
    );
    return found?.id ?? null;
  }

  /** Unfinished uploads of a user, counted up to `limit`. */
  async count(userId: string, limit: number): Promise<number> {
    return countUploads(this.database, userId, limit);
  }

  /** Serialises storing pieces of one user until the transaction ends. */
  readonly lockUploads = lockUploads;

  /** Bytes of all unfinished uploads of a user, and the number of pieces of the one named. */
  async kept(
    userId: string,
    name: string,
    runner: SqlRunner = this.database,
  ): Promise<{ readonly bytes: number; readonly pieces: number }> {
    return sumPieces(runner, userId, name);
  }

  /** Stores a piece; overwrites one of the same name. @returns null when the upload has ended */
  async keep(
    userId: string,
    name: string,
    piece: Piece,
    tx: Transaction,
  ): Promise<{ readonly isNew: boolean } | null> {
    const uploadId = await touchUpload(tx, userId, name);
    if (uploadId === undefined) {
      return null;
    }
    const replaced = await tx.em.nativeDelete(FileUploadPieceEntity, {
      uploadId,
      name: piece.name,
    });
    await tx.em.insert(FileUploadPieceEntity, { uploadId, ...piece });
    return { isNew: replaced === 0 };
  }

  /** Pieces in the order of the content. */
  async pieces(uploadId: number): Promise<Piece[]> {
    return listPieces(this.database, uploadId);
  }

  async remove(uploadId: number): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(FileUploadEntity, { id: uploadId }));
  }

  /** Removes uploads that received no piece for `idleSeconds`. */
  async removeStale(idleSeconds: number): Promise<void> {
    await deleteStaleUploads(this.database, idleSeconds);
  }
}

import { Injectable } from '@nestjs/common';
import { Readable } from 'node:stream';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { Database, type Transaction } from '../../../database/database.js';
import { UploadsService, type Upload, type Uploaded } from '../changes/uploads.service.js';
import { BlobStore, type ReceivedContent } from '../content/blob-store.service.js';
import { BlobSweep } from '../content/blob-sweep.task.js';
import { QuotaClaims } from '../content/quota-claims.service.js';
import { AlreadyExists, FileNotFound, NameRefused, PiecesMissing } from '../files.errors.js';
import { QuotaRoom, Quotas } from '../quotas/quotas.service.js';
import { toFilePath, type FilePath } from '../tree/file-path.js';
import { PiecewiseUploadsRepository, type Piece } from './piecewise-uploads.repository.js';

/** Clients resume an upload in pieces within hours. */
const STALE_UPLOAD_SECONDS = 24 * 3600;

/** The headers of the request that finishes an upload. */
type PiecewiseUpload = Omit<Upload, 'body' | 'sizeBytes'> & {
  /** Expected sum of all pieces; undefined when unknown. */
  readonly totalBytes: number | undefined;
};

/**
 * Uploads in pieces, for files too large for one request. Until an upload is finished, no file
 * exists, and its pieces count against a separate quota.
 */
@Injectable()
export class PiecewiseUploadsService {
  constructor(
    private readonly repository: PiecewiseUploadsRepository,
    private readonly uploads: UploadsService,
    private readonly blobs: BlobStore,
    private readonly database: Database,
    private readonly quotaClaims: QuotaClaims,
    private readonly quotas: Quotas,
    private readonly config: Config,
    sweep: BlobSweep,
  ) {
    sweep.beforeEach(() => repository.removeStale(STALE_UPLOAD_SECONDS));
  }

  /**
   * @param name chosen by the client
   * @throws AlreadyExists, NameRefused, LimitReached
   */
  async begin(userId: string, name: string): Promise<void> {
    toFilePath([name]);
    const assertRoom = (begun: number) => assertBelowLimit(this.config, 'uploads-per-user', begun);
    AlreadyExists.unless(await this.repository.begin(userId, name, assertRoom), name);
  }

  /**
   * Stores a piece.
   *
   * @param pieceName begins with digits, which give its position
   * @param piece with the announced size; undefined when unknown
   * @returns false if a piece of that name was overwritten
   * @throws FileNotFound when the upload does not exist or has ended
   * @throws NameRefused, QuotaExceeded, LimitReached, UploadBrokenOff, StorageFull
   */
  async add(
    userId: string,
    name: string,
    pieceName: string,
    piece: Pick<Upload, 'body' | 'sizeBytes'>,
  ): Promise<boolean> {
    if (!/^\d{1,30}(?:[-.]\w{1,60})?$/.test(pieceName)) {
      throw new NameRefused('The name of a piece must begin with its number.');
    }
    await this.#idOf(userId, name);
    const { body, sizeBytes = 0 } = piece;
    const room = await this.#room(userId);
    const full = () => room.exceeded();
    const claim = this.quotaClaims.claim(`${userId}/pieces`, room.bytes, sizeBytes, full);
    try {
      const received = await this.blobs.receive({ body, sizeBytes, claim, algorithms: [] });
      return await this.#keep(userId, name, pieceName, received);
    } finally {
      claim.release();
    }
  }

  /** In the order of the content. */
  async list(userId: string, name: string): Promise<Piece[]> {
    return this.repository.pieces(await this.#idOf(userId, name));
  }

  /**
   * Creates or overwrites a file with the joined pieces, and ends the upload.
   *
   * @throws FileNotFound when the upload does not exist
   * @throws PiecesMissing, and errors of `UploadsService.upload`
   */
  async finish(
    userId: string,
    name: string,
    path: FilePath,
    { totalBytes, ...upload }: PiecewiseUpload,
  ): Promise<Uploaded> {
    const uploadId = await this.#idOf(userId, name);
    const pieces = await this.repository.pieces(uploadId);
    const sizeBytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
    if (totalBytes !== undefined && totalBytes !== sizeBytes) {
      throw new PiecesMissing(totalBytes, sizeBytes);
    }
    const body = Readable.from(this.#contentOf(pieces), { objectMode: false });
    const uploaded = await this.uploads.upload(userId, path, { ...upload, body, sizeBytes });
    await this.repository.remove(uploadId);
    return uploaded;
  }

  async abandon(userId: string, name: string): Promise<void> {
    await this.repository.remove(await this.#idOf(userId, name));
  }

  async #keep(
    userId: string,
    name: string,
    pieceName: string,
    { blobId, sizeBytes }: ReceivedContent,
  ): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await this.repository.lockUploads(tx, userId);
      const piece = { name: pieceName, sizeBytes, blobId };
      const kept = FileNotFound.unless(await this.repository.keep(userId, name, piece, tx), name);
      await this.#assertWithinLimits(tx, userId, name);
      await this.blobs.reference(tx, blobId);
      return kept.isNew;
    });
  }

  async #idOf(userId: string, name: string): Promise<number> {
    return FileNotFound.unless(await this.repository.find(userId, name), name);
  }

  async #room(userId: string): Promise<QuotaRoom> {
    const { bytes: sizeBytes } = await this.repository.kept(userId, '');
    return this.quotas.roomFor({ userId, sizeBytes });
  }

  /** Exact, under the lock: other pieces may have been stored while this one arrived. */
  async #assertWithinLimits(tx: Transaction, userId: string, name: string): Promise<void> {
    const { bytes, pieces } = await this.repository.kept(userId, name, tx);
    (await this.quotas.roomFor({ userId, sizeBytes: 0 }, 0, tx)).assertFits(bytes);
    assertBelowLimit(this.config, 'pieces-per-upload', pieces, 0);
  }

  async *#contentOf(pieces: readonly Piece[]): AsyncGenerator<Buffer, void, undefined> {
    for (const { blobId } of pieces) {
      yield* (await this.blobs.read(blobId)) as AsyncIterable<Buffer>;
    }
  }
}

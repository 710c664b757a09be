import { Injectable } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Database, type SqlRunner } from '../../database/database.js';
import {
  AlreadyExists,
  FileNotFound,
  NameRefused,
  PiecesMissing,
  QuotaExceeded,
} from '../files.errors.js';
import { toFilePath, type FilePath } from '../tree/file-path.js';
import { QuotaClaims } from '../content/quota-claims.js';
import { BlobStore, type ReceivedContent } from '../content/blob-store.js';
import { BlobsRepository } from '../content/blobs.repository.js';
import { PiecewiseUploadsRepository, type Piece } from './piecewise-uploads.repository.js';
import { UploadsService, type Upload, type Uploaded } from '../content/uploads.service.js';

/** A piece on its way in. */
export interface IncomingPiece {
  readonly body: Readable;
  /** As announced; undefined when the sender does not know either. */
  readonly sizeBytes: number | undefined;
}

/** What is said about the content when all of it has come. */
export type PiecewiseUpload = Omit<Upload, 'body' | 'sizeBytes'> & {
  /** What the sender says that all pieces have together. */
  readonly totalBytes: number | undefined;
};

/**
 * Content that programs send in pieces, since one request of its length would not get through. Until
 * the last step it is no file, and counts against the quota by itself.
 */
@Injectable()
export class PiecewiseUploadsService {
  constructor(
    private readonly repository: PiecewiseUploadsRepository,
    private readonly uploads: UploadsService,
    private readonly blobs: BlobStore,
    private readonly unreferenced: BlobsRepository,
    private readonly database: Database,
    private readonly quotaClaims: QuotaClaims,
    private readonly config: Config,
  ) {}

  /**
   * @param name as the client calls the upload
   * @throws AlreadyExists, NameRefused, LimitReached
   */
  async begin(userId: string, name: string): Promise<void> {
    toFilePath([name]);
    const begun = await this.repository.count(userId, this.config.limits['uploads-per-user']);
    assertBelowLimit(this.config, 'uploads-per-user', begun);
    if (!(await this.repository.begin(userId, name))) {
      throw new AlreadyExists(name);
    }
  }

  /**
   * @param pieceName begins with digits, which say where the piece belongs
   * @returns whether there was none of that name
   * @throws FileNotFound when there is no such upload, or none any more
   * @throws NameRefused, QuotaExceeded, LimitReached, UploadBrokenOff, StorageFull
   */
  async add(
    userId: string,
    name: string,
    pieceName: string,
    { body, sizeBytes = 0 }: IncomingPiece,
  ): Promise<boolean> {
    if (!/^\d{1,30}(?:[-.]\w{1,60})?$/.test(pieceName)) {
      throw new NameRefused('Pieces of an upload are called by numbers.');
    }
    await this.#idOf(userId, name);
    const roomBytes = await this.#roomBytes(userId);
    const full = () => new QuotaExceeded(this.config.filesQuotaBytes);
    const room = this.quotaClaims.claim(`${userId}/pieces`, roomBytes, sizeBytes, full);
    try {
      const received = await this.blobs.receive(body, sizeBytes, room, []);
      return await this.#keep(userId, name, pieceName, received);
    } finally {
      room.release();
    }
  }

  /** @throws FileNotFound */
  async list(userId: string, name: string): Promise<Piece[]> {
    return this.repository.pieces(await this.#idOf(userId, name));
  }

  /**
   * Makes a file of the pieces, or gives one this content; then there is no upload any more.
   *
   * @throws FileNotFound when there is no such upload
   * @throws PiecesMissing
   * @throws Error see `UploadsService.upload`
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

  /** @throws FileNotFound */
  async abandon(userId: string, name: string): Promise<void> {
    await this.repository.remove(await this.#idOf(userId, name));
  }

  async #keep(
    userId: string,
    name: string,
    pieceName: string,
    { blobId, sizeBytes }: ReceivedContent,
  ): Promise<boolean> {
    try {
      await this.unreferenced.announce(blobId);
      await this.blobs.settle(blobId);
    } catch (error) {
      await this.blobs.discard(blobId);
      throw error;
    }
    return this.database.transaction(async (tx) => {
      await this.repository.lockUploads(tx, userId);
      const kept = await this.repository.keep(
        userId,
        name,
        { name: pieceName, sizeBytes, blobId },
        tx,
      );
      if (kept === null) {
        throw new FileNotFound(name);
      }
      await this.#assertWithinLimits(tx, userId, name);
      if (!(await this.unreferenced.claim(tx, blobId))) {
        throw new Error(`The piece ${blobId} was swept away before it was saved`);
      }
      return kept.isNew;
    });
  }

  async #idOf(userId: string, name: string): Promise<number> {
    const id = await this.repository.find(userId, name);
    if (id === null) {
      throw new FileNotFound(name);
    }
    return id;
  }

  async #roomBytes(userId: string): Promise<number> {
    const { filesQuotaBytes } = this.config;
    return filesQuotaBytes === 0
      ? Infinity
      : Math.max(0, filesQuotaBytes - (await this.repository.kept(userId, '')).bytes);
  }

  /** Again, and exactly: other pieces may have been stored since this one began to arrive. */
  async #assertWithinLimits(tx: SqlRunner, userId: string, name: string): Promise<void> {
    const { filesQuotaBytes } = this.config;
    const { bytes, pieces } = await this.repository.kept(userId, name, tx);
    if (filesQuotaBytes !== 0 && bytes > filesQuotaBytes) {
      throw new QuotaExceeded(filesQuotaBytes);
    }
    assertBelowLimit(this.config, 'pieces-per-upload', pieces, 0);
  }

  async *#contentOf(pieces: readonly Piece[]): AsyncGenerator<Buffer, void, undefined> {
    for (const { blobId } of pieces) {
      yield* createReadStream(this.blobs.pathOf(blobId)) as AsyncIterable<Buffer>;
    }
  }
}

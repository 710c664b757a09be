import { Injectable, Logger } from '@nestjs/common';
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { StorageFull } from '../../common/errors/storage-full.js';
import { UploadBrokenOff } from '../files.errors.js';
import { ContentFolder, ignoringExisting } from './content-folder.js';
import type { QuotaClaim } from './quota-claims.js';

/** Content that is complete and on the disk, but not yet in its place. */
export interface ReceivedContent {
  readonly blobId: string;
  readonly sizeBytes: number;
  /** Hex, by algorithm. */
  readonly digests: ReadonlyMap<Algorithm, string>;
}

export type Algorithm = 'SHA1' | 'MD5' | 'SHA256';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/**
 * Content files in the data folder. Named by generated ids: names given by users are never paths on
 * the disk. Written once, never changed.
 */
@Injectable()
export class BlobStore {
  readonly #logger = new Logger('Files');
  readonly #root: string;
  readonly #incomingDir: string;

  constructor(
    private readonly disk: DiskSpace,
    private readonly folder: ContentFolder,
  ) {
    this.#root = folder.path;
    disk.watch(this.#root);
    this.#incomingDir = path.join(this.#root, 'arriving');
  }

  /** The absolute path of settled content. */
  pathOf(blobId: string): string {
    return path.join(this.#root, blobId.slice(0, 2), blobId);
  }

  /** The first `length` bytes, or all of shorter content. @throws ContentFolderMissing */
  async beginningOf(blobId: string, length: number): Promise<Buffer> {
    await this.folder.assertPresent();
    const file = await open(this.pathOf(blobId), 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** Free bytes on the disk. @throws ContentFolderMissing */
  async freeBytes(): Promise<number> {
    await this.folder.assertPresent();
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }

  /**
   * Writes content to a temporary file and flushes it to the disk.
   *
   * @param sizeBytes as announced; 0 when unknown
   * @param claim quota of the upload; aborts it when exceeded
   * @throws UploadBrokenOff, ContentFolderMissing
   * @throws StorageFull when the disk reserve would be used, also while receiving
   */
  async receive(
    body: Readable,
    sizeBytes: number,
    claim: QuotaClaim,
    algorithms: readonly Algorithm[],
  ): Promise<ReceivedContent> {
    await this.disk.assertRoomFor(sizeBytes);
    await this.folder.assertPresent();
    // Not recursive: the content folder itself must exist.
    await mkdir(this.#incomingDir, { mode: OWNER_ONLY_FOLDER }).catch(ignoringExisting);
    const blobId = randomUUID();
    const hashes = new Map(algorithms.map((name) => [name, createHash(name.toLowerCase())]));
    const meter = new Meter(hashes, (bytes) => this.#assertMayGrow(claim, bytes));
    const file = createWriteStream(this.#incomingFile(blobId), {
      flags: 'wx',
      mode: OWNER_ONLY_FILE,
      flush: true,
    });
    // Outside the pipeline, which would close the connection when content is refused, before the
    // client could read the response.
    const brokenOff = () => {
      if (!body.readableEnded) {
        meter.destroy(new UploadBrokenOff());
      }
    };
    body.pipe(meter);
    body.once('error', brokenOff).once('close', brokenOff);
    try {
      await pipeline(meter, file);
    } catch (error) {
      await this.discard(blobId);
      throw this.#explained(error);
    } finally {
      body.off('close', brokenOff);
      body.unpipe(meter);
      body.resume();
    }
    const digests = new Map([...hashes].map(([name, hash]) => [name, hash.digest('hex')]));
    return { blobId, sizeBytes: meter.bytes, digests };
  }

  /** Moves received content to its final path. @throws ContentFolderMissing */
  async settle(blobId: string): Promise<void> {
    const place = this.pathOf(blobId);
    await this.folder.assertPresent();
    await this.#makeFolder(path.dirname(place));
    await rename(this.#incomingFile(blobId), place);
    await syncFolder(path.dirname(place));
  }

  /** Stores content of a backup under its former id. */
  async restore(blobId: string, content: Readable): Promise<void> {
    await mkdir(this.#incomingDir, { mode: OWNER_ONLY_FOLDER }).catch(ignoringExisting);
    const draft = this.#incomingFile(blobId);
    try {
      await pipeline(
        content,
        createWriteStream(draft, { flags: 'w', mode: OWNER_ONLY_FILE, flush: true }),
      );
      await this.settle(blobId);
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Deletes received content that was not settled. */
  async discard(blobId: string): Promise<void> {
    await rm(this.#incomingFile(blobId), { force: true });
  }

  /** Call before reading or removing content. @throws ContentFolderMissing */
  async assertPresent(): Promise<void> {
    await this.folder.assertPresent();
  }

  async remove(blobId: string): Promise<void> {
    await rm(this.pathOf(blobId), { force: true });
  }

  /** Deletes temporary files of uploads that a crashed process left behind. */
  async removeStaleIncoming(before: Date): Promise<void> {
    const names = await readdir(this.#incomingDir).catch(() => []);
    for (const name of names) {
      const file = path.join(this.#incomingDir, name);
      const written = await stat(file).catch(() => null);
      if (written !== null && written.mtime < before) {
        await rm(file, { force: true });
      }
    }
  }

  #assertMayGrow(claim: QuotaClaim, bytes: number): void {
    claim.extendTo(bytes);
    if (this.disk.isLow) {
      throw new StorageFull();
    }
  }

  #explained(error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') {
      return error;
    }
    this.#logger.error(`The disk of ${this.#root} is full.`);
    return new StorageFull();
  }

  async #makeFolder(folder: string): Promise<void> {
    try {
      await mkdir(folder, { mode: OWNER_ONLY_FOLDER });
      await syncFolder(this.#root);
    } catch (error) {
      ignoringExisting(error as NodeJS.ErrnoException);
    }
  }

  #incomingFile(blobId: string): string {
    return path.join(this.#incomingDir, blobId);
  }
}

/** Counts and hashes chunks, and fails at the first byte over the limit. */
class Meter extends Transform {
  bytes = 0;

  constructor(
    private readonly hashes: ReadonlyMap<Algorithm, Hash>,
    private readonly assertMayGrow: (bytes: number) => void,
  ) {
    super();
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error: Error | null, chunk?: Buffer) => void,
  ): void {
    this.bytes += chunk.length;
    try {
      this.assertMayGrow(this.bytes);
    } catch (error) {
      done(error as Error);
      return;
    }
    for (const hash of this.hashes.values()) {
      hash.update(chunk);
    }
    done(null, chunk);
  }
}

/** A new directory entry is durable only after its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

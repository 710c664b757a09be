import { Injectable, Logger } from '@nestjs/common';
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { StorageFull } from '../../../common/errors/storage-full.js';
import { whenClosed } from '../../../common/http/when-closed.js';
import type { Transaction } from '../../../database/database.js';
import { UploadBrokenOff } from '../files.errors.js';
import type { BytePart, ContentStore } from '../stores/content-store.js';
import { ContentStores } from '../stores/content-stores.service.js';
import { StoresRepository } from '../stores/stores.repository.js';
import { BlobsRepository } from './blobs.repository.js';
import type { QuotaClaim } from './quota-claims.service.js';

/** Content that is complete in its store, but not yet found there. */
export interface ReceivedContent {
  readonly blobId: string;
  readonly sizeBytes: number;
  /** Hex, by algorithm. */
  readonly digests: ReadonlyMap<Algorithm, string>;
}

/** Content as it arrives. */
interface IncomingContent {
  readonly body: Readable;
  /** Announced size; 0 when unknown. */
  readonly sizeBytes: number;
  readonly claim: QuotaClaim;
  readonly algorithms: readonly Algorithm[];
  /** Rejects the complete content by throwing. */
  readonly verify?: (content: ReceivedContent) => void;
}

export type Algorithm = 'SHA1' | 'MD5' | 'SHA256';

/** Longer than any upload takes. */
const LONGEST_UPLOAD_SECONDS = 24 * 3600;

/** Contents of files, wherever they are stored. Written once, never changed. */
@Injectable()
export class BlobStore {
  readonly #logger = new Logger('Files');

  constructor(
    private readonly disk: DiskSpace,
    private readonly stores: ContentStores,
    private readonly repository: StoresRepository,
    private readonly blobs: BlobsRepository,
  ) {}

  /**
   * Stores content in the store of the settings. Until `reference` is called it is unreferenced, and swept
   * later.
   *
   * @throws UploadBrokenOff, ContentFolderMissing, ContentStoreAway, ContentStoreFull, ContentStoreBusy,
   *   and errors of `verify`
   * @throws StorageFull when the disk reserve would be used, also while receiving
   */
  async receive(incoming: IncomingContent): Promise<ReceivedContent> {
    const content = await this.#write(incoming);
    const { blobId } = content;
    const store = this.stores.current;
    try {
      incoming.verify?.(content);
      await this.blobs.addUnreferenced(blobId, await store.id());
      await store.settle(blobId);
      return content;
    } catch (error) {
      await this.#discard(blobId);
      throw error;
    }
  }

  /** Call in the transaction that stores a reference. @throws Error when the content was swept */
  async reference(tx: Transaction, blobId: string): Promise<void> {
    if (!(await this.blobs.removeUnreferenced(tx, blobId))) {
      throw new Error(`Content ${blobId} was swept before it was saved`);
    }
  }

  async #write({ body, sizeBytes, claim, algorithms }: IncomingContent): Promise<ReceivedContent> {
    const store = this.stores.current;
    if (store.isLocal) {
      await this.disk.assertRoomFor(sizeBytes);
    }
    await store.assertPresent();
    const blobId = randomUUID();
    await this.#expect(blobId, store);
    const hashes = new Map(algorithms.map((name) => [name, createHash(name.toLowerCase())]));
    const meter = new Meter(hashes, (bytes) => this.#assertMayGrow(store, claim, bytes));
    // It may fail before the store reads it, which then gets the error.
    meter.on('error', () => {});
    // Outside the pipeline, which would close the connection when content is refused, before the
    // client could read the response.
    const brokenOff = (error?: Error) => {
      if (!body.readableEnded) {
        meter.destroy(error instanceof DomainError ? error : new UploadBrokenOff());
      }
    };
    body.pipe(meter);
    body.once('error', brokenOff);
    whenClosed(body, brokenOff);
    try {
      await store.write(blobId, meter, sizeBytes);
    } catch (error) {
      await this.#discard(blobId);
      throw this.#explained(error);
    } finally {
      body.off('close', brokenOff);
      body.unpipe(meter);
      body.resume();
      meter.destroy();
    }
    const digests = new Map([...hashes].map(([name, hash]) => [name, hash.digest('hex')]));
    return { blobId, sizeBytes: meter.bytes, digests };
  }

  /** Stores content of a backup under its former id. */
  async restore(blobId: string, content: Readable): Promise<void> {
    const store = this.stores.current;
    await this.#expect(blobId, store);
    try {
      await store.write(blobId, content, 0);
      await store.settle(blobId);
    } catch (error) {
      await store.discard(blobId).catch(() => {});
      throw error;
    }
    await this.repository.place(blobId, await store.id());
  }

  /**
   * Reads content.
   *
   * @param part default: everything
   * @throws ContentFolderMissing, ContentStoreAway; Error when there is no such content
   */
  async read(blobId: string, part?: BytePart): Promise<Readable> {
    const found = await this.#find(blobId, (store) => store.open(blobId, part));
    if (found === null) {
      throw new Error(`There is no content ${blobId}`);
    }
    return found;
  }

  /** Reads content when the stream is read for the first time; errors of opening are errors of the stream. */
  readLater(blobId: string, part?: BytePart): Readable {
    const open = () => this.read(blobId, part);
    return Readable.from(chunksOf(open), { objectMode: false });
  }

  /** @returns null when there is no such content */
  async sizeOf(blobId: string): Promise<number | null> {
    return this.#find(blobId, (store) => store.sizeOf(blobId));
  }

  /** Path of the content on this machine; null when it is in an object store. */
  async localPathOf(blobId: string): Promise<string | null> {
    return (await this.stores.of(blobId)).localPathOf(blobId);
  }

  /** The first `length` bytes, or all of shorter content. @throws as `read` */
  async beginningOf(blobId: string, length: number): Promise<Buffer> {
    return buffer(await this.read(blobId, { start: 0, end: length - 1 }));
  }

  /** Free bytes on the disk; Infinity when contents are in an object store. */
  async freeBytes(): Promise<number> {
    return this.stores.current.isLocal ? this.stores.folder.freeBytes() : Infinity;
  }

  /** Call before anything is read or written. */
  async assertPresent(): Promise<void> {
    await this.stores.current.assertPresent();
  }

  /** Deletes received content that was not settled. */
  async #discard(blobId: string): Promise<void> {
    const store = this.stores.current;
    if (store.isLocal) {
      await store.discard(blobId);
    } else {
      // Deleted by the sweep: a store that failed may still complete the upload.
      await this.repository.expect(blobId, await store.id(), 0);
    }
  }

  /** Registers content for an object store, which must be known before its bytes are written. */
  async #expect(blobId: string, store: ContentStore): Promise<void> {
    if (!store.isLocal) {
      await this.repository.expect(blobId, await store.id(), LONGEST_UPLOAD_SECONDS);
    }
  }

  async #find<Found>(
    blobId: string,
    look: (store: ContentStore) => Promise<Found | null>,
  ): Promise<Found | null> {
    const store = await this.stores.of(blobId);
    const found = await look(store);
    if (found !== null) {
      return found;
    }
    // Moved to another store since.
    const now = await this.stores.ofMissing(blobId);
    return now === store ? null : look(now);
  }

  #assertMayGrow(store: ContentStore, claim: QuotaClaim, bytes: number): void {
    claim.extendTo(bytes);
    if (store.isLocal && this.disk.isLow) {
      throw new StorageFull();
    }
  }

  #explained(error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') {
      return error;
    }
    this.#logger.error(`The disk of ${this.stores.current.place} is full.`);
    return new StorageFull();
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

async function* chunksOf(open: () => Promise<Readable>): AsyncGenerator<Buffer, void, undefined> {
  yield* (await open()) as AsyncIterable<Buffer>;
}

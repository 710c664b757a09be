import { Injectable, Logger } from '@nestjs/common';
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { StorageFull } from '../../../common/errors/storage-full.js';
import { whenClosed } from '../../../common/http/when-closed.js';
import { UploadBrokenOff } from '../files.errors.js';
import type { BytePart, ContentStore } from '../stores/content-store.js';
import { ContentStores } from '../stores/content-stores.js';
import { StoresRepository } from '../stores/stores.repository.js';
import { BlobsRepository } from './blobs.repository.js';
import type { QuotaClaim } from './quota-claims.js';

/** Content that is complete in its store, but not yet found there. */
export interface ReceivedContent {
  readonly blobId: string;
  readonly sizeBytes: number;
  /** Hex, by algorithm. */
  readonly digests: ReadonlyMap<Algorithm, string>;
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
   * Receives content into the store of the settings. `settle` makes it content; without that it
   * disappears within a day.
   *
   * @param sizeBytes as announced; 0 when unknown
   * @param claim quota of the upload; aborts it when exceeded
   * @throws UploadBrokenOff, ContentFolderMissing, ContentStoreAway, ContentStoreFull, ContentStoreBusy
   * @throws StorageFull when the disk reserve would be used, also while receiving
   */
  async receive(
    body: Readable,
    sizeBytes: number,
    claim: QuotaClaim,
    algorithms: readonly Algorithm[],
  ): Promise<ReceivedContent> {
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
    const brokenOff = () => {
      if (!body.readableEnded) {
        meter.destroy(new UploadBrokenOff());
      }
    };
    body.pipe(meter);
    body.once('error', brokenOff);
    whenClosed(body, brokenOff);
    try {
      await store.write(blobId, meter, sizeBytes);
    } catch (error) {
      await this.discard(blobId);
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

  /** Makes received content found under its id. It is unreferenced, and swept after a while. */
  async settle(blobId: string): Promise<void> {
    const store = this.stores.current;
    await this.blobs.addUnreferenced(blobId, await store.id());
    await store.settle(blobId);
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

  /** Deletes received content that was not settled. */
  async discard(blobId: string): Promise<void> {
    const store = this.stores.current;
    if (store.isLocal) {
      await store.discard(blobId);
    } else {
      // Deleted by the sweep: a store that failed may still complete what it was sent.
      await this.repository.expect(blobId, await store.id(), 0);
    }
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

  /** @returns null when there is no such content */
  async sizeOf(blobId: string): Promise<number | null> {
    return this.#find(blobId, (store) => store.sizeOf(blobId));
  }

  /** Where a program finds the content on this machine; null when it is in an object store. */
  async localPathOf(blobId: string): Promise<string | null> {
    return (await this.stores.of(blobId)).localPathOf(blobId);
  }

  /** The first `length` bytes, or all of shorter content. @throws as `read` */
  async beginningOf(blobId: string, length: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const part = { start: 0, end: length - 1 };
    for await (const chunk of (await this.read(blobId, part)) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Free bytes on the disk; Infinity when contents are in an object store. */
  async freeBytes(): Promise<number> {
    return this.stores.current.isLocal ? this.stores.folder.freeBytes() : Infinity;
  }

  /** Call before anything is read or written. */
  async assertPresent(): Promise<void> {
    await this.stores.current.assertPresent();
  }

  /** For an object store, whose bytes must be known before they are written. */
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

import type { MultipartUpload, S3Client } from '@aws-sdk/client-s3';
import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { DomainError } from '../../../common/errors/domain-error.js';
import { OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { SilentServers } from '../../../common/http/silent-servers.js';
import { ContentStoreAway, ContentStoreBusy, ContentStoreFull } from '../files.errors.js';
import { ContentStore, type BytePart } from './content-store.js';
import { isMissing, isOutOfRange, isOutOfSpace, nameOfFault } from './object-store-faults.js';
import { resumedReading } from './resumed-reading.js';
import type { StoreMetrics, StoreOperation } from './store.metrics.js';
import type { StoresRepository } from './stores.repository.js';
import type { BucketSettings, StoreSettings } from './stores.settings.js';

/** Names the store in the database; without it nothing is written, as the bucket may be another's. */
const MARKER = '.gatefold-files';

const CONNECT_MS = 5000;
const ATTEMPTS = 3;

/** An upload holds one part in memory, and sends it when it is complete. */
const PART_BYTES = 8 * 1024 ** 2;

/** S3 allows 10,000. */
const MOST_PARTS = 9000;

/** `prefix` and an id: other keys of the bucket are left alone. */
const CONTENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type Sdk = typeof import('@aws-sdk/client-s3');

/** Contents in a bucket of an object store that speaks the S3 protocol, each under `prefix` and its id. */
export class ObjectStore extends ContentStore {
  override readonly isLocal = false;
  override readonly place: string;
  readonly #logger = new Logger('Files');
  #loaded: Promise<{ sdk: Sdk; client: S3Client }> | undefined;
  #id: string | undefined;
  #isVerified = false;
  /** Why the latest request failed: the name of the fault. */
  away: string | undefined;
  #uploads = 0;

  constructor(
    private readonly settings: BucketSettings,
    private readonly access: StoreSettings,
    private readonly mostUploads: number,
    private readonly repository: StoresRepository,
    private readonly metrics: StoreMetrics,
    private readonly servers: SilentServers,
  ) {
    super();
    this.place = settings.address;
  }

  override async id(): Promise<string> {
    this.#id ??= (await this.repository.idOf(this.place)) ?? (await this.#introduce());
    return this.#id;
  }

  override async assertPresent(): Promise<void> {
    if (!this.#isVerified) {
      await this.check();
    }
  }

  /** Asks the store each time. @throws ContentStoreAway */
  async check(): Promise<void> {
    const id = await this.id();
    const marker = await this.#marker();
    if (marker === null && !(await this.repository.hasContents(id))) {
      await this.#putMarker(id);
    } else if (marker !== id) {
      this.#isVerified = false;
      this.#tellAway(`${MARKER} is missing or belongs to another installation`);
      throw new ContentStoreAway();
    }
    this.#isVerified = true;
  }

  /** Asks the store, and writes nothing. */
  async inspect(): Promise<void> {
    await this.#marker();
  }

  /**
   * Uploads in parts: nothing is found under the id before the last one has arrived. An error of
   * `content` aborts it.
   */
  override async write(blobId: string, content: Readable, sizeBytes: number): Promise<void> {
    await this.assertPresent();
    if (this.#uploads >= this.mostUploads) {
      throw new ContentStoreBusy();
    }
    this.#uploads += 1;
    // It may end after the upload has failed.
    content.on('error', () => {});
    try {
      await this.#ask('put', async ({ client }) => {
        const { Upload } = await import('@aws-sdk/lib-storage');
        const upload = new Upload({
          client,
          queueSize: 1,
          partSize: Math.max(PART_BYTES, Math.ceil(sizeBytes / MOST_PARTS)),
          params: {
            ...this.#object(blobId),
            Body: content,
            ContentType: 'application/octet-stream',
          },
        });
        await upload.done();
      });
    } finally {
      this.#uploads -= 1;
    }
  }

  override async settle(): Promise<void> {
    // The object is complete and durable when the last request of the upload is answered.
  }

  override async discard(blobId: string): Promise<void> {
    await this.remove(blobId);
  }

  override async open(blobId: string, part?: BytePart): Promise<Readable | null> {
    const range = part ?? { start: 0, end: Infinity };
    const first = await this.#get(blobId, part);
    if (first === null) {
      return null;
    }
    const end = Math.min(range.end, range.start + first.sizeBytes - 1);
    return resumedReading(first.body, { start: range.start, end }, async (rest) => {
      const again = await this.#get(blobId, rest);
      if (again === null) {
        throw new Error(`Content ${blobId} was deleted while it was read`);
      }
      return again.body;
    });
  }

  override localPathOf(): null {
    return null;
  }

  override async sizeOf(blobId: string): Promise<number | null> {
    return this.#ask('head', async ({ sdk, client }) => {
      const found = await client
        .send(new sdk.HeadObjectCommand(this.#object(blobId)))
        .catch(ignoringMissing);
      return found && (found.ContentLength ?? 0);
    });
  }

  override async remove(blobId: string): Promise<void> {
    await this.assertPresent();
    await this.#ask('delete', ({ sdk, client }) =>
      client.send(new sdk.DeleteObjectCommand(this.#object(blobId))),
    );
  }

  /** Aborts uploads in parts: until then their parts take room, and are not listed. */
  override async removeStale(before: Date): Promise<void> {
    await this.assertPresent();
    for (let from: object | null = {}; from !== null;) {
      const { uploads, next } = await this.#unfinishedUploads(from);
      for (const { Key = '', UploadId, Initiated } of uploads) {
        const isContent = CONTENT_ID.test(Key.slice(this.settings.prefix.length));
        if (isContent && Initiated !== undefined && Initiated < before) {
          const upload = { Bucket: this.settings.bucket, Key, UploadId };
          await this.#ask('abort', ({ sdk, client }) =>
            client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(ignoringMissing),
          );
        }
      }
      from = next;
    }
  }

  override async take(replace: boolean): Promise<boolean> {
    const marker = await this.#marker();
    if (marker === null) {
      // Registers a new id, even if the restored database has another id for this address.
      this.#id = await this.repository.register(this.place, randomUUID());
      await this.#putMarker(this.#id);
      return true;
    }
    if (!replace && !(await this.repository.isKnown(marker))) {
      return false;
    }
    await this.repository.adopt(this.place, marker);
    this.#id = marker;
    this.#isVerified = false;
    return true;
  }

  /** Ends connections that are kept for later requests. */
  async close(): Promise<void> {
    const loaded = await this.#loaded?.catch(() => undefined);
    loaded?.client.destroy();
  }

  /** The id of a store that the database does not know by its address. */
  async #introduce(): Promise<string> {
    const marker = await this.#marker();
    if (marker === null) {
      const id = await this.repository.register(this.place, randomUUID());
      await this.#putMarker(id);
      return id;
    }
    if (!(await this.repository.isKnown(marker))) {
      this.#tellAway(`${MARKER} belongs to another installation`);
      throw new ContentStoreAway();
    }
    // The store's address was changed in the settings.
    await this.repository.adopt(this.place, marker);
    return marker;
  }

  async #marker(): Promise<string | null> {
    const found = await this.#get(MARKER);
    if (found === null) {
      return null;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of found.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if (chunks.length > 16) {
        break;
      }
    }
    return Buffer.concat(chunks).toString('utf8').trim();
  }

  async #putMarker(id: string): Promise<void> {
    await this.#ask('put', ({ sdk, client }) =>
      client.send(new sdk.PutObjectCommand({ ...this.#object(MARKER), Body: `${id}\n` })),
    );
  }

  async #get(
    name: string,
    part?: BytePart,
  ): Promise<{ readonly body: Readable; readonly sizeBytes: number } | null> {
    return this.#ask('get', async ({ sdk, client }) => {
      const range = part && { Range: `bytes=${part.start}-${part.end}` };
      try {
        const found = await client.send(
          new sdk.GetObjectCommand({ ...this.#object(name), ...range }),
        );
        return { body: found.Body as Readable, sizeBytes: found.ContentLength ?? 0 };
      } catch (error) {
        // Stores refuse any part of an empty object.
        return isOutOfRange(error)
          ? { body: Readable.from([]), sizeBytes: 0 }
          : ignoringMissing(error);
      }
    });
  }

  async #unfinishedUploads(from: object): Promise<{
    readonly uploads: readonly MultipartUpload[];
    readonly next: object | null;
  }> {
    return this.#ask('list', async ({ sdk, client }) => {
      const { bucket: Bucket, prefix: Prefix } = this.settings;
      const page = await client.send(
        new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...from }),
      );
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      const next = page.IsTruncated === true ? { KeyMarker, UploadIdMarker } : null;
      return { uploads: page.Uploads ?? [], next };
    });
  }

  #object(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.settings.bucket, Key: this.settings.prefix + name };
  }

  /** @throws ContentStoreAway, ContentStoreFull; errors of this service, such as of a quota, unchanged */
  async #ask<Result>(
    operation: StoreOperation,
    work: (connection: { readonly sdk: Sdk; readonly client: S3Client }) => Promise<Result>,
  ): Promise<Result> {
    const done = this.metrics.begin(operation);
    try {
      const connection = await this.#load();
      const result = await this.servers.ask(this.place, () => work(connection));
      done('ok');
      this.#tellAvailable();
      return result;
    } catch (error) {
      if (error instanceof DomainError && !(error instanceof OutgoingHttpError)) {
        done('refused');
        throw error;
      }
      done('failed');
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): DomainError {
    if (isOutOfSpace(error)) {
      this.#logger.error(`The object store ${this.place} has no room: ${nameOfFault(error)}.`);
      return new ContentStoreFull();
    }
    this.#tellAway(nameOfFault(error));
    return new ContentStoreAway();
  }

  /** The name of the fault only: messages of stores may repeat ids of keys. */
  #tellAway(why: string): void {
    if (this.away === undefined) {
      this.#logger.error(
        `The object store ${this.place} is not available: ${why}. Uploads to it and downloads are refused.`,
      );
    }
    this.away = why;
    this.metrics.noteAnswered(this.place, false);
  }

  #tellAvailable(): void {
    if (this.away !== undefined) {
      this.#logger.log(`The object store ${this.place} is available again.`);
    }
    this.away = undefined;
    this.metrics.noteAnswered(this.place, true);
  }

  /** Loaded for installations that use it: it takes 20 MB. */
  async #load(): Promise<{ readonly sdk: Sdk; readonly client: S3Client }> {
    this.#loaded ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: this.#connect(sdk),
    }));
    return this.#loaded;
  }

  #connect(sdk: Sdk): S3Client {
    const { endpoint, region, pathStyle } = this.settings;
    const { s3AccessKeyId = '', s3SecretAccessKey = '', s3Connections, s3Seconds } = this.access;
    const agent = { keepAlive: true, maxSockets: s3Connections };
    return new sdk.S3Client({
      ...(endpoint !== undefined && { endpoint }),
      region,
      forcePathStyle: pathStyle,
      credentials: { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey },
      maxAttempts: ATTEMPTS,
      followRegionRedirects: false,
      // Older stores refuse the checksums of newer ones.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        socketTimeout: s3Seconds * 1000,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }
}

function ignoringMissing(error: unknown): null {
  if (!isMissing(error)) {
    throw error;
  }
  return null;
}

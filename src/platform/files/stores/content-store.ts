import type { Readable } from 'node:stream';

/** First and last byte, both included. */
export interface BytePart {
  readonly start: number;
  readonly end: number;
}

/** A place that keeps contents of files, each under its id. Contents are written once, never changed. */
export abstract class ContentStore {
  /** Description for people. */
  abstract readonly place: string;

  /** Whether it is on a disk of this machine, whose reserve it must leave free. */
  abstract readonly isLocal: boolean;

  /** Id of an object store in the database; null for the folder. @throws ContentStoreAway */
  abstract id(): Promise<string | null>;

  /** Cheap enough for every request. @throws ContentFolderMissing, ContentStoreAway */
  abstract assertPresent(): Promise<void>;

  /**
   * Receives all of `content`, which an error of it ends; `settle` completes it.
   *
   * @param sizeBytes 0 when unknown
   * @throws ContentFolderMissing, ContentStoreAway, ContentStoreFull, ContentStoreBusy
   */
  abstract write(blobId: string, content: Readable, sizeBytes: number): Promise<void>;

  /** When this resolves, the written content is durable, and found under its id. */
  abstract settle(blobId: string): Promise<void>;

  /** Deletes unsettled content. */
  abstract discard(blobId: string): Promise<void>;

  /**
   * @param part default: everything
   * @returns null when there is no such content
   * @throws ContentFolderMissing, ContentStoreAway
   */
  abstract open(blobId: string, part?: BytePart): Promise<Readable | null>;

  /** Path of the content on this machine; null when there is none. */
  abstract localPathOf(blobId: string): string | null;

  /** @returns null when there is no such content */
  abstract sizeOf(blobId: string): Promise<number | null>;

  /** Not an error when there is no such content. */
  abstract remove(blobId: string): Promise<void>;

  /** Deletes content that crashed processes wrote and never settled. */
  abstract removeStale(before: Date): Promise<void>;

  /** Makes it belong to this database. @returns false when it is another installation's, unless `replace` */
  abstract take(replace: boolean): Promise<boolean>;
}

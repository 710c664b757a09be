import type { Readable } from 'node:stream';
import type { SqlRunner } from '../sql-runner.js';
import { Offer } from './offer.js';

/** A stored content of users' files. */
export interface StoredContent {
  readonly bytes: number;
  read(): Readable;
}

/** The contents of users' files for backups. */
export interface BackupContents {
  /** Storage location, for people. */
  readonly place: string;

  /** Ids of all contents that the rows of this snapshot refer to, in batches. */
  idsIn(snapshot: SqlRunner): AsyncIterable<readonly string[]>;

  /** @returns null when it is missing */
  open(id: string): Promise<StoredContent | null>;

  /**
   * Call before restoring contents: makes the place belong to the restored database.
   *
   * @returns false when it belongs to another installation, unless `replace`
   */
  take(replace: boolean): Promise<boolean>;

  /** Stores a content of the backup; durable when this resolves. */
  write(id: string, content: AsyncIterable<Buffer>): Promise<void>;
}

/** Filled by the files room. */
export class BackupContentsOffer extends Offer<BackupContents> {}

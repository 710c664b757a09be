import type { Readable } from 'node:stream';
import type { SqlRunner } from '../sql-runner.js';

/** A content of users' files as it is stored. */
export interface StoredContent {
  readonly bytes: number;
  read(): Readable;
}

/** Port to the contents of users' files for backups; implemented by the files room. */
export abstract class BackupContents {
  /** Where they are stored, for people. */
  abstract readonly place: string;

  /** Ids of all contents that the rows of this snapshot refer to, in batches. */
  abstract idsIn(snapshot: SqlRunner): AsyncIterable<readonly string[]>;

  /** @returns null when it is missing */
  abstract open(id: string): Promise<StoredContent | null>;

  /**
   * Call before restoring contents: makes the place belong to the restored database.
   *
   * @returns false when it belongs to another installation, unless `replace`
   */
  abstract take(replace: boolean): Promise<boolean>;

  /** Stores a content of the backup; durable when this resolves. */
  abstract write(id: string, content: AsyncIterable<Buffer>): Promise<void>;
}

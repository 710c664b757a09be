import type { Readable } from 'node:stream';

/** A file in the archive of an account. */
export interface TransferEntry {
  /** Path in the archive, such as `files/Photos/tide.jpg`. */
  readonly path: string;
  /** Unix seconds; now by default. */
  readonly mtimeSeconds?: number;
  readonly sizeBytes?: number;
  /** Whether compression would be in vain. */
  readonly isCompressed?: boolean;
  /** Called when it is its turn; null for a folder, whose path ends in a slash. */
  readonly open:
    | (() => AsyncIterable<string | Uint8Array> | Promise<AsyncIterable<Uint8Array>>)
    | null;
}

/** What of an account is wanted. */
export interface TransferWish {
  readonly userId: string;
  readonly withFiles: boolean;
  /** Passwords and tokens for other servers, as plain texts. */
  readonly withSecrets: boolean;
}

/** The list of contents, which every part completes while its entries are read. */
export interface TransferNotes {
  /** @param what plural noun, such as `starred articles` */
  readonly count: (what: string, number?: number) => void;
  /** @param reason a sentence */
  readonly leaveOut: (what: string, reason: string) => void;
}

/** What one room puts into the archive of an account. */
export type TransferExport = (
  wish: TransferWish,
  notes: TransferNotes,
) => AsyncIterable<TransferEntry>;

/** A file of an archive; the path of a folder ends in a slash. */
export interface TransferredFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeSeconds: number;
  readonly open: () => Promise<Readable>;
}

/** An archive that is taken in. */
export interface TransferSource {
  /** The files and folders below `files/`, in their order. */
  readonly files: () => AsyncIterable<TransferredFile>;
  /** Null when it is not there, or larger. */
  readonly open: (path: string, mostBytes: number) => Promise<Readable | null>;
  /** Undefined when it is not there or cannot be read. */
  readonly json: (path: string) => Promise<unknown>;
  /** The objects of a file that has one a line, in batches; lines that cannot be read are left out. */
  readonly lines: (path: string) => AsyncIterable<readonly unknown[]>;
}

/** Takes in what one room understands, and adds to what is there. Must be idempotent: it may be interrupted. */
export type TransferImport = (
  userId: string,
  source: TransferSource,
  leaveOut: TransferNotes['leaveOut'],
) => Promise<void>;

/** Rooms register what they put into archives of accounts and take in again; `platform/transfer` makes and reads these. */
export class AccountTransferParts {
  readonly #exports: TransferExport[] = [];
  readonly #bulky: TransferExport[] = [];
  readonly #imports: TransferImport[] = [];

  addExport(part: TransferExport): void {
    this.#exports.push(part);
  }

  /** One of many or large entries, which come after all others. */
  addBulkyExport(part: TransferExport): void {
    this.#bulky.push(part);
  }

  addImport(part: TransferImport): void {
    this.#imports.push(part);
  }

  get exports(): readonly TransferExport[] {
    return [...this.#exports, ...this.#bulky];
  }

  get imports(): readonly TransferImport[] {
    return this.#imports;
  }
}

/** An entry of one JSON document. */
export function jsonEntry(path: string, read: () => Promise<unknown>): TransferEntry {
  return {
    path,
    async *open() {
      yield `${JSON.stringify(await read(), null, 2)}\n`;
    },
  };
}

/** An entry of a JSON object a line. */
export function linesEntry(
  path: string,
  batches: () => AsyncIterable<readonly object[]>,
): TransferEntry {
  return {
    path,
    async *open() {
      for await (const batch of batches()) {
        yield batch.map((line) => `${JSON.stringify(line)}\n`).join('');
      }
    },
  };
}

import { Query, type Connection } from 'pg';

/**
 * A row of text and JSON columns; null is SQL's null. Each value is its UTF-8 bytes, one character per
 * byte: `JSON.stringify` and concatenation do the same with them as with text, at a third of the time,
 * and `Buffer.from(value, 'latin1')` is their UTF-8. Never look for characters in them.
 */
export type RowOfBytes = readonly (string | null)[];

/** Signature, flags and length of the extension, which PostgreSQL leaves empty. */
const HEADER_BYTES = 19;
const FIRST_OF_HEADER = 'P'.charCodeAt(0);
const LENGTH_BYTES = 4;
const NULL = -1;

/**
 * `copy (…) to stdout (format binary)` as a query of pg, which calls its `handle…` methods. A subclass,
 * since pg refuses others on connections that pipeline.
 *
 * @see https://www.postgresql.org/docs/current/sql-copy.html "Binary Format"
 */
export class CopyQuery extends Query {
  readonly #finished = Promise.withResolvers<void>();
  #rows: RowOfBytes[] = [];
  #isDone = false;
  #failure: Error | undefined;
  #wake = () => {};

  /** @param copy statement */
  constructor(private readonly copy: string) {
    super(copy);
  }

  /** Resolves when the connection can be used again. @throws the failure, after which it cannot */
  async ended(): Promise<void> {
    await this.#finished.promise;
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
  }

  /** Batches of rows: what has arrived since the last one. */
  async *batches(): AsyncGenerator<RowOfBytes[], void, undefined> {
    for (;;) {
      if (this.#failure !== undefined) {
        throw this.#failure;
      }
      if (this.#rows.length > 0) {
        const rows = this.#rows;
        this.#rows = [];
        yield rows;
      } else if (this.#isDone) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  override submit = (connection: Connection): void => {
    connection.query(this.copy);
  };

  /** @param chunk a row; the server puts the header before the first. Valid during this call */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const row = rowAt(chunk, chunk[0] === FIRST_OF_HEADER ? HEADER_BYTES : 0);
    if (row !== undefined) {
      this.#rows.push(row);
      this.#wake();
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#isDone = true;
    this.#end();
  }

  /** Of the statement, or the loss of the connection. */
  handleError(error: Error): void {
    this.#failure = error;
    this.#end();
  }

  #end(): void {
    this.#finished.resolve();
    this.#wake();
  }
}

/** @returns undefined for the end, whose number of fields is -1, and for a header without a row */
function rowAt(bytes: Buffer, start: number): RowOfBytes | undefined {
  if (start === bytes.length) {
    return undefined;
  }
  const fields = bytes.readInt16BE(start);
  if (fields < 0) {
    return undefined;
  }
  let at = start + 2;
  const row: (string | null)[] = [];
  for (let field = 0; field < fields; field += 1) {
    const length = bytes.readInt32BE(at);
    at += LENGTH_BYTES;
    if (length === NULL) {
      row.push(null);
    } else {
      row.push(bytes.toString('latin1', at, at + length));
      at += length;
    }
  }
  return row;
}

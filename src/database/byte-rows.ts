import { Query, type Connection, type PoolClient, type QueryConfig } from 'pg';
import type { BackendMessage } from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';

/**
 * A row of text and JSON columns; null is SQL's null. Each value is its UTF-8 bytes, one character per
 * byte: `JSON.stringify` and concatenation do the same with them as with text, at a third of the time,
 * and `Buffer.from(value, 'latin1')` is their UTF-8. Never look for characters in them.
 */
export type RowOfBytes = readonly (string | null)[];

/** Parts of pg and its parser that lack types. */
interface ReadConnection extends Connection {
  attachListeners(stream: NodeJS.ReadableStream): void;
}

interface Decoder {
  encoding: 'utf-8' | 'latin1';
}

const decoders = new WeakMap<Connection, Decoder>();

/** Lets `BytesQuery` choose how the values of its rows become strings, on a connection that is not open yet. */
export function chooseDecoding(client: Pick<PoolClient, 'connection'>): void {
  const connection = client.connection as ReadConnection;
  connection.attachListeners = (stream) => {
    const parser = new Parser();
    decoders.set(connection, (parser as unknown as { readonly reader: Decoder }).reader);
    const emit = (message: BackendMessage) =>
      connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
    stream.on('data', (bytes: Buffer) => parser.parse(bytes, emit));
  };
}

/** A query of pg, which calls its `handle…` methods, whose rows are read in batches as they arrive. */
export class BytesQuery extends Query {
  readonly #finished = Promise.withResolvers<void>();
  readonly #decoder: Decoder | undefined;
  #rows: RowOfBytes[] = [];
  #isDone = false;
  #failure: Error | undefined;
  #wake = () => {};

  /** @param config with a name for a statement that the connection keeps */
  constructor(config: QueryConfig, client: Pick<PoolClient, 'connection'>) {
    // Text and JSON are their UTF-8 in the binary format, and in the text format of a query without values.
    super({ ...config, binary: true } as QueryConfig);
    this.#decoder = decoders.get(client.connection);
  }

  /** Resolves when the connection can be used again. @throws the failure, after which it cannot */
  async ended(): Promise<void> {
    await this.#finished.promise;
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
  }

  /** Batches of rows, each with all rows since the last one. */
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

  /** Comes before the rows, and ends with the command: errors and other queries have text. */
  handleRowDescription(): void {
    this.#decode('latin1');
  }

  handleDataRow({ fields }: { readonly fields: RowOfBytes }): void {
    this.#rows.push(fields);
    this.#wake();
  }

  handleCommandComplete(): void {
    this.#decode('utf-8');
  }

  handleReadyForQuery(): void {
    this.#isDone = true;
    this.#end();
  }

  /** Handles an error of the statement, or the loss of the connection. */
  handleError(error: Error): void {
    this.#decode('utf-8');
    this.#failure = error;
    this.#end();
  }

  #decode(encoding: Decoder['encoding']): void {
    if (this.#decoder === undefined) {
      throw new Error('The connection was opened without chooseDecoding.');
    }
    this.#decoder.encoding = encoding;
  }

  #end(): void {
    this.#finished.resolve();
    this.#wake();
  }
}

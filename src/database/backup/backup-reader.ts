import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import {
  BackupContent,
  BackupEnd,
  BackupHeader,
  BackupSummary,
  BackupTable,
  END_OF_ROWS,
} from './backup-file.js';
import { BackupRefused } from './backup-refused.js';

const NOTHING = Buffer.alloc(0);

/** The line after the last row, with the end of the row before it. */
const ROWS_END_HERE = Buffer.from(`\n${END_OF_ROWS}\n`);

/** Limit of a line; a damaged file must not fill the memory. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;

/** Reads a backup from front to back, in memory of a few hundred KiB. */
export class BackupReader {
  readonly #hash = createHash('sha256');
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = NOTHING;
  /** Belongs to the hash of everything before the next line. */
  #unhashed: Buffer = NOTHING;

  /** @param name of the file, for messages */
  constructor(
    private readonly source: Readable,
    readonly name: string,
  ) {
    const gunzip = createGunzip();
    // `pipe` does not forward errors.
    source.once('error', (error) => gunzip.destroy(error));
    this.#chunks = source.pipe(gunzip)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** @param file its path, or `-` for stdin */
  static open(file: string): BackupReader {
    return file === '-'
      ? new BackupReader(process.stdin, 'The input')
      : new BackupReader(createReadStream(file), file);
  }

  /** @throws BackupRefused if the file is no backup */
  async header(): Promise<BackupHeader> {
    return this.#parse(BackupHeader, await this.#line());
  }

  /** The next table, whose rows must be read then, or the summary behind the last one. */
  async tableOrSummary(): Promise<BackupTable | BackupSummary> {
    const line = await this.#line();
    return BackupTable.safeParse(line).data ?? this.#parse(BackupSummary, line);
  }

  /** The next content, whose bytes must be read then, or the end. */
  async contentOrEnd(): Promise<BackupContent | BackupEnd> {
    const line = await this.#line();
    const content = BackupContent.safeParse(line).data;
    if (content !== undefined) {
      return content;
    }
    const end = this.#parse(BackupEnd, line);
    if (end.sha256 !== this.#hash.copy().digest('hex')) {
      throw new BackupRefused(`${this.name} is damaged: its checksum is another.`);
    }
    return end;
  }

  /** The rows of a table, in chunks of whole and broken lines. */
  async *rows(): AsyncGenerator<Buffer, void, undefined> {
    // The end mark is looked for with the line end before it, which an empty table lacks.
    let before = 1;
    let data = Buffer.concat([Buffer.from('\n'), this.#take()]);
    for (;;) {
      const end = data.indexOf(ROWS_END_HERE);
      if (end >= 0) {
        yield* this.#hashed(data.subarray(before, end + 1));
        this.#hash.update(data.subarray(end + 1, end + ROWS_END_HERE.length));
        this.#buffer = data.subarray(end + ROWS_END_HERE.length);
        return;
      }
      // The last bytes may be the beginning of the end mark.
      const safe = data.length - ROWS_END_HERE.length;
      if (safe > before) {
        yield* this.#hashed(data.subarray(before, safe));
        data = data.subarray(safe);
        before = 0;
      }
      data = Buffer.concat([data, await this.#more()]);
    }
  }

  /** The bytes of a content. */
  async *bytes(count: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = count; left > 0;) {
      const data = this.#buffer.length > 0 ? this.#take() : await this.#more();
      const part = data.subarray(0, left);
      this.#buffer = data.subarray(part.length);
      left -= part.length;
      yield* this.#hashed(part);
    }
  }

  /** Frees the file. */
  async close(): Promise<void> {
    this.source.destroy();
    await this.#chunks.return?.();
  }

  notComplete(): BackupRefused {
    return new BackupRefused(`${this.name} is not a complete backup of Gatefold.`);
  }

  #take(): Buffer {
    this.#hash.update(this.#unhashed);
    this.#unhashed = NOTHING;
    const data = this.#buffer;
    this.#buffer = NOTHING;
    return data;
  }

  *#hashed(data: Buffer): Generator<Buffer, void, undefined> {
    if (data.length > 0) {
      this.#hash.update(data);
      yield data;
    }
  }

  async #more(): Promise<Buffer> {
    try {
      const { value, done } = await this.#chunks.next();
      if (done !== true) {
        return value;
      }
    } catch (error) {
      throw isAboutGzip(error) ? this.notComplete() : error;
    }
    throw this.notComplete();
  }

  /** The next line as JSON; undefined if it is invalid. Included in the hash. */
  async #line(): Promise<unknown> {
    const parts = [this.#take()];
    let length = 0;
    for (;;) {
      const part = parts.at(-1) ?? NOTHING;
      const end = part.indexOf(10);
      if (end >= 0) {
        this.#buffer = part.subarray(end + 1);
        parts.splice(-1, 1, part.subarray(0, end + 1));
        break;
      }
      length += part.length;
      if (length > LONGEST_LINE_BYTES) {
        throw this.notComplete();
      }
      parts.push(await this.#more());
    }
    this.#unhashed = Buffer.concat(parts);
    try {
      return JSON.parse(this.#unhashed.toString());
    } catch {
      return undefined;
    }
  }

  #parse<Schema extends z.ZodType>(schema: Schema, line: unknown): z.output<Schema> {
    const parsed = schema.safeParse(line);
    if (!parsed.success) {
      throw this.notComplete();
    }
    return parsed.data;
  }
}

function isAboutGzip(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith('Z_');
}

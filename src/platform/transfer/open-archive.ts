import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import type { TransferSource } from '../../common/ports/account-transfer.js';
import { ArchiveDamaged } from './transfer.errors.js';

type ReadRange = (start: number, end: number) => AsyncIterable<Uint8Array>;

/** In memory it may be twenty times as large. */
const LARGEST_JSON_BYTES = 8 * 1024 ** 2;
const LARGEST_LINES_BYTES = 256 * 1024 ** 2;
const LONGEST_LINE_CHARACTERS = 256 * 1024;
const LINES_AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 1024 ** 2;
const BLOCK_BYTES = 1024 ** 2;

/** Entries beside files and conversations, of which every version writes a few. */
const MOST_ENTRIES = 100;
/** Programs that pack write some dozens; in memory it is an object for every four. */
const MOST_EXTRA_BYTES = 1024;

const FILES = 'files/';
const BULKY = /^(?:files|chat)\//;

/** An archive that is read where it is needed. */
class StoredArchive extends RandomAccessReader {
  readonly #readRange: ReadRange;
  /** Why it could not be read; of the archive itself nothing is known then. */
  failure: Error | undefined;
  /** The list of entries is read by many small steps. */
  #block = { start: 0, bytes: Buffer.alloc(0) };

  constructor(readRange: ReadRange) {
    super();
    this.#readRange = readRange;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#pieces(start, end), { objectMode: false });
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const part = target.subarray(offset, offset + length);
    callbackify(() => this.#copy(part, position))(callback);
  }

  async #copy(target: Buffer, position: number): Promise<void> {
    for (let done = 0; done < target.length;) {
      const at = position + done;
      const { start, bytes } = this.#block;
      const inBlock = at - start;
      if (inBlock >= 0 && inBlock < bytes.length) {
        done += bytes.copy(target, done, inBlock);
        continue;
      }
      const first = at - (at % BLOCK_BYTES);
      const bytesThere = await buffer(this.#pieces(first, first + BLOCK_BYTES));
      this.#block = { start: first, bytes: bytesThere };
      if (at >= first + this.#block.bytes.length) {
        throw new ArchiveDamaged();
      }
    }
  }

  async *#pieces(start: number, end: number): AsyncGenerator<Uint8Array> {
    const pieces = this.#readRange(start, end)[Symbol.asyncIterator]();
    // Not `for await`: it would take what readers throw for a failure as well.
    for (let piece = await this.#next(pieces); !piece.done; piece = await this.#next(pieces)) {
      yield piece.value;
    }
  }

  async #next(pieces: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    try {
      return await pieces.next();
    } catch (error) {
      this.failure = error as Error;
      throw error;
    }
  }
}

/**
 * Opens an archive that anybody may have written. What cannot be unpacked fails with `ArchiveDamaged` where it is
 * read; errors of `read` stay as they are.
 *
 * @throws ArchiveDamaged
 */
export async function openArchive(bytes: number, read: ReadRange): Promise<TransferSource> {
  const archive = new StoredArchive(read);
  const damaged = (cause: unknown) => archive.failure ?? new ArchiveDamaged({ cause });
  const openZip = async () => {
    const options = { lazyEntries: true, autoClose: false };
    return fromRandomAccessReaderPromise(archive, bytes, options).catch((error: unknown) => {
      throw damaged(error);
    });
  };
  /** Each is forgotten with the next one. */
  async function* entriesOf(opened: ZipFile): AsyncGenerator<Entry> {
    const each = opened.eachEntry()[Symbol.asyncIterator]();
    const next = () =>
      each.next().catch((error: unknown) => {
        throw damaged(error);
      });
    for (let entry = await next(); entry.done !== true; entry = await next()) {
      yield entry.value;
    }
  }
  /** Opened with the first read: nobody would hear of a failure before. */
  const contentOf = (opened: ZipFile, entry: Entry): Readable => {
    async function* content(): AsyncGenerator<Uint8Array> {
      try {
        yield* await opened.openReadStreamPromise(entry);
      } catch (error) {
        throw damaged(error);
      }
    }
    return Readable.from(content(), { objectMode: false });
  };
  const zip = await openZip();
  const entries = new Map<string, Entry>();
  for await (const entry of entriesOf(zip)) {
    const { fileName, extraFieldLength } = entry;
    // Files may be very many.
    if (fileName.endsWith('/') || BULKY.test(fileName)) {
      continue;
    }
    entries.set(fileName, entry);
    if (entries.size > MOST_ENTRIES || extraFieldLength > MOST_EXTRA_BYTES) {
      throw new ArchiveDamaged();
    }
  }
  const open = async (path: string, mostBytes: number) => {
    const entry = entries.get(path);
    // What is unpacked is never larger than it says.
    return entry === undefined || entry.uncompressedSize > mostBytes ? null : contentOf(zip, entry);
  };
  return {
    open,
    async *files() {
      const again = await openZip();
      for await (const entry of entriesOf(again)) {
        if (entry.fileName.startsWith(FILES)) {
          yield {
            path: entry.fileName,
            sizeBytes: entry.uncompressedSize,
            mtimeSeconds: Math.floor(entry.getLastModDate().getTime() / 1000),
            open: async () => contentOf(again, entry),
          };
        }
        // Who stores a file cannot tell it from one that ends in the middle.
        if (archive.failure !== undefined) {
          throw archive.failure;
        }
      }
    },
    async json(path) {
      const content = await open(path, LARGEST_JSON_BYTES);
      return content === null ? undefined : parsed(await text(content));
    },
    async *lines(path) {
      const input = await open(path, LARGEST_LINES_BYTES);
      let batch: unknown[] = [];
      let characters = 0;
      for await (const line of input === null ? [] : linesOf(input)) {
        const object = parsed(line);
        batch.push(...(object === undefined ? [] : [object]));
        characters += line.length;
        if (batch.length === LINES_AT_ONCE || characters > CHARACTERS_AT_ONCE) {
          yield batch;
          batch = [];
          characters = 0;
        }
      }
      yield batch;
    },
  };
}

/** Without those that are too long. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  let isTooLong = false;
  for await (const some of input.setEncoding('utf8')) {
    const lines = (rest + String(some)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isTooLong && line.length <= LONGEST_LINE_CHARACTERS) {
        yield line;
      }
      isTooLong = false;
    }
    if (rest.length > LONGEST_LINE_CHARACTERS) {
      isTooLong = true;
      rest = '';
    }
  }
  if (!isTooLong) {
    yield rest;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

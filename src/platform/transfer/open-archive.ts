import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { linesOf } from '../../common/lines-of.js';
import type { TransferSource } from '../../common/ports/account-transfer.js';
import { ArchiveDamaged } from './transfer.errors.js';

type ReadRange = (start: number, end: number) => AsyncIterable<Uint8Array>;

const LARGEST_JSON_BYTES = 32 * 1024 ** 2;
const LARGEST_LINES_BYTES = 256 * 1024 ** 2;
const LINES_AT_ONCE = 500;
const BLOCK_BYTES = 1024 ** 2;

const FILES = 'files/';
const BULKY = /^(?:files|chat)\//;

/** An archive that is read where it is needed. */
class StoredArchive extends RandomAccessReader {
  readonly #readRange: ReadRange;
  /** The list of entries is read by many small steps. */
  #block = { start: 0, bytes: Buffer.alloc(0) };

  constructor(readRange: ReadRange) {
    super();
    this.#readRange = readRange;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#readRange(start, end), { objectMode: false });
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
      const bytesThere = await buffer(this.#readRange(first, first + BLOCK_BYTES));
      this.#block = { start: first, bytes: bytesThere };
      if (at >= first + this.#block.bytes.length) {
        throw new ArchiveDamaged();
      }
    }
  }
}

/** @throws ArchiveDamaged */
export async function openArchive(bytes: number, read: ReadRange): Promise<TransferSource> {
  const archive = new StoredArchive(read);
  const openZip = async () => {
    try {
      const options = { lazyEntries: true, autoClose: false };
      return await fromRandomAccessReaderPromise(archive, bytes, options);
    } catch (cause) {
      throw new ArchiveDamaged({ cause });
    }
  };
  const zip = await openZip();
  // Files may be very many.
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (!BULKY.test(entry.fileName)) {
      entries.set(entry.fileName, entry);
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
      for await (const entry of again.eachEntry()) {
        if (entry.fileName.startsWith(FILES)) {
          yield {
            path: entry.fileName,
            sizeBytes: entry.uncompressedSize,
            mtimeSeconds: Math.floor(entry.getLastModDate().getTime() / 1000),
            open: async () => contentOf(again, entry),
          };
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
      for await (const line of input === null ? [] : linesOf(input)) {
        const object = parsed(line);
        batch.push(...(object === undefined ? [] : [object]));
        if (batch.length === LINES_AT_ONCE) {
          yield batch;
          batch = [];
        }
      }
      yield batch;
    },
  };
}

/** Opened with the first read: nobody would hear of a failure before. */
function contentOf(zip: ZipFile, entry: Entry): Readable {
  async function* content(): AsyncGenerator<Uint8Array> {
    yield* await zip.openReadStreamPromise(entry);
  }
  return Readable.from(content(), { objectMode: false });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

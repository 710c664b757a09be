import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry } from 'yauzl';
import type { TransferSource } from '../../common/ports/account-transfer.js';
import { ArchiveDamaged } from './transfer.errors.js';

type ReadRange = (start: number, end: number) => AsyncIterable<Uint8Array>;

const LARGEST_JSON_BYTES = 32 * 1024 ** 2;
const LARGEST_LINES_BYTES = 256 * 1024 ** 2;
const LINES_AT_ONCE = 500;

/** An archive that is read where it is needed. */
class StoredArchive extends RandomAccessReader {
  constructor(private readonly readRange: ReadRange) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.readRange(start, end), { objectMode: false });
  }
}

/** @throws ArchiveDamaged */
export async function openArchive(bytes: number, read: ReadRange): Promise<TransferSource> {
  const options = { lazyEntries: true, autoClose: false };
  const entries = new Map<string, Entry>();
  const zip = await fromRandomAccessReaderPromise(new StoredArchive(read), bytes, options).catch(
    (cause: unknown) => {
      throw new ArchiveDamaged({ cause });
    },
  );
  for await (const entry of zip.eachEntry()) {
    entries.set(entry.fileName, entry);
  }
  const open = async (path: string) => {
    const entry = entries.get(path);
    return entry === undefined ? null : zip.openReadStreamPromise(entry);
  };
  // What is unpacked is never larger than it says.
  const openUpTo = async (path: string, mostBytes: number) =>
    (entries.get(path)?.uncompressedSize ?? 0) > mostBytes ? null : open(path);
  return {
    open,
    list: (prefix) =>
      [...entries.values()]
        .filter(({ fileName }) => fileName.startsWith(prefix))
        .map((entry) => ({
          path: entry.fileName,
          sizeBytes: entry.uncompressedSize,
          mtimeSeconds: Math.floor(entry.getLastModDate().getTime() / 1000),
        })),
    async json(path) {
      const content = await openUpTo(path, LARGEST_JSON_BYTES);
      return content === null ? undefined : parsed(await text(content));
    },
    async *lines(path) {
      const input = await openUpTo(path, LARGEST_LINES_BYTES);
      let batch: unknown[] = [];
      for await (const line of input === null ? [] : createInterface({ input })) {
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

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

import { fromBufferPromise, getFileNameLowLevel, openPromise, validateFileName } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { UnreadableImport } from './found-row.js';
import { ImportFile, isBomb, TOO_LARGE } from './import-file.js';

const MOST_ENTRIES = 50_000;
/** The manifest names every file of the account, so that it may be large. */
const OF_GATEFOLD = /^\{\s*"format":\s*"gatefold-account"/;
/** Of an account, but none of its articles: what takes it in later has limits of its own. */
const BULKY = /^(?:files|chat)\//;

/** What programs that pack add. */
const OF_PACKERS = /^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/;

const REFUSED = {
  name: 'Its name leads out of the zip.',
  locked: 'It is locked with a password.',
  packing: 'It is packed in a way that Gatefold cannot unpack.',
  ratio: 'It is too large when it is unpacked.',
} as const;

/** The files of a zip. */
export interface ZipContents {
  readonly files: readonly ImportFile[];
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  /** It is what Gatefold itself writes for an account. */
  readonly isOfGatefold: boolean;
  close(): void;
}

/**
 * Opens a zip, on disk or in memory.
 *
 * @throws UnreadableImport for one that is damaged or cut off, or holds too much
 */
export async function openZip(zip: string | Buffer, mostBytes: number): Promise<ZipContents> {
  let opened: ZipFile | undefined;
  try {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
    opened = await (typeof zip === 'string'
      ? openPromise(zip, options)
      : fromBufferPromise(zip, options));
    return await contentsOf(opened, mostBytes);
  } catch (error) {
    opened?.close();
    const isOfDisk = error instanceof Error && 'syscall' in error;
    throw error instanceof UnreadableImport || isOfDisk
      ? error
      : new UnreadableImport('The zip is damaged or ends in the middle.', { cause: error });
  }
}

async function contentsOf(zip: ZipFile, mostBytes: number): Promise<ZipContents> {
  const files = new Map<string, ImportFile>();
  const refused: { name: string; reason: string }[] = [];
  const bulky = { entries: 0, bytes: 0 };
  const others = { entries: 0, bytes: 0 };
  let isOfGatefold = false;
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry);
    if (name.endsWith('/') || OF_PACKERS.test(name)) {
      continue;
    }
    const file = new ImportFile(name, () => zip.openReadStreamPromise(entry));
    if (name === 'manifest.json') {
      isOfGatefold = OF_GATEFOLD.test(String(await file.head()));
    }
    const counted = BULKY.test(name) ? bulky : others;
    counted.entries += 1;
    counted.bytes += entry.uncompressedSize;
    if (bulky.entries + others.entries <= MOST_ENTRIES) {
      const reason = refusalOf(entry, name);
      if (reason === null) {
        // Some programs write a file twice; others put different ones under one name.
        files.set(`${name}\n${entry.crc32} ${entry.uncompressedSize}`, file);
      } else {
        refused.push({ name, reason });
      }
    }
  }
  // Known only now, as the manifest comes last.
  const { entries, bytes } = isOfGatefold ? { entries: 0, bytes: 0 } : bulky;
  if (entries + others.entries > MOST_ENTRIES) {
    throw new UnreadableImport(`The zip holds more than ${MOST_ENTRIES} files.`);
  }
  if (bytes + others.bytes > mostBytes) {
    throw new UnreadableImport(TOO_LARGE);
  }
  return { files: [...files.values()], refused, isOfGatefold, close: () => zip.close() };
}

function nameOf(entry: Entry): string {
  return getFileNameLowLevel(
    entry.generalPurposeBitFlag,
    entry.fileNameRaw,
    entry.extraFields,
    false,
  );
}

function refusalOf(entry: Entry, name: string): string | null {
  if (validateFileName(name) !== null) {
    return REFUSED.name;
  }
  if (entry.isEncrypted()) {
    return REFUSED.locked;
  }
  if (!entry.canDecodeFileData()) {
    return REFUSED.packing;
  }
  return isBomb(entry.uncompressedSize, entry.compressedSize) ? REFUSED.ratio : null;
}

import { fromBufferPromise, getFileNameLowLevel, openPromise, validateFileName } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { UnreadableImport } from './found-row.js';
import { ImportFile, isBomb, TOO_LARGE } from './import-file.js';

const MOST_ENTRIES = 50_000;
/** The manifest names every file of the account, so that it may be large. */
const OF_GATEFOLD = /^\{\s*"format":\s*"gatefold-account"/;

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
  let isOfGatefold = false;
  let bytes = 0;
  let entries = 0;
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry);
    if (name.endsWith('/') || OF_PACKERS.test(name)) {
      continue;
    }
    const file = new ImportFile(name, () => zip.openReadStreamPromise(entry));
    if (name === 'manifest.json') {
      isOfGatefold = OF_GATEFOLD.test(String(await file.head()));
    }
    entries += 1;
    bytes += entry.uncompressedSize;
    if (entries <= MOST_ENTRIES) {
      const reason = refusalOf(entry, name);
      if (reason === null) {
        // Some programs write a file twice; others put different ones under one name.
        files.set(`${name}\n${entry.crc32} ${entry.uncompressedSize}`, file);
      } else {
        refused.push({ name, reason });
      }
    }
  }
  if (!isOfGatefold && entries > MOST_ENTRIES) {
    throw new UnreadableImport(`The zip holds more than ${MOST_ENTRIES} files.`);
  }
  if (!isOfGatefold && bytes > mostBytes) {
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

import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file or folder as it is to be in an archive. */
export interface ZipEntry {
  /** With the folders it is in; a folder's ends in a slash. */
  readonly name: string;
  readonly mtimeSeconds: number;
  readonly sizeBytes: number;
  /** Whether it is stored as it is, being compressed already. */
  readonly isCompressed: boolean;
  /** Null for a folder. */
  readonly open: (() => Readable) | null;
}

/** What an archive can say, from 1970 on: times are 32 bits long in it. */
const LATEST_SECONDS = 0xffff_ffff;

/** Fast rather than small. */
const COMPRESSION_LEVEL = 1;

/**
 * An archive of any size, made while it is read: an entry is asked for when the one before it is
 * in. Ends with an error when an entry cannot be read, or is not as long as was said.
 */
export function zip(entries: AsyncIterable<ZipEntry>): Readable {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  archive.on('error', (error: Error) => output.destroy(error));
  addAll(archive, output, entries).catch((error: Error) => output.destroy(error));
  return output;
}

async function addAll(
  archive: ZipFile,
  output: Readable,
  entries: AsyncIterable<ZipEntry>,
): Promise<void> {
  for await (const { name, mtimeSeconds, sizeBytes, isCompressed, open } of entries) {
    const mtime = new Date(Math.min(Math.max(mtimeSeconds, 0), LATEST_SECONDS) * 1000);
    if (open === null) {
      archive.addEmptyDirectory(name, { mtime });
      continue;
    }
    const content = open();
    // Whoever reads the archive may go away in the middle of a file.
    const letGo = () => content.destroy();
    output.once('close', letGo);
    archive.addReadStream(content, name, {
      mtime,
      size: sizeBytes,
      compressionLevel: isCompressed ? 0 : COMPRESSION_LEVEL,
    });
    await once(content, 'close');
    output.off('close', letGo);
    if (output.destroyed) {
      return;
    }
  }
  archive.end();
}

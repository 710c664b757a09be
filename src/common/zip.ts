import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file or folder in an archive. */
export interface ZipEntry {
  /** Path in the archive; names of folders end in a slash. */
  readonly name: string;
  readonly mtimeSeconds: number;
  /** Undefined: known when it was read. */
  readonly sizeBytes: number | undefined;
  /** Stored without compression. */
  readonly isCompressed: boolean;
  /** Null for a folder. */
  readonly open: (() => Readable | Promise<Readable>) | null;
}

/** ZIP stores Unix times in 32 bits. */
const MAX_UNIX_SECONDS = 0xffff_ffff;

/** Fast rather than small. */
const COMPRESSION_LEVEL = 1;

/**
 * Creates an archive of any size while it is read: each entry is opened when the previous one is
 * complete. Fails when an entry cannot be read or does not have the given size.
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
    const mtime = new Date(Math.min(Math.max(mtimeSeconds, 0), MAX_UNIX_SECONDS) * 1000);
    if (open === null) {
      archive.addEmptyDirectory(name, { mtime });
      continue;
    }
    const content = await open();
    // The reader of the archive may disconnect in the middle of a file.
    const abort = () => content.destroy();
    if (output.destroyed) {
      abort();
      return;
    }
    output.once('close', abort);
    archive.addReadStream(content, name, {
      mtime,
      ...(sizeBytes !== undefined && { size: sizeBytes }),
      compressionLevel: isCompressed ? 0 : COMPRESSION_LEVEL,
    });
    await once(content, 'close');
    output.off('close', abort);
    if (output.destroyed) {
      return;
    }
  }
  archive.end();
}

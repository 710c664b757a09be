import iconv from 'iconv-lite';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { guessCharset } from '../../feed-parser/charset/guess-charset.js';
import { UnreadableImport } from './found-row.js';

/** Of packed files: what compresses better is made to fill a disk. */
const HIGHEST_RATIO = 200;
const SMALL_BYTES = 16 * 1024 ** 2;

/** Decides what a file is. */
const HEAD_BYTES = 64 * 1024;

export const TOO_LARGE = 'The file is too large when it is unpacked.';

/** A file on disk, in gzip or in a zip; it can be read several times. */
export class ImportFile {
  /** In a zip; empty for the file itself. */
  readonly name: string;
  readonly #open: () => Promise<Readable>;
  /** It broke off when it was last read. */
  isDamaged = false;

  constructor(name: string, open: () => Promise<Readable>) {
    this.name = name;
    this.#open = open;
  }

  static onDisk(path: string): ImportFile {
    return new ImportFile('', () => Promise.resolve(createReadStream(path)));
  }

  /** The file that this one is in gzip, of at most so many bytes. */
  unpacked(mostBytes: number): ImportFile {
    return new ImportFile(this.name, async () =>
      Readable.from(unpackedBytes(await this.#open(), mostBytes)),
    );
  }

  /** Ends early, with `isDamaged`, where a packed file is damaged. */
  async *bytes(): AsyncGenerator<Buffer> {
    this.isDamaged = false;
    const stream = await this.#open();
    try {
      for await (const piece of stream) {
        yield piece as Buffer;
      }
    } catch (error) {
      if (error instanceof UnreadableImport || !isOfPacking(error)) {
        throw error;
      }
      this.isDamaged = true;
    } finally {
      stream.destroy();
    }
  }

  async head(): Promise<Buffer> {
    return (await this.#beginning(HEAD_BYTES)).subarray(0, HEAD_BYTES);
  }

  /** Null for a file that is larger. */
  async whole(mostBytes: number): Promise<Buffer | null> {
    const bytes = await this.#beginning(mostBytes);
    return bytes.length > mostBytes ? null : bytes;
  }

  /** More than these bytes, if there are more. */
  async #beginning(leastBytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of this.bytes()) {
      pieces.push(piece);
      length += piece.length;
      if (length > leastBytes) {
        break;
      }
    }
    return Buffer.concat(pieces);
  }

  async *text(charset: string): AsyncGenerator<string> {
    const decoder = iconv.getDecoder(charset);
    for await (const piece of this.bytes()) {
      yield decoder.write(piece);
    }
    yield decoder.end() ?? '';
  }

  /** The character set of its bytes, which count more than what it says. */
  async charset(head: Buffer): Promise<string> {
    const wide = wideCharset(head);
    if (wide !== null) {
      return wide;
    }
    const checking = new TextDecoder('utf-8', { fatal: true });
    for await (const piece of this.bytes()) {
      try {
        checking.decode(piece, { stream: true });
      } catch {
        return charsetOf(piece, head);
      }
    }
    return 'utf-8';
  }
}

async function* unpackedBytes(packed: Readable, mostBytes: number): AsyncGenerator<Buffer> {
  const unpacking = createGunzip();
  packed.on('error', (error) => unpacking.destroy(error));
  let given = 0;
  try {
    for await (const piece of packed.pipe(unpacking)) {
      given += (piece as Buffer).length;
      if (given > mostBytes || isBomb(given, unpacking.bytesWritten)) {
        throw new UnreadableImport(TOO_LARGE);
      }
      yield piece as Buffer;
    }
  } finally {
    packed.destroy();
    unpacking.destroy();
  }
}

export function isBomb(bytes: number, packedBytes: number): boolean {
  return bytes > SMALL_BYTES && bytes > packedBytes * HIGHEST_RATIO;
}

/** Errors of zlib, and those of yauzl, which have no code. */
function isOfPacking(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'Z_';
  return code.startsWith('Z_');
}

/** Of a byte order mark, or of the zero bytes of the first two characters, which are ASCII in all formats. */
function wideCharset(head: Buffer): string | null {
  const start = head.subarray(0, 4).toString('latin1');
  if (start.startsWith('\xFF\xFE') || /^[^\0]\0[^\0]\0/.test(start)) {
    return 'utf-16le';
  }
  return start.startsWith('\xFE\xFF') || /^\0[^\0]\0[^\0]/.test(start) ? 'utf-16be' : null;
}

/** @param piece has bytes that are not UTF-8 */
function charsetOf(piece: Buffer, head: Buffer): string {
  const text = piece.toString('utf-8');
  const broken = text.split('\uFFFD').length - 1;
  // oxlint-disable-next-line no-control-regex
  if (broken * 5 < (text.match(/[^\u0000-\u007F]/g)?.length ?? 0)) {
    return 'utf-8';
  }
  const said = /(?:encoding|charset)\s*=\s*["']?\s*([\w.:-]+)/i.exec(
    head.subarray(0, 1024).toString('latin1'),
  )?.[1];
  if (said !== undefined && iconv.encodingExists(said) && !/^utf-?8$/i.test(said)) {
    return said;
  }
  const guessed = guessCharset(piece);
  return guessed !== null && iconv.encodingExists(guessed) ? guessed : 'windows-1252';
}

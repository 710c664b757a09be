import { Buffer } from 'node:buffer';
import { pipeline, type Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';

/** A file or folder as it is to be in an archive. */
export interface ZipEntry {
  /** With the folders it is in; a folder's ends in a slash. */
  readonly name: string;
  readonly mtimeSeconds: number;
  readonly sizeBytes: number;
  /** Null for a folder. */
  readonly open: (() => Readable) | null;
}

/** What the list at the end of an archive says about an entry. */
interface Listed {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly time: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
  readonly isFolder: boolean;
}

const DEFLATED = 8;
const STORED = 0;

/** Names are in UTF-8. */
const UTF8 = 0x0800;
/** Lengths and checksum come behind the content, which is not known before. */
const LENGTHS_BEHIND = 0x0008;

/** Stands in fields of 32 and 16 bits for "see the field of 64". */
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;

/** What is larger may have more than 32 bits of length, packed or not. */
const LARGE_BYTES = 4_000_000_000;

const VERSION = 20;
const VERSION_OF_64_BITS = 45;
const MADE_BY_UNIX = 3 << 8;

/**
 * An archive of any size, piece by piece (APPNOTE.TXT, with ZIP64 where it is needed). Packed fast
 * rather than small.
 */
export async function* zip(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
): AsyncGenerator<Buffer, void, undefined> {
  const listed: Listed[] = [];
  let offset = 0;
  const counted = (piece: Buffer): Buffer => {
    offset += piece.length;
    return piece;
  };
  for await (const entry of entries) {
    const isFolder = entry.open === null;
    const isLarge = entry.sizeBytes > LARGE_BYTES;
    const head = {
      name: Buffer.from(entry.name, 'utf8'),
      flags: isFolder ? UTF8 : UTF8 | LENGTHS_BEHIND,
      method: isFolder ? STORED : DEFLATED,
      time: dosTime(entry.mtimeSeconds),
      offset,
      isFolder,
    };
    yield counted(localHeader(head, isLarge));
    const sums = { crc: 0, bytes: 0, packedBytes: 0 };
    if (entry.open !== null) {
      for await (const piece of packed(entry.open(), sums)) {
        sums.packedBytes += piece.length;
        yield counted(piece);
      }
      yield counted(lengthsBehind(sums, isLarge));
    }
    listed.push({ ...head, ...sums });
  }
  const listAt = offset;
  for (const entry of listed) {
    yield counted(listEntry(entry));
  }
  yield end(listed.length, listAt, offset - listAt);
}

async function* packed(
  content: Readable,
  sums: { crc: number; bytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED });
  async function* summed() {
    for await (const piece of content as AsyncIterable<Buffer>) {
      sums.crc = crc32(piece, sums.crc);
      sums.bytes += piece.length;
      yield piece;
    }
  }
  // A failure reaches whoever reads the packed content.
  pipeline(summed, deflate, () => {});
  yield* deflate as AsyncIterable<Buffer>;
}

function localHeader(
  { name, flags, method, time }: Pick<Listed, 'name' | 'flags' | 'method' | 'time'>,
  isLarge: boolean,
): Buffer {
  const extra = isLarge ? extraOf64Bits(0, 0) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  header.writeUInt16LE(isLarge ? VERSION_OF_64_BITS : VERSION, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(time, 10);
  header.writeUInt32LE(isLarge ? MAX_32 : 0, 18);
  header.writeUInt32LE(isLarge ? MAX_32 : 0, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, name, extra]);
}

function lengthsBehind(
  { crc, packedBytes, bytes }: Pick<Listed, 'crc' | 'packedBytes' | 'bytes'>,
  isLarge: boolean,
): Buffer {
  const record = Buffer.alloc(isLarge ? 24 : 16);
  record.writeUInt32LE(0x0807_4b50, 0);
  record.writeUInt32LE(crc, 4);
  if (isLarge) {
    record.writeBigUInt64LE(BigInt(packedBytes), 8);
    record.writeBigUInt64LE(BigInt(bytes), 16);
  } else {
    record.writeUInt32LE(packedBytes, 8);
    record.writeUInt32LE(bytes, 12);
  }
  return record;
}

function listEntry(entry: Listed): Buffer {
  const { name, flags, method, time, crc, packedBytes, bytes, offset, isFolder } = entry;
  const isLarge = bytes > LARGE_BYTES || offset >= MAX_32;
  const extra = isLarge ? extraOf64Bits(bytes, packedBytes, offset) : Buffer.alloc(0);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x0201_4b50, 0);
  record.writeUInt16LE(MADE_BY_UNIX | VERSION_OF_64_BITS, 4);
  record.writeUInt16LE(isLarge ? VERSION_OF_64_BITS : VERSION, 6);
  record.writeUInt16LE(flags, 8);
  record.writeUInt16LE(method, 10);
  record.writeUInt32LE(time, 12);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(isLarge ? MAX_32 : packedBytes, 20);
  record.writeUInt32LE(isLarge ? MAX_32 : bytes, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  // Rights of Unix, and the mark of a folder for Windows.
  record.writeUInt32LE(isFolder ? 0o40755 * 0x1_0000 + 0x10 : 0o100644 * 0x1_0000, 38);
  record.writeUInt32LE(isLarge ? MAX_32 : offset, 42);
  return Buffer.concat([record, name, extra]);
}

function end(count: number, listAt: number, listBytes: number): Buffer {
  const isLarge = count >= MAX_16 || listAt + listBytes >= MAX_32;
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x0605_4b50, 0);
  record.writeUInt16LE(isLarge ? MAX_16 : count, 8);
  record.writeUInt16LE(isLarge ? MAX_16 : count, 10);
  record.writeUInt32LE(isLarge ? MAX_32 : listBytes, 12);
  record.writeUInt32LE(isLarge ? MAX_32 : listAt, 16);
  if (!isLarge) {
    return record;
  }
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x0606_4b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(MADE_BY_UNIX | VERSION_OF_64_BITS, 12);
  large.writeUInt16LE(VERSION_OF_64_BITS, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(listBytes), 40);
  large.writeBigUInt64LE(BigInt(listAt), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x0706_4b50, 0);
  locator.writeBigUInt64LE(BigInt(listAt + listBytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([large, locator, record]);
}

function extraOf64Bits(...values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) {
    extra.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  }
  return extra;
}

/** Two seconds is the finest; years are counted from 1980, 127 of them. */
function dosTime(seconds: number): number {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  if (year < 1980 || year > 2107) {
    return 0x0021_0000;
  }
  const day = ((year - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return day * 0x1_0000 + time;
}

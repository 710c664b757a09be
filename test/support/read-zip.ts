import { inflateRawSync } from 'node:zlib';

/** Names and contents of an archive, by its central directory; folders have no content. */
export function readZip(archive: Buffer): [name: string, text: string | null][] {
  const end = archive.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  const count = archive.readUInt16LE(end + 10);
  const entries: [string, string | null][] = [];
  for (let at = archive.readUInt32LE(end + 16); entries.length < count;) {
    if (archive.readUInt32LE(at) !== 0x0201_4b50) {
      throw new Error(`The list of the archive is broken at ${at}`);
    }
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const header = archive.readUInt32LE(at + 42);
    const start =
      header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const packed = archive.subarray(start, start + archive.readUInt32LE(at + 20));
    const isFolder = archive.readUInt16LE(at + 10) === 0;
    entries.push([name, isFolder ? null : inflateRawSync(packed).toString('utf8')]);
    at += 46 + nameLength + archive.readUInt16LE(at + 30);
  }
  return entries;
}

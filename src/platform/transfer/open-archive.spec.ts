import { describe, expect, it } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import { openArchive } from './open-archive.js';
import { ArchiveDamaged } from './transfer.errors.js';

interface GivenEntry {
  readonly name: string;
  readonly text?: string;
  readonly extra?: Buffer;
}

/** Extra fields without content, of four bytes each. */
const extraFields = (bytes: number) => Buffer.alloc(bytes, Buffer.from([0x42, 0x42, 0, 0]));

/** A zip, without checksums. */
function zipOf(given: readonly GivenEntry[]): Buffer {
  const contents: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, text = '', extra = Buffer.alloc(0) } of given) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(Buffer.byteLength(text), 18);
    common.writeUInt16LE(path.length, 22);
    const header = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, path, packed]);
    common.writeUInt16LE(extra.length, 24);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, path, extra);
    contents.push(header);
    at += header.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(given.length, 8);
  end.writeUInt16LE(given.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...contents, directory, end]);
}

const opened = (zip: Buffer) =>
  openArchive(zip.length, async function* (start, end) {
    yield zip.subarray(start, end);
  });

const manifest = { name: 'manifest.json', text: '{"format": "gatefold-account"}' };

async function linesIn(text: string): Promise<unknown[]> {
  const { lines } = await opened(zipOf([{ name: 'read.ndjson', text }]));
  const all: unknown[] = [];
  for await (const batch of lines('read.ndjson')) {
    all.push(...batch);
  }
  return all;
}

describe('An archive that anybody wrote', () => {
  it('may have any number of folders and files, whatever programs write beside their names', async () => {
    const folders = Array.from({ length: 300 }, (_, n) => ({
      name: n % 2 === 0 ? `${n}/` : `files/${n}.txt`,
      extra: extraFields(2048),
    }));
    const archive = await opened(zipOf([...folders, manifest]));
    expect(await archive.json('manifest.json')).toEqual({ format: 'gatefold-account' });
    let files = 0;
    for await (const { path } of archive.files()) {
      files += path.startsWith('files/') ? 1 : 0;
    }
    expect(files).toBe(150);
  });

  it('is refused with more other entries, or longer extra fields, than programs write', async () => {
    const others = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ name: `${n}.txt` }));
    await opened(zipOf([...others(99), manifest]));
    await expect(opened(zipOf([...others(100), manifest]))).rejects.toThrow(ArchiveDamaged);
    await opened(zipOf([{ ...manifest, extra: extraFields(1024) }]));
    const long = zipOf([{ ...manifest, extra: extraFields(1028) }]);
    await expect(opened(long)).rejects.toThrow(ArchiveDamaged);
  });

  it('is damaged where its list of entries or a content ends early', async () => {
    const zip = zipOf([manifest, { name: 'files/a.txt', text: 'low tide' }]);
    const shortList = Buffer.from(zip);
    shortList.write('XX', zip.lastIndexOf('PK\u0001\u0002'));
    await expect(opened(shortList)).rejects.toThrow(ArchiveDamaged);
    const broken = Buffer.from(zip);
    broken.fill(0xff, zip.indexOf('files/a.txt') + 11, zip.indexOf('PK\u0001\u0002'));
    for await (const { open } of (await opened(broken)).files()) {
      await expect(buffer(await open())).rejects.toThrow(ArchiveDamaged);
    }
  });

  it('is not called damaged while it cannot be read, and none of its files counts then', async () => {
    const zip = zipOf([manifest, { name: 'files/a.txt', text: 'low tide' }]);
    let isAway = true;
    const away = new Error('The database is away.');
    const open = () =>
      openArchive(zip.length, async function* (start, end) {
        if (isAway) {
          throw away;
        }
        yield zip.subarray(start, end);
      });
    await expect(open()).rejects.toBe(away);
    isAway = false;
    const { files } = await open();
    const reading = async () => {
      for await (const file of files()) {
        isAway = true;
        // As one who stores it, and takes every failure for its own.
        await buffer(await file.open()).catch(() => {});
      }
    };
    await expect(reading()).rejects.toBe(away);
  });

  it('is read without documents and lines that are so large that nobody writes them', async () => {
    const brackets = (bytes: number) => `[${'[],'.repeat(bytes / 3)}[]]`;
    const archive = await opened(
      zipOf([{ name: 'rules.json', text: brackets(9 * 1024 ** 2) }, manifest]),
    );
    expect(await archive.json('rules.json')).toBeUndefined();
    const texts = ['{"a":1}', brackets(600_000), '{"b":2}\r', 'no JSON', '', '{"c":3}'];
    expect(await linesIn(texts.join('\n'))).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
    expect(await linesIn(`{"a":1}\n${brackets(600_000)}`)).toEqual([{ a: 1 }]);
  });
});

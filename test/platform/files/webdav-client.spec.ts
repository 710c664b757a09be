import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Readable } from 'node:stream';
import { text as streamText } from 'node:stream/consumers';
import { createClient, type FileStat, type WebDAVClient } from 'webdav';
import { sharedService } from '../../support/shared-service.js';

const { app } = await sharedService();
let client: WebDAVClient;
beforeAll(async () => {
  const { credentials } = await app.signIn();
  client = createClient(`${app.url}/remote.php/dav/files/${credentials.userId}`, {
    username: credentials.userId,
    password: credentials.password,
  });
});

const text = async (place: string) =>
  String(await client.getFileContents(place, { format: 'text' }));

describe('the webdav package of npm', () => {
  it('creates nested folders', async () => {
    await client.createDirectory('/a/b/c', { recursive: true });

    expect(await client.exists('/a/b/c')).toBe(true);
    expect(await client.exists('/a/none')).toBe(false);
  });

  it('writes and reads text and bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));

    expect(await client.putFileContents('/a/ä & b.txt', 'tide')).toBe(true);
    await client.putFileContents('/a/bytes.bin', bytes);

    expect(await text('/a/ä & b.txt')).toBe('tide');
    const read = await client.getFileContents('/a/bytes.bin');
    expect(Buffer.from(read as ArrayBuffer)).toEqual(bytes);
  });

  it('does not overwrite if told so', async () => {
    expect(await client.putFileContents('/a/ä & b.txt', 'x', { overwrite: false })).toBe(false);
    expect(await text('/a/ä & b.txt')).toBe('tide');
  });

  it('lists and describes files', async () => {
    const list = (await client.getDirectoryContents('/a')) as FileStat[];

    expect(list.map(({ basename, type }) => [basename, type])).toEqual([
      ['b', 'directory'],
      ['bytes.bin', 'file'],
      ['ä & b.txt', 'file'],
    ]);
    expect(await client.stat('/a/bytes.bin')).toMatchObject({
      size: 256,
      mime: 'application/octet-stream',
      etag: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it('reads the quota', async () => {
    expect(await client.getQuota()).toMatchObject({ used: 260 });
  });

  it('streams, and reads ranges', async () => {
    const part = client.createReadStream('/a/ä & b.txt', { range: { start: 1, end: 2 } });

    expect(await streamText(part as Readable)).toBe('id');
  });

  it('locks and unlocks', async () => {
    const { token } = await client.lock('/a/bytes.bin');

    await expect(client.deleteFile('/a/bytes.bin')).rejects.toThrow('423');
    await client.unlock('/a/bytes.bin', token);
  });

  it('copies, moves and deletes', async () => {
    await client.copyFile('/a', '/copy');
    await client.moveFile('/copy/ä & b.txt', '/copy/b/c/moved.txt');
    await client.deleteFile('/a');

    expect(await text('/copy/b/c/moved.txt')).toBe('tide');
    expect(await client.exists('/a')).toBe(false);
  });

  it('reports errors', async () => {
    await expect(client.createDirectory('/none/here')).rejects.toThrow('409');
    await expect(client.getFileContents('/none.txt')).rejects.toThrow('404');
  });
});

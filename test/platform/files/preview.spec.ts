import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { Config } from '../../../src/common/config/config.js';
import { BlobSweep } from '../../../src/platform/files/content/blob-sweep.task.js';
import { PreviewCache } from '../../../src/platform/files/previews/preview-cache.service.js';
import { PreviewsService } from '../../../src/platform/files/previews/previews.service.js';
import { toFilePath } from '../../../src/platform/files/tree/file-path.js';
import { FilesService } from '../../../src/platform/files/tree/files.service.js';
import { DavClient } from '../../support/dav-client.js';
import { itLong } from '../../support/long.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until } from '../../support/until.js';

let app: TestApp;
let ada: DavClient;
beforeAll(async () => {
  app = await startApp({ GATEFOLD_PREVIEW_CACHE_MIB: '1', GATEFOLD_TRASH_DAYS: '0' });
  ada = new DavClient(await app.signInOnce('ada'));
  await ada.folder('/Pictures.png');
  for (const [name, bytes] of Object.entries(FILES)) {
    await ada.call('PUT', `/${name}`, { body: bytes });
  }
});
afterAll(() => app.stop());

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex');
const BMP = Buffer.from('424d3600000000000000360000002800', 'hex');
const LARGEST_BYTES = 10 * 1024 * 1024;

const FILES = {
  'tide.png': PNG,
  'tide.jpg': JPEG,
  'tide.gif': Buffer.from('GIF89a'),
  'tide.webp': Buffer.from('RIFF\u0001\u0002\u0003\u0004WEBPVP8 '),
  'tide.avif': Buffer.from('0000001c667479706176696600000000', 'hex'),
  'misnamed.png': JPEG,
  'tide.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  'tide.bmp': BMP,
  'tide.txt': Buffer.from('low tide at nine'),
  'empty.png': Buffer.alloc(0),
  'page.png': Buffer.from('<script>alert(1)</script>'),
  'bitmap.png': BMP,
  'largest.png': Buffer.concat([PNG, Buffer.alloc(LARGEST_BYTES - PNG.length)]),
  'larger.png': Buffer.concat([PNG, Buffer.alloc(LARGEST_BYTES - PNG.length + 1)]),
};

const BY_PATH = '/core/preview.png';
const BY_ID = '/core/preview';

/** Requests of clients, for a small size. */
const SIZE = 'x=32&y=32&a=1';

const idOf = async (name: string) => Number(await ada.property(`/${name}`, 'oc:fileid'));

describe('The preview of a picture, when no size is requested,', () => {
  it.each([
    ['tide.png', 'image/png'],
    ['tide.jpg', 'image/jpeg'],
    ['tide.gif', 'image/gif'],
    ['tide.webp', 'image/webp'],
    ['tide.avif', 'image/avif'],
    ['misnamed.png', 'image/jpeg'],
  ] as const)('%s is the picture itself, as %s', async (name, type) => {
    const byPath = await ada.user.get(`${BY_PATH}?file=/${name}&forceIcon=0`);
    const byId = await ada.user.get(`/index.php${BY_ID}?fileId=${await idOf(name)}`);

    expect(byPath).toMatchObject({ status: 200, headers: { 'content-type': type } });
    expect(byPath.text).toBe(FILES[name].toString());
    expect(byId).toMatchObject({ status: 200, text: byPath.text });
    expect(byId.headers['content-type']).toBe(type);
  });

  it('cannot run in a browser and is not cached for other users', async () => {
    const { headers } = await ada.user.get(`${BY_PATH}?file=tide.png`);

    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
      'cache-control': 'private, no-cache',
    });
    expect(headers['content-disposition']).toBeUndefined();
  });

  it('is sent again only after the file has changed', async () => {
    await ada.call('PUT', '/moon.png', { body: PNG });
    const ask = (etag: string) =>
      ada.user.get(`${BY_PATH}?file=/moon.png`, { headers: { 'if-none-match': etag } });
    const etag = String((await ask('"none"')).headers.etag);

    expect(await ask(etag)).toMatchObject({ status: 304, text: '' });
    await ada.call('PUT', '/moon.png', { body: JPEG });
    expect((await ask(etag)).status).toBe(200);
  });

  it('is announced in the properties of the file', async () => {
    const has = async (name: string) => ada.property(`/${name}`, 'nc:has-preview');

    expect(await has('tide.webp')).toBe('true');
    expect(await has('largest.png')).toBe('true');
    expect(await has('larger.png')).toBe('false');
    expect(await has('tide.txt')).toBe('false');
    expect(await has('tide.svg')).toBe('false');
    expect(await has('Pictures.png')).toBe('false');
  });

  it('is available up to 10 MiB', async () => {
    const { status, headers } = await ada.user.call('HEAD', `${BY_PATH}?file=/largest.png`);

    expect([status, headers['content-length']]).toEqual([200, String(LARGEST_BYTES)]);
  });
});

describe('The preview of a picture, in a requested size,', () => {
  beforeAll(async () => {
    const wide = sharp({ create: { width: 600, height: 300, channels: 3, background: '#07c' } });
    await put('wide.jpg', await wide.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer());
    await put('wide.png', await wide.clone().png().toBuffer());
    await put('wide.gif', await wide.clone().gif().toBuffer());
    await put('wide.webp', await wide.clone().webp().toBuffer());
    await put('wide.avif', await wide.clone().resize(64, 32).avif({ effort: 0 }).toBuffer());
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const seeThrough = sharp({ create: { width: 90, height: 90, channels: 4, background: clear } });
    await put('clear.png', await seeThrough.png().toBuffer());
  });

  it.each([
    ['wide.png', 'x=100&y=100&a=1', [100, 50], 'image/jpeg'],
    ['wide.png', 'x=100&y=100&a=true', [100, 50], 'image/jpeg'],
    ['wide.png', 'x=100&y=100&a=0', [100, 100], 'image/jpeg'],
    ['wide.png', 'x=100&y=80', [100, 80], 'image/jpeg'],
    ['wide.png', 'x=40', [40, 40], 'image/jpeg'],
    ['wide.png', 'x=4000&y=4000&a=1', [600, 300], 'image/jpeg'],
    ['wide.jpg', 'x=100&y=100&a=1', [50, 100], 'image/jpeg'],
    ['wide.gif', 'x=100&y=100&a=1', [100, 50], 'image/png'],
    ['wide.webp', 'x=100&y=100&a=1', [100, 50], 'image/jpeg'],
    ['wide.avif', 'x=32&y=32&a=1', [32, 16], 'image/jpeg'],
    ['clear.png', 'x=32&y=32&a=1', [32, 32], 'image/png'],
  ])('%s with %s has that size', async (name, query, expected, type) => {
    const { status, bytes, headers } = await pictureOf(`${BY_PATH}?file=/${name}&${query}`);
    const { width, height, orientation } = await sharp(bytes).metadata();

    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect([width, height, orientation]).toEqual([...expected, undefined]);
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(headers.get('oc-checksum')).toBeNull();
  });

  it('is the same for an id, and for a size that makes no sense the picture itself', async () => {
    const id = await idOf('wide.png');

    const { bytes } = await pictureOf(`${BY_ID}?fileId=${id}&x=10&y=10&a=1`);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 10, height: 5 });
    for (const odd of ['x=0&y=0', 'x=-1', 'x=none', 'a=1', 'x=1e400']) {
      const whole = await pictureOf(`${BY_ID}?fileId=${id}&${odd}`);
      expect(await sharp(whole.bytes).metadata()).toMatchObject({ width: 600 });
    }
  });

  it('is made once for requests at the same time, kept, and deleted with its picture', async () => {
    await put('twin.png', await noise(200));
    const address = `${BY_PATH}?file=/twin.png&x=50&y=50`;
    const before = await kept();

    const answers = await Promise.all(Array.from({ length: 8 }, () => pictureOf(address)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await kept()).length).toBe(before.length + 1);

    await ada.remove('/twin.png');
    await app.inside(BlobSweep).sweep(0);
    expect(await kept()).toEqual(before);
  });

  it('does not wait for all those that another user asked for before', async () => {
    await put('many.png', await noise(900));
    const other = new DavClient(await app.signIn());
    await other.call('PUT', '/one.png', { body: await noise(40) });
    const made: string[] = [];
    const asked = Array.from({ length: 60 }, async (_, n) => {
      const { status } = await pictureOf(`${BY_PATH}?file=/many.png&x=${700 + n}&y=700`);
      made.push(`ada: ${status}`);
    });
    await until('the first', () => made.length > 0);

    const { status } = await other.user.get(`${BY_PATH}?file=/one.png&x=20&y=20`);
    made.push(`other: ${status}`);
    await Promise.all(asked);

    expect(made).toContain('other: 200');
    expect(made.indexOf('other: 200')).toBeLessThan(30);
    expect(made.filter((one) => one === 'ada: 200')).toHaveLength(60);
  });

  it('is sent whole when it has to give way to others meanwhile', async () => {
    const { bytes } = await pictureOf(`${BY_PATH}?file=/wide.png&x=60&y=60`);
    const { node } = await app.inside(FilesService).locate('ada', toFilePath(['wide.png']));
    const previews = app.inside(PreviewsService);
    const { content, close } = await previews.preview(node, { width: 60, height: 60, crop: true });

    await app.inside(PreviewCache).forget(String(node.blobId));
    expect(await buffer(await content.open())).toEqual(bytes);
    await close();
  });

  itLong('is made again when it had to give way to others', async () => {
    const large = await noise(700);
    for (const name of ['1.png', '2.png', '3.png']) {
      await put(name, Buffer.concat([large, Buffer.from(name)]));
      expect((await pictureOf(`${BY_PATH}?file=/${name}&x=690&y=690`)).status).toBe(200);
    }

    expect(await kept()).not.toHaveLength(0);
    expect((await kept()).length).toBeLessThan(3 + 14);
    expect((await pictureOf(`${BY_PATH}?file=/1.png&x=690&y=690`)).status).toBe(200);
  });

  it('is 404 for pictures that are broken, truncated or bombs, and others still work', async () => {
    const whole = await noise(300);
    await put('truncated.png', whole.subarray(0, 9000));
    await put('bomb.png', await bomb(20_000));
    await put('line.png', await line(40_000));
    const crooked = Buffer.from(whole);
    crooked.fill(0xff, 16, 60);
    await put('crooked.png', crooked);

    for (const name of [
      'truncated.png',
      'bomb.png',
      'line.png',
      'crooked.png',
      'tide.png',
      'tide.avif',
    ]) {
      expect([name, (await pictureOf(`${BY_PATH}?file=/${name}&x=32&y=32`)).status]).toEqual([
        name,
        404,
      ]);
      expect((await pictureOf(`${BY_PATH}?file=/${name}&x=64&y=64`)).status).toBe(404);
    }
    expect((await pictureOf(`${BY_PATH}?file=/wide.png&x=33&y=33`)).status).toBe(200);
    expect((await kept()).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});

async function put(name: string, body: Buffer): Promise<void> {
  expect((await ada.call('PUT', `/${name}`, { body })).status).toBeLessThan(300);
}

async function pictureOf(address: string) {
  const { userId, password } = ada.user.credentials;
  const answer = await fetch(app.url + address, {
    headers: { authorization: `Basic ${btoa(`${userId}:${password}`)}` },
  });
  const { status, headers } = answer;
  return { status, headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Files in the cache of previews. */
async function kept(): Promise<string[]> {
  const root = path.join(app.inside(Config).dataDir, 'previews');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}

/** A picture that does not get small. */
async function noise(pixels: number): Promise<Buffer> {
  const random = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const create = { width: pixels, height: pixels, channels: 3, background: '#000' } as const;
  return sharp({ create: { ...create, noise: random } })
    .png()
    .toBuffer();
}

async function line(pixels: number): Promise<Buffer> {
  return sharp({ create: { width: pixels, height: 1, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
}

/** A small file with a picture of so many pixels in each direction. */
async function bomb(pixels: number): Promise<Buffer> {
  const small = await sharp({
    create: { width: 1, height: 1, channels: 3, background: '#fff' },
  })
    .png()
    .toBuffer();
  // Width and height are at the beginning of the first chunk, whose checksum follows it.
  small.writeUInt32BE(pixels, 16);
  small.writeUInt32BE(pixels, 20);
  small.writeUInt32BE(crc32(small.subarray(12, 29)), 29);
  return small;
}

describe('There is no preview', () => {
  it.each([
    'tide.svg',
    'tide.bmp',
    'tide.txt',
    'empty.png',
    'page.png',
    'bitmap.png',
    'larger.png',
    'Pictures.png',
  ])('of %s', async (name) => {
    const byPath = await ada.user.get(`${BY_PATH}?file=/${name}&${SIZE}&forceIcon=1`);
    const byId = await ada.user.get(`${BY_ID}?fileId=${await idOf(name)}&mimeFallback=1`);

    expect([byPath.status, byId.status]).toEqual([404, 404]);
    expect(byPath.headers['content-type']).toContain('xml');
  });

  it('of a missing file', async () => {
    const id = await idOf('tide.jpg');
    await ada.remove('/tide.jpg');

    expect((await ada.user.get(`${BY_ID}?fileId=${id}`)).status).toBe(404);
    expect((await ada.user.get(`${BY_ID}?fileId=0`)).status).toBe(404);
    expect((await ada.user.get(`${BY_PATH}?file=/tide.jpg`)).status).toBe(404);
    expect((await ada.user.get(`${BY_PATH}?file=`)).status).toBe(404);
    expect((await ada.user.get(`${BY_PATH}?file=../tide.png`)).status).toBe(400);
    expect((await ada.user.get(`${BY_ID}?fileId=1e300`)).status).toBe(422);
    expect((await ada.user.get(BY_ID)).status).toBe(422);
  });

  it('for other users', async () => {
    const id = await idOf('tide.png');
    const bob = await app.signInOnce('bob');

    for (const path of [`${BY_ID}?fileId=${id}`, `${BY_PATH}?file=/tide.png`]) {
      expect((await bob.get(path)).status).toBe(404);
      expect((await app.asStranger().get(path)).status).toBe(401);
    }
  });
});

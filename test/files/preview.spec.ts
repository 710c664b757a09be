import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DavClient } from '../support/dav-client.js';
import { startApp, type TestApp } from '../support/start-app.js';

let app: TestApp;
let ada: DavClient;
beforeAll(async () => {
  app = await startApp();
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

describe('The preview of a picture', () => {
  it.each([
    ['tide.png', 'image/png'],
    ['tide.jpg', 'image/jpeg'],
    ['tide.gif', 'image/gif'],
    ['tide.webp', 'image/webp'],
    ['tide.avif', 'image/avif'],
    ['misnamed.png', 'image/jpeg'],
  ] as const)('%s is the picture itself, as %s', async (name, type) => {
    const byPath = await ada.user.get(`${BY_PATH}?file=/${name}&${SIZE}`);
    const byId = await ada.user.get(`/index.php${BY_ID}?fileId=${await idOf(name)}&${SIZE}`);

    expect(byPath).toMatchObject({ status: 200, headers: { 'content-type': type } });
    expect(byPath.text).toBe(FILES[name].toString());
    expect(byId).toMatchObject({ status: 200, text: byPath.text });
    expect(byId.headers['content-type']).toBe(type);
  });

  it('cannot run in a browser and is not cached for other users', async () => {
    const { headers } = await ada.user.get(`${BY_PATH}?file=tide.png&${SIZE}`);

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

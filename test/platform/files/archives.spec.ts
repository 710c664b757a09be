import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { zip, type ZipEntry } from '../../../src/common/zip.js';
import { basic, type ApiClient } from '../../support/api-client.js';
import { DavClient } from '../../support/dav-client.js';
import { readZip } from '../../support/read-zip.js';
import { responseTo } from '../../support/response-to.js';
import { sharedService } from '../../support/shared-service.js';
import { once } from '../../support/until.js';

const { app } = await sharedService();
let ada: DavClient;
beforeAll(async () => {
  ada = new DavClient(await app.signIn());
  await ada.folder('/Shore');
  await ada.folder('/Shore/empty');
  await ada.folder(`/Shore/${encodeURIComponent('ünder')}`);
  await ada.put('/Shore/tide.txt', 'low tide at nine');
  await ada.put(`/Shore/${encodeURIComponent('ünder')}/none.txt`, '');
  await ada.put('/elsewhere.txt', 'x');
});

const OLD = '/index.php/apps/files/ajax/download.php';

const SHORE = [
  ['Shore/', null],
  ['Shore/empty/', null],
  ['Shore/tide.txt', 'low tide at nine'],
  ['Shore/ünder/', null],
  ['Shore/ünder/none.txt', ''],
];

/** Archives are binary, unlike the responses that the usual client reads. */
async function download(path: string, headers: Record<string, string> = {}) {
  const authorization = basic(ada.user.credentials);
  const response = await responseTo(
    http.get(app.url + path, { headers: { authorization, ...headers } }),
  );
  return { response, entries: readZip(await buffer(response)) };
}

describe('A folder as an archive', () => {
  it.each(['/Shore', 'Shore/', '%2FShore'])(
    'is available at the old address, as ?dir=%s',
    async (dir) => {
      const { response, entries } = await download(`${OLD}?dir=${dir}`);

      expect(response.headers).toMatchObject({
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename=Shore.zip',
      });
      expect(entries).toEqual(SHORE);
    },
  );

  it('is available at the address of older clients', async () => {
    const accept = 'application/zip';

    expect((await download(`${ada.root}/Shore`, { accept })).entries).toEqual(SHORE);
    expect((await ada.get('/Shore', { accept: '*/*' })).status).toBe(405);
    expect((await ada.get('/elsewhere.txt', { accept })).text).toBe('x');
  });

  it('answers HEAD without creating the archive', async () => {
    const { status, headers, text } = await ada.user.call('HEAD', `${OLD}?dir=/Shore`);

    expect([status, headers['content-type'], text]).toEqual([200, 'application/zip', '']);
  });

  it('of the top folder contains everything, without a folder name', async () => {
    const { entries } = await download(`${OLD}?dir=/`);

    expect(entries).toEqual([...SHORE, ['elsewhere.txt', 'x']]);
  });

  it('is available to its owner only', async () => {
    const bob = await app.signIn();
    const status = async (who: ApiClient, path: string) =>
      (await who.call('GET', path, { headers: { accept: 'application/zip' } })).status;

    expect(await status(bob, `${OLD}?dir=/Shore`)).toBe(404);
    expect(await status(bob, `${ada.root}/Shore`)).toBe(404);
    expect(await status(app.asStranger(), `${OLD}?dir=/Shore`)).toBe(401);
    expect(await status(ada.user, `${OLD}?dir=/Shore/../Shore`)).toBe(400);
    expect(await status(ada.user, OLD)).toBe(422);
  });
});

describe('zip', () => {
  const entry = (over: Partial<ZipEntry>): ZipEntry => ({
    name: 'a.txt',
    mtimeSeconds: 1_700_000_000,
    sizeBytes: 1,
    isCompressed: false,
    open: () => Readable.from([Buffer.from('a')]),
    ...over,
  });
  const pack = (...entries: readonly ZipEntry[]) => buffer(zip(Readable.from(entries)));

  it('without entries is an empty archive', async () => {
    expect(await pack()).toHaveLength(22);
  });

  it.each([-1, 0, 5_000_000_000])(
    'accepts modification times of any age: %i',
    async (mtimeSeconds) => {
      expect(readZip(await pack(entry({ mtimeSeconds })))).toEqual([['a.txt', 'a']]);
    },
  );

  it('is aborted when content cannot be read or has another size than stored', async () => {
    const broken = entry({
      open: () =>
        new Readable({
          read() {
            this.destroy(new Error('gone'));
          },
        }),
    });

    await expect(pack(broken)).rejects.toThrow('gone');
    await expect(pack(entry({ sizeBytes: 2 }))).rejects.toThrow('unexpected number of bytes');
  });

  it('closes a file whose reader has disconnected, and opens no other', async () => {
    const endless = new Readable({
      read() {
        this.push(randomBytes(64 * 1024));
      },
    });
    const next = jest.fn(() => Readable.from([]));
    const archive = zip(
      Readable.from([entry({ open: () => endless, sizeBytes: 1e12 }), entry({ open: next })]),
    );

    await once(archive, 'readable');
    archive.destroy();
    await once(endless, 'close');
    await nextTurn();

    expect(next).not.toHaveBeenCalled();
  });
});

it('Compressed types are stored, and text is compressed.', async () => {
  await ada.folder('/Mixed');
  const content = 'low tide '.repeat(5000);
  await ada.put('/Mixed/photo.jpg', content);
  await ada.put('/Mixed/notes.txt', content);
  const sizeOf = async (path: string) => {
    const headers = { authorization: basic(ada.user.credentials), accept: 'application/zip' };
    const response = await responseTo(http.get(`${app.url}${ada.root}${path}`, { headers }));
    return (await buffer(response)).length;
  };
  const both = await sizeOf('/Mixed');
  await ada.remove('/Mixed/photo.jpg');
  const text = await sizeOf('/Mixed');

  expect(both - text).toBeGreaterThan(content.length);
  expect(text).toBeLessThan(content.length / 10);
});

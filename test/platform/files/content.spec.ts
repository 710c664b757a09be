import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Config } from '../../../src/common/config/config.js';
import { StoreSettings } from '../../../src/platform/files/stores/stores.settings.js';
import { basic } from '../../support/api-client.js';
import { DavClient, readDavError } from '../../support/dav-client.js';
import { sharedService } from '../../support/shared-service.js';
import { until } from '../../support/until.js';

const TEXT = 'low tide at nine, high tide at three';

const { app } = await sharedService();
let ada: DavClient;
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  await ada.put('/tide.txt', TEXT);
});

const etagOf = async (file: string) => String(await ada.property(file, 'd:getetag'));

describe('PUT', () => {
  it('creates a file, and answers with its id and etag', async () => {
    const { status, headers } = await ada.put('/new.txt', 'new');

    expect(status).toBe(201);
    expect(headers['etag']).toBe(await etagOf('/new.txt'));
    expect(headers['oc-etag']).toBe(headers['etag']);
    expect(headers['oc-fileid']).toBe(await ada.property('/new.txt', 'oc:id'));
    expect((await ada.get('/new.txt')).text).toBe('new');
  });

  it('overwrites a file under the same id, and changes the etag of all folders above', async () => {
    await ada.folder('/deep');
    await ada.put('/deep/a.txt', 'a');
    const before = await ada.properties('/', ['d:getetag', 'oc:fileid'], '1');
    const id = await ada.property('/deep/a.txt', 'oc:fileid');

    const { status } = await ada.put('/deep/a.txt', 'longer');

    const after = await ada.properties('/', ['d:getetag', 'oc:fileid'], '1');
    const changed = before.map(({ found }, n) => found['getetag'] !== after[n]?.found['getetag']);
    expect(status).toBe(204);
    expect(await ada.property('/deep/a.txt', 'oc:fileid')).toBe(id);
    // The top folder and /deep, but not /tide.txt.
    expect(changed).toEqual([true, true, false]);
    expect(await ada.property('/', 'oc:size')).toBe(String(TEXT.length + 6));
  });

  it('stores empty files', async () => {
    expect((await ada.put('/empty', '')).status).toBe(201);
    expect((await ada.get('/empty')).text).toBe('');
    expect(await ada.property('/empty', 'd:getcontentlength')).toBe('0');
  });

  it('stores JSON and forms unchanged', async () => {
    const json = '{ "tide" : "low" }';
    await ada.put('/a.json', json, { 'content-type': 'application/json' });
    await ada.put('/form', 'a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' });

    expect((await ada.get('/a.json')).text).toBe(json);
    expect((await ada.get('/form')).text).toBe('a=1&b=2');
  });

  it('stores the modification time that the client sends', async () => {
    const { headers } = await ada.put('/old.txt', 'old', { 'x-oc-mtime': '1580000000' });

    expect(headers['x-oc-mtime']).toBe('accepted');
    expect(await ada.property('/old.txt', 'd:getlastmodified')).toBe(
      'Sun, 26 Jan 2020 00:53:20 GMT',
    );
  });

  it.each(['9'.repeat(13), '9'.repeat(40)])('takes %s seconds as the last time', async (large) => {
    await ada.put('/late.txt', 'late', { 'x-oc-mtime': large, 'oc-total-length': large });

    expect(await ada.property('/late.txt', 'd:getlastmodified')).toBe(
      'Fri, 31 Dec 9999 23:59:59 GMT',
    );
  });

  it('verifies the checksum that the client sends', async () => {
    const right = createHash('md5').update('content').digest('hex');

    const wrong = await ada.put('/sum.txt', 'content', { 'oc-checksum': `SHA1:${'0'.repeat(40)}` });
    const fine = await ada.put('/sum.txt', 'content', { 'oc-checksum': `MD5:${right}` });

    expect(wrong.status).toBe(400);
    expect(fine.status).toBe(201);
  });

  it('rejects a missing parent folder', async () => {
    const below = await ada.put('/none/a.txt', 'a');
    const inFile = await ada.put('/tide.txt/a.txt', 'a');

    expect([below.status, inFile.status]).toEqual([409, 409]);
    expect(readDavError(below).exception).toBe('Sabre\\DAV\\Exception\\Conflict');
  });

  it('rejects a folder, and a part of a file', async () => {
    await ada.folder('/folder');

    expect((await ada.put('/folder', 'a')).status).toBe(405);
    expect((await ada.put('/', 'a')).status).toBe(405);
    expect((await ada.put('/tide.txt', 'a', { 'content-range': 'bytes 0-0/9' })).status).toBe(400);
    expect((await ada.get('/tide.txt')).text).toBe(TEXT);
  });

  it('overwrites only the version that the client knows', async () => {
    const known = await etagOf('/tide.txt');

    const first = await ada.put('/tide.txt', 'mine', { 'if-match': known });
    const second = await ada.put('/tide.txt', 'theirs', { 'if-match': known });

    expect([first.status, second.status]).toEqual([204, 412]);
    expect((await ada.get('/tide.txt')).text).toBe('mine');
  });

  it('does not overwrite with If-None-Match: *', async () => {
    const taken = await ada.put('/tide.txt', 'x', { 'if-none-match': '*' });
    const free = await ada.put('/free.txt', 'x', { 'if-none-match': '*' });

    expect([taken.status, free.status]).toEqual([412, 201]);
    expect((await ada.get('/tide.txt')).text).toBe(TEXT);
  });

  it('does not create a file with If-Match', async () => {
    expect((await ada.put('/none.txt', 'x', { 'if-match': '*' })).status).toBe(412);
    expect((await ada.get('/none.txt')).status).toBe(404);
  });

  it('stores every one of many concurrent files', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `/many-${n}.txt`);

    const answers = await Promise.all(names.map((name) => ada.put(name, name)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const texts = await Promise.all(names.map(async (name) => (await ada.get(name)).text));
    expect(texts).toEqual(names);
    const bytes = names.join('').length + TEXT.length;
    expect(await ada.property('/', 'oc:size')).toBe(String(bytes));
  });

  it('stores one complete file of two concurrent ones', async () => {
    const bodies = ['a', 'b'].map((letter) => letter.repeat(100_000));

    await Promise.all(bodies.map((body) => ada.put('/both.txt', body)));

    expect(bodies).toContain((await ada.get('/both.txt')).text);
    expect(await ada.property('/', 'oc:size')).toBe(String(100_000 + TEXT.length));
  });

  it('keeps the old content, and no remainder of the new one, if the client disconnects', async () => {
    const arriving = path.join(app.inside(Config).dataDir, 'files/arriving');
    // An object store has nothing of an upload before a part of it is complete.
    const arrived = async () => (isLocal() ? (await readdir(arriving)).length : expectedBytes());
    const request = http.request(`${app.url}${ada.root}/tide.txt`, {
      method: 'PUT',
      headers: { authorization: basic(ada.user.credentials), 'content-length': '1000000' },
    });
    const gone = new Promise((resolve) => request.once('error', resolve));
    request.write('only the beginning');
    await until('the upload to arrive', async () => (await arrived()) === 1);

    request.destroy(new Error('gone'));
    await gone;
    await until('the upload to be removed', async () => (await arrived()) === 0);

    expect((await ada.get('/tide.txt')).text).toBe(TEXT);
  });
});

describe('GET', () => {
  it('returns content with its type, etag and modification time', async () => {
    const { status, headers, text } = await ada.get('/tide.txt');

    expect([status, text]).toEqual([200, TEXT]);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(TEXT.length),
      etag: await etagOf('/tide.txt'),
      'last-modified': await ada.property('/tide.txt', 'd:getlastmodified'),
      'accept-ranges': 'bytes',
    });
  });

  it('answers HEAD with the same headers', async () => {
    const { status, headers, text } = await ada.call('HEAD', '/tide.txt');

    expect([status, text]).toEqual([200, '']);
    expect(headers['content-length']).toBe(String(TEXT.length));
  });

  it.each([
    ['bytes=0-2', 'low', 'bytes 0-2/36'],
    ['bytes=-5', 'three', 'bytes 31-35/36'],
    ['bytes=31-', 'three', 'bytes 31-35/36'],
    ['bytes=31-99', 'three', 'bytes 31-35/36'],
  ])('returns the range %s', async (range, part, told) => {
    const { status, headers, text } = await ada.get('/tide.txt', { range });

    expect([status, text, headers['content-range']]).toEqual([206, part, told]);
  });

  it('returns everything for several ranges, and for units that it does not know', async () => {
    for (const range of ['bytes=0-1,5-6', 'lines=0-1', 'bytes=', 'bytes=b-a']) {
      const { status, headers, text } = await ada.get('/tide.txt', { range });
      expect([range, status, text]).toEqual([range, 200, TEXT]);
      expect(headers).not.toHaveProperty('content-range');
    }
    const joined = await ada.get('/tide.txt', { range: 'bytes=0-1,2-3' });
    expect([joined.status, joined.text]).toEqual([206, TEXT.slice(0, 4)]);
  });

  it('answers HEAD with a range with the headers of the range', async () => {
    const { status, headers, text } = await ada.call('HEAD', '/tide.txt', {
      headers: { range: 'bytes=1-4' },
    });

    expect([status, text]).toEqual([206, '']);
    expect(headers).toMatchObject({ 'content-range': 'bytes 1-4/36', 'content-length': '4' });
  });

  it('answers 412 unless the version or the time of the condition holds', async () => {
    const etag = await etagOf('/tide.txt');
    const since = String(await ada.property('/tide.txt', 'd:getlastmodified'));
    const statusWith = async (headers: Record<string, string>) =>
      (await ada.get('/tide.txt', headers)).status;

    expect(await statusWith({ 'if-match': '*' })).toBe(200);
    expect(await statusWith({ 'if-match': `"other", W/${etag}` })).toBe(200);
    expect(await statusWith({ 'if-match': '"other"', range: 'bytes=0-1' })).toBe(412);
    expect(await statusWith({ 'if-unmodified-since': since })).toBe(200);
    expect(await statusWith({ 'if-unmodified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' })).toBe(412);
    expect(await statusWith({ 'if-range': since, range: 'bytes=0-1' })).toBe(206);
    expect(
      await statusWith({ 'if-range': 'Sun, 06 Nov 1994 08:49:37 GMT', range: 'bytes=0-1' }),
    ).toBe(200);
  });

  it('rejects a range behind the end, and returns the size', async () => {
    const { status, headers } = await ada.get('/tide.txt', { range: 'bytes=36-' });

    expect([status, headers['content-range']]).toEqual([416, 'bytes */36']);
  });

  it('returns a range only of the requested version', async () => {
    const known = await etagOf('/tide.txt');
    const headers = { range: 'bytes=0-2', 'if-range': known };

    const same = await ada.get('/tide.txt', headers);
    await ada.put('/tide.txt', 'another');
    const other = await ada.get('/tide.txt', headers);

    expect([same.status, same.text]).toEqual([206, 'low']);
    expect([other.status, other.text]).toEqual([200, 'another']);
  });

  it('answers 304 for unchanged content', async () => {
    const etag = await etagOf('/tide.txt');
    const since = String(await ada.property('/tide.txt', 'd:getlastmodified'));

    expect((await ada.get('/tide.txt', { 'if-none-match': etag })).status).toBe(304);
    expect((await ada.get('/tide.txt', { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ada.get('/tide.txt', { 'if-modified-since': since })).status).toBe(304);
    expect((await ada.get('/tide.txt', { 'if-match': '"other"' })).status).toBe(412);
  });

  it('prevents content from running in a browser', async () => {
    await ada.put('/page.html', '<script>alert(1)</script>');
    await ada.put('/drawing.svg', '<svg onload="alert(1)"/>');
    await ada.put('/photo.jpg', 'x');

    for (const name of ['/page.html', '/drawing.svg', '/photo.jpg']) {
      const { headers } = await ada.get(name);
      expect(headers['content-security-policy']).toMatch(/^sandbox;/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect((await ada.get('/page.html')).headers['content-disposition']).toMatch(/^attachment/);
    expect((await ada.get('/drawing.svg')).headers['content-disposition']).toMatch(/^attachment/);
    expect((await ada.get('/photo.jpg')).headers).not.toHaveProperty('content-disposition');
  });

  it('answers HEAD of a folder with 200', async () => {
    const { status, headers } = await ada.call('HEAD', '/');

    expect([status, headers['oc-fileid']]).toEqual([200, await ada.property('/', 'oc:id')]);
  });

  it('is for files only', async () => {
    expect((await ada.get('/')).status).toBe(405);
    expect((await ada.get('/none.txt')).status).toBe(404);
  });
});

const isLocal = () => app.inside(StoreSettings).filesStore === 'folder';

/** Uploads to an object store that are in progress. */
async function expectedBytes(): Promise<number> {
  const rows = await app.database.query(
    `select from file_blob_leftover where due_at > now() + interval '1 hour'`,
  );
  return rows.length;
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { basic } from '../../support/api-client.js';
import { DavClient, readDavError } from '../../support/dav-client.js';
import { responseTo } from '../../support/response-to.js';
import { sharedService } from '../../support/shared-service.js';

const { app } = await sharedService();
let ada: DavClient;
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  await ada.folder('/a');
  await ada.put('/a/one.txt', '1');
  await ada.folder('/a/b');
  await ada.put('/a/b/two.txt', '22');
  await ada.folder('/c');
});

const size = async (place: string) => Number(await ada.property(place, 'oc:size'));
const id = (place: string) => ada.property(place, 'oc:fileid');
const etag = (place: string) => ada.property(place, 'd:getetag');

describe('MKCOL', () => {
  it('creates a folder', async () => {
    const { status, headers } = await ada.folder('/a/new');

    expect(status).toBe(201);
    expect(headers['oc-fileid']).toBe(await ada.property('/a/new', 'oc:id'));
    expect(await ada.names('/a')).toEqual(['b/', 'new/', 'one.txt']);
  });

  it('rejects an existing path, a missing parent, and a body', async () => {
    const body = await ada.call('MKCOL', '/new', { body: '<x/>' });

    expect((await ada.folder('/a')).status).toBe(405);
    expect((await ada.folder('/a/one.txt')).status).toBe(405);
    expect((await ada.folder('/')).status).toBe(405);
    expect((await ada.folder('/none/new')).status).toBe(409);
    expect((await ada.folder('/a/one.txt/new')).status).toBe(409);
    expect(body.status).toBe(415);
    expect(await ada.names('/')).toEqual(['a/', 'c/']);
  });
});

describe('DELETE', () => {
  it('deletes a folder with everything in it', async () => {
    const before = await etag('/');

    expect((await ada.remove('/a')).status).toBe(204);

    expect((await ada.get('/a/b/two.txt')).status).toBe(404);
    expect(await ada.names('/')).toEqual(['c/']);
    expect(await size('/')).toBe(0);
    expect(await etag('/')).not.toBe(before);
  });

  it('rejects the top folder and missing paths', async () => {
    expect((await ada.remove('/')).status).toBe(403);
    expect((await ada.remove('/none')).status).toBe(404);
    expect(await ada.names('/')).toEqual(['a/', 'c/']);
  });

  it('deletes only the requested version', async () => {
    const refused = await ada.call('DELETE', '/a/one.txt', { headers: { 'if-match': '"other"' } });

    expect(refused.status).toBe(412);
    expect((await ada.get('/a/one.txt')).text).toBe('1');
  });
});

describe('MOVE', () => {
  it('renames a file, which keeps its id and etag, and gets the type of its new name', async () => {
    const before = [await id('/a/one.txt'), await etag('/a/one.txt')];

    const { status, headers } = await ada.move('/a/one.txt', '/a/one.png');

    expect(status).toBe(201);
    expect(headers['oc-etag']).toBe(before[1]);
    expect([await id('/a/one.png'), await etag('/a/one.png')]).toEqual(before);
    expect(await ada.property('/a/one.png', 'd:getcontenttype')).toBe('image/png');
    expect((await ada.get('/a/one.txt')).status).toBe(404);
  });

  it('moves a folder with everything in it, and changes both parents', async () => {
    const before = [await etag('/a'), await etag('/c')];
    const content = await id('/a/b/two.txt');

    await ada.move('/a/b', '/c/moved');

    expect(await id('/c/moved/two.txt')).toBe(content);
    expect([await size('/a'), await size('/c'), await size('/')]).toEqual([1, 2, 3]);
    expect(await etag('/a')).not.toBe(before[0]);
    expect(await etag('/c')).not.toBe(before[1]);
  });

  it('overwrites the destination, unless Overwrite is F', async () => {
    await ada.put('/c/two.txt', 'other');

    const kept = await ada.move('/a/b/two.txt', '/c/two.txt', { overwrite: 'F' });
    const replaced = await ada.move('/a/b/two.txt', '/c/two.txt');

    expect([kept.status, replaced.status]).toEqual([412, 204]);
    expect((await ada.get('/c/two.txt')).text).toBe('22');
    expect(await size('/')).toBe(3);
  });

  it('accepts an absolute URL with another host, as rewritten by proxies', async () => {
    const whole = await ada.call('MOVE', '/c', {
      headers: { destination: `https://files.example${ada.root}/d%20%26/` },
    });

    expect(whole.status).toBe(201);
    expect(await ada.names('/')).toEqual(['a/', 'd &/']);
  });

  it.each([
    ['onto itself', '/a', '/a', 403],
    ['into itself', '/a', '/a/b/a', 409],
    ['onto a folder that it is in', '/a/b', '/a', 409],
    ['onto the top folder', '/a', '/', 403],
    ['from the top folder', '/', '/c/x', 403],
    ['to a folder that is missing', '/a', '/none/a', 409],
    ['of what is not there', '/none', '/c/none', 404],
  ])('rejects a move %s', async (_where, from, to, status) => {
    expect((await ada.move(from, to)).status).toBe(status);
    expect(await ada.names('/')).toEqual(['a/', 'c/']);
  });

  it('requires a destination', async () => {
    const nowhere = await ada.call('MOVE', '/a');
    const elsewhere = await ada.call('MOVE', '/a', { headers: { destination: '/elsewhere' } });
    const oddly = await ada.move('/a', '/d', { overwrite: 'perhaps' });

    expect([nowhere.status, elsewhere.status, oddly.status]).toEqual([400, 404, 400]);
    expect(readDavError(nowhere).message).toContain('Destination');
  });
});

describe('COPY', () => {
  it('creates a second file with a new id and the same properties', async () => {
    await ada.patch(
      '/a/one.txt',
      '<d:set><d:prop><x xmlns="urn:mine">blue</x><oc:favorite>1</oc:favorite></d:prop></d:set>',
    );

    const { status } = await ada.copy('/a/one.txt', '/c/one.txt');

    expect(status).toBe(201);
    expect(await id('/c/one.txt')).not.toBe(await id('/a/one.txt'));
    const [copy] = await ada.properties('/c/one.txt', ['x xmlns="urn:mine"', 'oc:favorite']);
    expect(copy?.found).toEqual({ x: 'blue', favorite: '0' });
  });

  it('separates the two files', async () => {
    await ada.copy('/a/one.txt', '/c/one.txt');
    await ada.put('/a/one.txt', 'changed');

    expect((await ada.get('/c/one.txt')).text).toBe('1');
    await ada.remove('/a/one.txt');
    expect((await ada.get('/c/one.txt')).text).toBe('1');
  });

  it('copies a folder with everything in it, or without it by Depth 0', async () => {
    await ada.copy('/a', '/c/whole');
    await ada.copy('/a', '/c/alone', { depth: '0' });

    expect((await ada.get('/c/whole/b/two.txt')).text).toBe('22');
    expect(await ada.names('/c/alone')).toEqual([]);
    expect([await size('/c/whole'), await size('/c/alone'), await size('/')]).toEqual([3, 0, 6]);
  });

  it('overwrites the destination, unless Overwrite is F', async () => {
    await ada.copy('/a/b', '/c/b');
    await ada.put('/c/b/more.txt', 'more');

    const kept = await ada.copy('/a/b', '/c/b', { overwrite: 'F' });
    const replaced = await ada.copy('/a/b', '/c/b');

    expect([kept.status, replaced.status]).toEqual([412, 204]);
    expect(await ada.names('/c/b')).toEqual(['two.txt']);
  });

  it('rejects a folder into itself, and a missing parent folder', async () => {
    expect((await ada.copy('/a', '/a/b/a')).status).toBe(409);
    expect((await ada.copy('/', '/c/all')).status).toBe(409);
    expect((await ada.copy('/a', '/none/a')).status).toBe(409);
  });
});

describe('names', () => {
  it.each(['ünïcödé.txt', 'a b+c&d#e?f%g.txt', 'quo\'te".txt', '日本語', '..txt', '<b>'])(
    'may be %s',
    async (name) => {
      const place = `/c/${encodeURIComponent(name)}`;

      expect((await ada.put(place, name)).status).toBe(201);
      expect(await ada.names('/c')).toEqual([name]);
      expect(await ada.property(place, 'd:displayname')).toBe(name);
      expect((await ada.get(place)).text).toBe(name);
    },
  );

  it('are normalised Unicode', async () => {
    await ada.put(`/c/${encodeURIComponent('u\u0308.txt')}`, 'apart');

    expect((await ada.get(`/c/${encodeURIComponent('\u00fc.txt')}`)).text).toBe('apart');
  });

  it('are case-sensitive', async () => {
    await ada.put('/c/Tide.txt', 'upper');
    await ada.put('/c/tide.txt', 'lower');

    expect(await ada.names('/c')).toEqual(['Tide.txt', 'tide.txt']);
  });

  it.each([
    ['..', '%2e%2e'],
    ['.', '%2e'],
    ['nothing but blanks', '%20%20'],
    ['a slash', 'a%2fb'],
    ['a backslash', 'a%5cb'],
    ['the end of a text', 'a%00b'],
    ['a line break', 'a%0ab'],
    ['more than 250 bytes', encodeURIComponent('ü'.repeat(126))],
  ])('cannot be %s', async (_what, encoded) => {
    for (const { status, text } of [
      await raw('PUT', `/c/${encoded}`),
      await raw('MKCOL', `/c/${encoded}`),
      await raw('PUT', `/c/${encoded}/x.txt`),
    ]) {
      expect([status, text.includes('BadRequest')]).toEqual([400, true]);
    }
    expect(await ada.names('/c')).toEqual([]);
  });
});

/** A client that sends the path unchanged; `URL` would resolve dots. */
async function raw(method: string, place: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(app.url);
  const headers = { authorization: basic(ada.user.credentials) };
  const options = {
    hostname,
    port,
    method,
    path: ada.root + place,
    headers,
    agent: false as const,
  };
  const response = await responseTo(http.request(options).end());
  return { status: response.statusCode ?? 0, text: await text(response) };
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import net from 'node:net';
import { basic } from '../../support/api-client.js';
import { DavClient, NAMESPACES, readDavError, readMultistatus } from '../../support/dav-client.js';
import { itLong } from '../../support/long.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { once, within } from '../../support/until.js';

let app: TestApp;
let ada: DavClient;
beforeAll(async () => {
  app = await startApp();
  ada = new DavClient(await app.signInOnce('ada'));
  await ada.folder('/Pictures');
  await ada.put('/Pictures/tide & moon.png', 'not really a picture');
  await ada.folder('/Pictures/old');
  await ada.put('/notes.txt', 'low tide at nine');
});
afterAll(() => app.stop());

/** A request for unknown properties. */
const askingFor = (count: number, declarations = '') =>
  `<d:propfind xmlns:d="DAV:" ${declarations}><d:prop>` +
  `${Array.from({ length: count }, (_, number) => `<p${number}/>`).join('')}</d:prop></d:propfind>`;

const propfind = (path: string, body: string, headers: Record<string, string> = {}) =>
  ada.call('PROPFIND', path, { body, headers: { depth: '0', ...headers } });

describe('PROPFIND', () => {
  it('lists a folder alone with Depth 0, and with its members with Depth 1', async () => {
    const hrefs = async (depth: string) =>
      (await ada.properties('/', ['d:getetag'], depth)).map(({ href }) => href);

    expect(await hrefs('0')).toEqual(['/remote.php/dav/files/ada/']);
    expect(await hrefs('1')).toEqual([
      '/remote.php/dav/files/ada/',
      '/remote.php/dav/files/ada/Pictures/',
      '/remote.php/dav/files/ada/notes.txt',
    ]);
  });

  it('lists the requested number of levels, depth first', async () => {
    const names = async (depth: string) =>
      (await ada.properties('/', ['d:getetag'], depth)).map(({ href }) =>
        decodeURIComponent(href.replace('/remote.php/dav/files/ada/', '')),
      );
    await ada.put('/Pictures/old/sun.png', 'yellow');

    const two = ['', 'Pictures/', 'Pictures/old/', 'Pictures/tide & moon.png', 'notes.txt'];
    expect(await names('2')).toEqual(two);
    for (const depth of ['infinity', '99999', '9'.repeat(40)]) {
      expect(await names(depth)).toEqual(two.toSpliced(3, 0, 'Pictures/old/sun.png'));
    }
    expect((await ada.call('PROPFIND', '/', { headers: { depth: '-1' } })).status).toBe(400);
    await ada.remove('/Pictures/old/sun.png');
  });

  it('shows the properties of a file that clients request', async () => {
    const [file] = await ada.properties('/Pictures/tide%20%26%20moon.png', [
      'd:getetag',
      'd:getcontenttype',
      'd:getcontentlength',
      'd:resourcetype',
      'd:displayname',
      'oc:permissions',
      'oc:size',
      'oc:favorite',
      'oc:owner-id',
      'oc:owner-display-name',
      'oc:share-types',
      'oc:checksums',
      'oc:comments-unread',
      'nc:has-preview',
      'nc:mount-type',
      'nc:is-encrypted',
      'nc:creation_time',
    ]);

    expect(file?.found).toEqual({
      getetag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      getcontenttype: 'image/png',
      getcontentlength: '20',
      resourcetype: '',
      displayname: 'tide & moon.png',
      permissions: 'RGDNVW',
      size: '20',
      favorite: '0',
      'owner-id': 'ada',
      'owner-display-name': 'ada',
      'share-types': '',
      checksums: {
        checksum: `SHA1:${createHash('sha1').update('not really a picture').digest('hex')}`,
      },
      'comments-unread': '0',
      'has-preview': 'true',
      'mount-type': '',
      'is-encrypted': '0',
      creation_time: '0',
    });
  });

  it('shows the properties of a folder that clients request', async () => {
    const [folder] = await ada.properties('/Pictures', [
      'd:resourcetype',
      'd:getcontenttype',
      'd:quota-used-bytes',
      'd:quota-available-bytes',
      'oc:permissions',
      'oc:size',
      'nc:contained-folder-count',
      'nc:contained-file-count',
    ]);

    expect(folder?.found).toEqual({
      resourcetype: { collection: '' },
      'quota-used-bytes': '20',
      'quota-available-bytes': String(10 * 1024 ** 3 - 36),
      permissions: 'RGDNVCK',
      size: '20',
      'contained-folder-count': '1',
      'contained-file-count': '1',
    });
    expect(folder?.statuses['getcontenttype']).toBe(404);
  });

  it('accepts the id of a file with and without the id of the installation', async () => {
    const { id, fileid } = await ada.known('/notes.txt', ['oc:id', 'oc:fileid']);
    const ofTop = await ada.property('/', 'oc:id');

    expect(id).toMatch(new RegExp(`^0*${String(fileid)}gf[0-9a-f]{10}$`));
    expect(String(ofTop).slice(-12)).toBe(String(id).slice(-12));
  });

  it('answers 404 for unknown properties', async () => {
    const answer = await propfind(
      '/notes.txt',
      '<p:propfind xmlns:p="DAV:"><p:prop><p:getetag/><p:nope/><color xmlns="urn:mine"/></p:prop></p:propfind>',
    );

    const [file] = readMultistatus(answer);
    expect(file?.statuses).toEqual({ getetag: 200, nope: 404, color: 404 });
    expect(answer.text).toContain('<x:color xmlns:x="urn:mine"/>');
  });

  it('returns the usual properties for allprop, with a body or without', async () => {
    const without = await ada.call('PROPFIND', '/notes.txt', { headers: { depth: '0' } });
    const asked = await propfind('/notes.txt', '<propfind xmlns="DAV:"><allprop/></propfind>');

    expect(readMultistatus(without)[0]?.found).toMatchObject({ getcontentlength: '16' });
    expect(readMultistatus(without)[0]?.found).not.toHaveProperty('permissions');
    expect(asked.text).toBe(without.text);
  });

  it('adds the properties in include to allprop', async () => {
    const [file] = readMultistatus(
      await propfind(
        '/notes.txt',
        `<d:propfind ${NAMESPACES}><d:allprop/><d:include><oc:permissions/></d:include></d:propfind>`,
      ),
    );

    expect(file?.found).toMatchObject({ getcontentlength: '16', permissions: 'RGDNVW' });
  });

  it('returns property names for propname', async () => {
    const [file] = readMultistatus(
      await propfind('/notes.txt', '<propfind xmlns="DAV:"><propname/></propfind>'),
    );

    expect(file?.found).toMatchObject({ getetag: '', permissions: '' });
    expect(file?.found).not.toHaveProperty('quota-used-bytes');
  });

  it.each([
    ['no XML', 'tide'],
    ['XML that is not closed', '<propfind xmlns="DAV:">'],
    ['another request', '<lockinfo xmlns="DAV:"/>'],
    ['a prefix that stands for nothing', '<d:propfind><d:allprop/></d:propfind>'],
    ['a prefix that stands for the empty', '<d:propfind xmlns:d=""><d:allprop/></d:propfind>'],
    [
      'entities of its own',
      '<!DOCTYPE p [<!ENTITY e "eee">]><propfind xmlns="DAV:"><allprop/></propfind>',
    ],
    ['hundreds of levels', `${'<a>'.repeat(500)}${'</a>'.repeat(500)}`],
    ['two prefixes', '<d:propfind xmlns:d="DAV:"><d:prop><d:a:b/></d:prop></d:propfind>'],
  ])('rejects %s', async (_what, body) => {
    const answer = await propfind('/', body);

    expect([answer.status, readDavError(answer).exception]).toEqual([
      400,
      'Sabre\\DAV\\Exception\\BadRequest',
    ]);
  });

  it.each([
    ['thousands of levels', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`],
    ['more than 128 KiB', `<a>${' '.repeat(128 * 1024)}</a>`],
    ['thousands of properties', askingFor(6000)],
  ])('does not read %s', async (_what, body) => {
    const answer = await propfind('/', body);

    expect([answer.status, readDavError(answer).exception]).toEqual([
      413,
      'Sabre\\DAV\\Exception\\EntityTooLarge',
    ]);
  });

  it('is fast with many prefixes, which apply to every element', async () => {
    const prefixes = Array.from({ length: 900 }, (_, number) => `xmlns:n${number}="u"`);

    const answer = await propfind('/', askingFor(900, prefixes.join(' ')));

    expect(answer.status).toBe(207);
  });

  it('rejects an invalid Depth', async () => {
    expect((await propfind('/', '', { depth: 'deep' })).status).toBe(400);
  });

  it('answers 404 for a missing path with a message', async () => {
    const answer = await propfind('/none.txt', '');

    expect(answer.status).toBe(404);
    expect(readDavError(answer)).toEqual({
      exception: 'Sabre\\DAV\\Exception\\NotFound',
      message: 'There is no file or folder "/none.txt".',
    });
  });

  it('lists a folder of thousands, each once and in order', async () => {
    const count = 2500;
    await ada.folder('/many');
    await app.database.query(
      `insert into file_node (user_id, parent_id, name, is_folder, mime, etag, mtime_seconds)
       select 'ada', id, 'f' || n, true, 'httpd/unix-directory', 'e', 0
         from file_node, generate_series(1, $1::int) n where user_id = 'ada' and name = 'many'`,
      [count],
    );

    const names = await ada.names('/many');

    expect(names).toHaveLength(count);
    expect(new Set(names).size).toBe(count);
    await ada.remove('/many');
  });

  itLong('does not let a slow reader block others', async () => {
    await ada.folder('/slow');
    await app.database.query(
      `insert into file_node (user_id, parent_id, name, is_folder, mime, etag, mtime_seconds)
       select 'ada', id, repeat('f', 200) || n, true, 'httpd/unix-directory', 'e', 0
         from file_node, generate_series(1, 5000) n where user_id = 'ada' and name = 'slow'`,
    );
    const authorization = basic(ada.user.credentials);
    const readers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { hostname, port } = new URL(app.url);
        const reader = net.connect(Number(port), hostname);
        reader.write(
          `PROPFIND ${ada.root}/slow HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`,
        );
        await once(reader, 'readable');
        return reader;
      }),
    );

    const names = await within('a list beside them', ada.names('/Pictures')).finally(() =>
      readers.forEach((reader) => reader.destroy()),
    );

    expect(names).toHaveLength(2);
    await ada.remove('/slow');
  });
});

describe('the addresses of files', () => {
  it('show the same files at the old address', async () => {
    const old = new DavClient(ada.user, '/remote.php/webdav');

    expect((await old.get('/notes.txt')).text).toBe('low tide at nine');
    expect((await old.properties('/', ['oc:size'], '1')).map(({ href }) => href)).toEqual([
      '/remote.php/webdav/',
      '/remote.php/webdav/Pictures/',
      '/remote.php/webdav/notes.txt',
    ]);
  });

  it('contain the prefix of the public address, and accept it', async () => {
    const prefixed = await startApp({ GATEFOLD_BASE_URL: 'https://example.org/cloud' });
    const files = new DavClient(
      await prefixed.signInOnce('eve'),
      '/cloud/remote.php/dav/files/eve',
    );
    await files.put('/a.txt', 'a');

    const moved = await files.call('MOVE', '/a.txt', {
      headers: { destination: 'https://example.org/cloud/remote.php/dav/files/eve/b.txt' },
    });
    const hrefs = (await files.properties('/', ['oc:size'], '1')).map(({ href }) => href);

    expect(moved.status).toBe(201);
    expect(hrefs).toEqual([
      '/cloud/remote.php/dav/files/eve/',
      '/cloud/remote.php/dav/files/eve/b.txt',
    ]);
    await prefixed.stop();
  });

  it('answer OPTIONS with the supported verbs', async () => {
    const { status, headers } = await ada.call('OPTIONS', '/');

    expect(status).toBe(200);
    expect(headers).toMatchObject({ dav: '1, 2, 3', 'ms-author-via': 'DAV' });
    expect(headers.allow).toContain('PROPFIND');
  });

  it('reject other verbs', async () => {
    const { status, headers } = await ada.call('POST', '/notes.txt', { body: 'x' });

    expect(status).toBe(405);
    expect(headers.allow).toContain('PUT');
  });
});

describe('REPORT filter-files', () => {
  const report = (path: string, rules: string) =>
    ada.call('REPORT', path, {
      body:
        `<oc:filter-files ${NAMESPACES}><d:prop><oc:favorite/></d:prop>` +
        `<oc:filter-rules>${rules}</oc:filter-rules></oc:filter-files>`,
    });

  it('lists favorites in a folder and everywhere below', async () => {
    await ada.patch(
      '/Pictures/old',
      '<d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set>',
    );
    const hrefs = async (path: string) =>
      readMultistatus(await report(path, '<oc:favorite>1</oc:favorite>')).map(({ href }) => href);

    expect(await hrefs('/')).toEqual(['/remote.php/dav/files/ada/Pictures/old/']);
    expect(await hrefs('/Pictures')).toEqual(['/remote.php/dav/files/ada/Pictures/old/']);
    await ada.folder('/elsewhere');
    expect(await hrefs('/elsewhere')).toEqual([]);
    await ada.remove('/elsewhere');
  });

  it('returns the same properties as a listing', async () => {
    await ada.folder('/a');
    await ada.folder('/a/b');
    await ada.put('/a/b/c.txt', 'c');
    await ada.call('LOCK', '/a', {
      body: '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope></lockinfo>',
    });
    const asked = '<d:lockdiscovery/><nc:contained-file-count/>';
    await app.database.query(`update file_node set favorite = true where name = 'b'`);

    const answer = await ada.call('REPORT', '/a', {
      body:
        `<oc:filter-files ${NAMESPACES}><d:prop>${asked}</d:prop>` +
        '<oc:filter-rules><oc:favorite>1</oc:favorite></oc:filter-rules></oc:filter-files>',
    });

    const [favorite] = readMultistatus(answer);
    expect(favorite?.found).toMatchObject({
      lockdiscovery: { activelock: [{ lockroot: { href: '/remote.php/dav/files/ada/a/' } }] },
      'contained-file-count': '1',
    });
  });

  it('rejects other rules', async () => {
    expect((await report('/', '<oc:systemtag>1</oc:systemtag>')).status).toBe(415);
  });
});

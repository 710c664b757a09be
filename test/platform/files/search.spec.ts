import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/api-client.js';
import { DavClient, NAMESPACES, readDavError, readMultistatus } from '../../support/dav-client.js';
import { itLong } from '../../support/long.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';

let app: TestApp;
let ada: DavClient;
let bob: DavClient;
beforeAll(async () => {
  app = await startApp();
  ada = new DavClient(await app.signInOnce('ada'));
  bob = new DavClient(await app.signInOnce('bob'));
  await ada.folder('/Shore');
  await ada.folder('/Shore/old%20100%25');
  await ada.put('/Shore/tide.txt', 'low tide at nine', { 'x-oc-mtime': '1700000000' });
  await ada.put('/Shore/moon.png', 'x');
  await ada.put('/Shore/old%20100%25/TIDE_1.txt', '');
  await ada.put('/Shore/old%20100%25/sun.png', 'yellow');
  await ada.put('/tide.txt', 'elsewhere');
  await ada.patch('/Shore/moon.png', favorite);
  await bob.put('/tide.txt', 'of bob');
});
afterAll(() => app.stop());

const favorite = '<d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set>';

interface Search {
  readonly scope?: string;
  readonly depth?: string;
  readonly more?: string;
}

function send(user: TestUser, where: string, search: Search = {}): Promise<Answer> {
  const { scope = '/files/ada/Shore', depth = 'infinity', more = '' } = search;
  return user.call('SEARCH', '/remote.php/dav/', {
    headers: { 'content-type': 'text/xml' },
    body:
      `<?xml version='1.0' encoding='us-ascii'?><d:searchrequest ${NAMESPACES}><d:basicsearch>` +
      '<d:select><d:prop><oc:fileid /><oc:id /><d:getetag /></d:prop></d:select>' +
      `<d:from><d:scope><d:href>${scope}</d:href><d:depth>${depth}</d:depth></d:scope></d:from>` +
      `<d:where>${where}</d:where>${more}</d:basicsearch></d:searchrequest>`,
  });
}

/** Paths below the searched folder, folders with a slash, by id. */
async function find(where: string, search: Search = {}): Promise<string[]> {
  const found = readMultistatus(await send(ada.user, where, search));
  return found.map(({ href }) => decodeURIComponent(href).replace(`${ada.root}/`, ''));
}

const condition = (operator: string, property: string, literal: string | number) =>
  `<d:${operator}><d:prop><${property} /></d:prop><d:literal>${literal}</d:literal></d:${operator}>`;

const named = (name: string) => condition('eq', 'd:displayname', name);

describe('SEARCH', () => {
  it('finds by the full name, in a folder and everything below', async () => {
    expect(await find(named('tide.txt'))).toEqual(['Shore/tide.txt']);
    expect(await find(named('tide.txt'), { scope: '/files/ada' })).toEqual([
      'Shore/tide.txt',
      'tide.txt',
    ]);
    expect(await find(named('no such'))).toEqual([]);
  });

  it('finds by a part of the name, case-insensitively, never the folder itself', async () => {
    const like = (pattern: string) => find(condition('like', 'd:displayname', pattern));

    expect(await like('tide%')).toEqual(['Shore/tide.txt', 'Shore/old 100%/TIDE_1.txt']);
    expect(await like('%o%')).toEqual(['Shore/old 100%/', 'Shore/moon.png']);
    expect(await like('sho%')).toEqual([]);
    expect(await like('tide\\')).toEqual([]);
  });

  it.each([
    ['type', condition('like', 'd:getcontenttype', 'image/%'), ['moon.png', 'old 100%/sun.png']],
    ['size', condition('gt', 'oc:size', 6), ['tide.txt']],
    ['least size', condition('gte', 'd:getcontentlength', 6), ['tide.txt', 'old 100%/sun.png']],
    ['smallness', condition('lt', 'oc:size', 1), ['old 100%/TIDE_1.txt']],
    ['favorite', condition('eq', 'oc:favorite', 1), ['moon.png']],
    [
      'lack of favour',
      condition('eq', 'oc:favorite', 0),
      ['tide.txt', 'old 100%/TIDE_1.txt', 'old 100%/sun.png'],
    ],
    ['age in seconds', condition('lt', 'd:getlastmodified', 1_700_000_001), ['tide.txt']],
    ['age', condition('lt', 'd:getlastmodified', '2023-11-14T22:13:21+00:00'), ['tide.txt']],
    [
      'age without zone',
      condition('lt', 'd:getlastmodified', '2023-11-14 22:13:21.123456'),
      ['tide.txt'],
    ],
  ])('finds by %s', async (_what, where, names) => {
    // The size of a folder is the sum of its files.
    const files = `<d:and>${where}<d:not><d:is-collection /></d:not></d:and>`;

    expect(await find(files)).toEqual(names.map((name) => `Shore/${name}`));
    expect(await find('<d:is-collection />')).toEqual(['Shore/old 100%/']);
  });

  it('combines conditions', async () => {
    const images = condition('like', 'd:getcontenttype', 'image/%');
    const texts = condition('like', 'd:getcontenttype', 'text/%');
    const filled = condition('gt', 'oc:size', 0);
    const or = `<d:or><d:and>${filled}${images}</d:and>${texts}</d:or>`;

    expect(await find(or)).toHaveLength(4);
    expect(await find(`<d:and>${or}<d:not>${named('moon.png')}</d:not></d:and>`)).toHaveLength(3);
    expect(await find('')).toHaveLength(5);
  });

  it('finds by the plain id and by oc:id', async () => {
    const { fileid, id } = await ada.known('/Shore/moon.png', ['oc:fileid', 'oc:id']);
    const byId = (literal: unknown, scope: string) =>
      find(condition('eq', 'oc:fileid', String(literal)), { scope });

    expect(await byId(fileid, '/files/ada/')).toEqual(['Shore/moon.png']);
    expect(await byId(id, '/files/ada/')).toEqual(['Shore/moon.png']);
    expect(await byId(fileid, '/files/ada/Shore/old%20100%25')).toEqual([]);
    expect(await byId('99999999999999999999', '/files/ada/')).toEqual([]);
    expect(await byId('no id', '/files/ada/')).toEqual([]);
  });

  it.each([
    '/files/ada/Shore/old 100%',
    '/files/ada/Shore/old%20100%25/',
    'files/ada/Shore/old%20100%25',
    '/remote.php/dav/files/ada/Shore/old%20100%25',
    'https://host.example/remote.php/dav/files/ada/Shore/old%20100%25',
  ])('accepts the scope in the form of %s', async (scope) => {
    expect(await find(named('sun.png'), { scope })).toEqual(['Shore/old 100%/sun.png']);
  });

  it('observes the depth', async () => {
    expect(await find('', { depth: '1' })).toHaveLength(3);
    expect(await find('', { depth: '0' })).toEqual(['Shore/']);
  });

  it('returns the requested order and number', async () => {
    const order = (direction: string) =>
      `<d:orderby><d:order><d:prop><d:displayname/></d:prop><d:${direction}/></d:order></d:orderby>`;
    const few = '<d:limit><d:nresults>2</d:nresults></d:limit>';

    expect(await find('', { more: order('descending') + few })).toEqual([
      'Shore/tide.txt',
      'Shore/old 100%/sun.png',
    ]);
    expect(await find('', { more: order('ascending') + few })).toEqual([
      'Shore/old 100%/TIDE_1.txt',
      'Shore/moon.png',
    ]);
  });

  it('takes the date of a photo for its date of change, as photo apps ask from version 31', async () => {
    const taken = 'nc:metadata-photos-original_date_time';
    const order = `<d:orderby><d:order><d:prop><${taken}/></d:prop><d:descending/></d:order></d:orderby>`;

    expect(await find(condition('lt', taken, '1700000001.0'))).toEqual(['Shore/tide.txt']);
    expect((await find('', { more: order })).at(-1)).toBe('Shore/tide.txt');
  });

  itLong('finds each of many nodes once', async () => {
    await ada.folder('/Many');
    // Beyond the 500 that are read at once; each copy doubles them.
    for (let nodes = 1; nodes < 512; nodes *= 2) {
      await ada.copy('/Many', '/twin');
      await ada.move('/twin', `/Many/${nodes}`);
    }

    const byName = '<d:orderby><d:order><d:prop><d:displayname/></d:prop></d:order></d:orderby>';
    for (const more of ['', byName]) {
      const found = await find('<d:is-collection/>', { scope: '/files/ada/Many', more });

      expect(new Set(found).size).toBe(511);
      expect(found).toHaveLength(511);
    }
  });

  it.each([
    ['no body', ''],
    ['another document', '<propfind xmlns="DAV:"/>'],
    ['a property that is not searched by', condition('eq', 'oc:checksums', 'x')],
    ['a condition that there is not', condition('near', 'd:displayname', 'x')],
    ['a size that is none', condition('gt', 'oc:size', 'large')],
    ['a time that is none', condition('gt', 'd:getlastmodified', 'yesterday')],
    ['too many conditions', named('x').repeat(101)],
  ])('rejects %s', async (_what, where) => {
    const answer = where.startsWith('<d:')
      ? await send(ada.user, where)
      : await ada.user.call('SEARCH', '/remote.php/dav', { body: where });

    expect(answer.status).toBe(400);
    expect(readDavError(answer).exception).toBe('Sabre\\DAV\\Exception\\BadRequest');
  });

  it('finds nothing of other users, whether or not it exists', async () => {
    const scope = '/files/bob';
    const byAda = await send(ada.user, named('tide.txt'), { scope });
    const ofNobody = await send(ada.user, named('tide.txt'), { scope: '/files/nobody' });

    expect([byAda.status, ofNobody.status]).toEqual([404, 404]);
    expect(readMultistatus(await send(bob.user, '', { scope }))).toHaveLength(1);
    expect((await send(app.asStranger() as TestUser, '')).status).toBe(401);
  });
});

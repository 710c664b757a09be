import { describe, expect, it } from '@jest/globals';
import { UiContributionsOffer } from '../../src/common/ports/ui-contributions.js';
import { UserDirectory, type Account } from '../../src/common/ports/user-directory.js';
import { twoKnownApps } from '../support/two-known-apps.js';

const STATE = '/api/v1/ui/initial-state';
const SCRIPT = '/api/v1/ui/script';
const STYLE = '/api/v1/ui/style';

const { gateway, app, other } = await twoKnownApps();

const page = { type: 'top_menu', name: 'page' };

describe('ui/initial-state', () => {
  it.each([
    ['an empty list', []],
    ['an empty object', {}],
    ['lists and objects in each other', { a: [{}, [], { b: [1, '2', null, true, 0.5] }], ä: '🦊' }],
  ])('[G61] returns %s as sent', async (_what, value) => {
    const answer = await app.as().ocs('POST', STATE, { json: { ...page, key: 'kind', value } });
    const read = await app.as().ocs('GET', STATE, { query: { ...page, key: 'kind' } });

    expect(answer).toMatchObject({ statuscode: 100, data: [] });
    expect(read.data).toEqual({ id: expect.any(Number), appid: 'a1', ...page, key: 'kind', value });
    expect(JSON.stringify(read.data)).toContain(`"value":${JSON.stringify(value)}`);
  });

  it('has no zero byte, which would make lists of all registrations fail', async () => {
    const json = { ...page, key: 'zero', value: { a: ['\0'] } };

    expect((await app.as().ocs('POST', STATE, { json })).statuscode).toBe(400);
    json.value.a = [String.raw`\u0000`];
    expect((await app.as().ocs('POST', STATE, { json })).statuscode).toBe(100);
  });

  it('[G63] is overwritten when set again', async () => {
    const key = 'again';
    await app.as().ocs('POST', STATE, { json: { ...page, key, value: { k1: 1, k2: 2 } } });
    const first = (await app.as().ocs('GET', STATE, { query: { ...page, key } })).data;

    await app.as().ocs('POST', STATE, { json: { ...page, key, value: { k1: 'v1' } } });

    const second = (await app.as().ocs('GET', STATE, { query: { ...page, key } })).data;
    expect(second).toEqual({ ...(first as object), value: { k1: 'v1' } });
  });

  it('rejects a value that is neither a list nor an object, and a missing one', async () => {
    const answer = (value: unknown) =>
      app.as().ocs('POST', STATE, { json: { ...page, key: 'k', value } });

    expect(await answer('text')).toMatchObject({
      statuscode: 400,
      message: 'The parameter "value" must be a list or an object.',
    });
    expect(await answer(undefined)).toMatchObject({
      statuscode: 400,
      message: 'The parameter "value" is missing.',
    });
  });
});

describe('ui/script', () => {
  it('[G64] is found with and without the leading slash of its path', async () => {
    const json = { ...page, path: '/js/x', afterAppId: 'core' };
    await app.as().ocs('POST', SCRIPT, { json });

    for (const path of ['js/x', '/js/x']) {
      expect((await app.as().ocs('GET', SCRIPT, { query: { ...page, path } })).data).toEqual({
        id: expect.any(Number),
        appid: 'a1',
        ...page,
        path: 'js/x',
        after_app_id: 'core',
      });
    }
    const removed = await app.as().ocs('DELETE', SCRIPT, { query: { ...page, path: '/js/x' } });
    expect(removed).toMatchObject({ statuscode: 100, data: [] });
  });

  it('has no predecessor by default', async () => {
    await app.as().ocs('POST', SCRIPT, { json: { ...page, path: 'js/first' } });

    const { data } = await app.as().ocs('GET', SCRIPT, { query: { ...page, path: 'js/first' } });
    expect(data).toMatchObject({ after_app_id: '' });
  });
});

describe('resources of a page', () => {
  const resources = [
    { path: STATE, key: { ...page, key: 'shared' }, rest: { value: [] }, name: 'InitialState' },
    { path: SCRIPT, key: { ...page, path: 'js/shared' }, rest: {}, name: 'Script' },
    { path: STYLE, key: { ...page, path: 'css/shared' }, rest: {}, name: 'Style' },
  ];

  it.each(resources)(
    '[G62] $name may be registered before its menu entry',
    async ({ path, key, rest }) => {
      const json = { ...key, ...rest, name: 'not-yet' };

      expect((await app.as().ocs('POST', path, { json })).statuscode).toBe(100);
    },
  );

  it.each(resources)('$name is unknown until registered', async ({ path, key, name }) => {
    const missing = { statuscode: 404, message: `No such ${name}`, data: [] };
    const query = { ...key, name: 'unknown' };

    expect(await app.as().ocs('GET', path, { query })).toMatchObject(missing);
    expect(await app.as().ocs('DELETE', path, { query })).toMatchObject(missing);
  });

  it.each(resources)('$name is private to its app', async ({ path, key, rest }) => {
    await app.as().ocs('POST', path, { json: { ...key, ...rest } });

    expect((await other.as().ocs('GET', path, { query: key })).statuscode).toBe(404);
    expect((await other.as().ocs('DELETE', path, { query: key })).statuscode).toBe(404);
    expect((await app.as().ocs('DELETE', path, { json: key })).statuscode).toBe(100);
  });

  it.each([
    [STATE, { type: 't'.repeat(17), name: 'n', key: 'k', value: [] }, 'type', 16],
    [STATE, { ...page, name: 'n'.repeat(33), key: 'k', value: [] }, 'name', 32],
    [STATE, { ...page, key: 'k'.repeat(65), value: [] }, 'key', 64],
    [SCRIPT, { ...page, path: 'p'.repeat(411) }, 'path', 410],
    [SCRIPT, { ...page, path: 'p', afterAppId: 'p'.repeat(33) }, 'afterAppId', 32],
    [STYLE, { ...page, path: 'p'.repeat(411) }, 'path', 410],
  ])(
    '%s names field and limit of a value that is too long: %#',
    async (path, json, name, limit) => {
      expect(await app.as().ocs('POST', path, { json })).toMatchObject({
        statuscode: 400,
        message: `The parameter "${name}" must have at most ${limit} characters.`,
      });
    },
  );
});

describe('the page of a menu entry', () => {
  const pageOf = async (name: string) => {
    const account = (await gateway.inside(UserDirectory).find('admin')) as Account;
    return gateway.inside(UiContributionsOffer).required.page(account, 'a1', name);
  };

  it('[G65] loads scripts and styles through the proxy, in the order of registration', async () => {
    const name = 'files';
    await app.as().ocs('POST', '/api/v1/ui/top-menu', { json: { name, displayName: 'Files' } });
    for (const path of ['/js/x', 'js/a']) {
      await app.as().ocs('POST', SCRIPT, { json: { ...page, name, path } });
    }
    await app.as().ocs('POST', STYLE, { json: { ...page, name, path: 'css/y' } });
    await app.as().ocs('POST', SCRIPT, { json: { ...page, name: 'files2', path: 'js/other' } });

    expect(await pageOf(name)).toMatchObject({
      scriptPaths: [
        '/index.php/apps/app_api/proxy/a1/js/x.js',
        '/index.php/apps/app_api/proxy/a1/js/a.js',
      ],
      stylePaths: ['/index.php/apps/app_api/proxy/a1/css/y.css'],
    });
  });

  it('[G66] has its initial states by their keys, as JSON text', async () => {
    const name = 'states';
    await app.as().ocs('POST', '/api/v1/ui/top-menu', { json: { name, displayName: 'States' } });
    await app.as().ocs('POST', STATE, { json: { ...page, name, key: 'a', value: { n: 1 } } });
    await app.as().ocs('POST', STATE, { json: { ...page, name, key: 'b', value: [] } });

    expect((await pageOf(name))?.initialStates).toEqual([
      { key: 'a', text: '{"n":1}' },
      { key: 'b', text: '[]' },
    ]);
  });

  it('is 404 without a menu entry', async () => {
    await app.as().ocs('POST', SCRIPT, { json: { ...page, name: 'no-menu', path: 'js/x' } });

    expect(await pageOf('no-menu')).toBeNull();
  });
});

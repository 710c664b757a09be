import { beforeAll, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { UiContributionsOffer } from '../../src/common/ports/ui-contributions.js';
import { UserDirectory, type Account } from '../../src/common/ports/user-directory.js';
import { toOcs } from '../support/external-app.js';
import { type TestUser } from '../support/start-app.js';
import { twoKnownApps } from '../support/two-known-apps.js';

const MENU = '/api/v1/ui/top-menu';

const { gateway, app, other } = await twoKnownApps();
let ada: TestUser;

beforeAll(async () => {
  ada = await gateway.signInOnce('ada');
});

const register = (json: object) => app.as().ocs('POST', MENU, { json });
const read = (name: string) => app.as().ocs('GET', MENU, { query: { name } });

describe('ui/top-menu', () => {
  it('[G53] has no icon and is for everybody by default', async () => {
    expect(await register({ name: 'plain', displayName: 'Plain' })).toMatchObject({
      httpStatus: 200,
      statuscode: 100,
      message: 'OK',
      data: [],
    });

    expect((await read('plain')).data).toEqual({
      id: expect.any(Number),
      appid: 'a1',
      name: 'plain',
      display_name: 'Plain',
      icon: '',
      admin_required: 0,
    });
  });

  it('[G54] stores icons without the leading slash', async () => {
    await register({ name: 'icon', displayName: 'Icon', icon: '/img/x.svg' });

    expect((await read('icon')).data).toMatchObject({ icon: 'img/x.svg' });
  });

  it('[G55] keeps only its id when registered again', async () => {
    await register({ name: 'again', displayName: 'One', icon: 'i.svg', adminRequired: 1 });
    const first = (await read('again')).data as { id: number };

    await register({ name: 'again', displayName: 'Two' });

    expect((await read('again')).data).toMatchObject({
      id: first.id,
      display_name: 'Two',
      icon: '',
      admin_required: 0,
    });
  });

  it('accepts both spellings of every parameter, and flags in any form', async () => {
    await register({ name: 'snake', display_name: 'Snake', admin_required: 'true' });

    expect((await read('snake')).data).toMatchObject({ display_name: 'Snake', admin_required: 1 });
  });

  it('[G56] [G57] answers 404 for an unknown entry', async () => {
    const missing = { statuscode: 404, message: 'No such Top Menu entry', data: [] };

    expect(await read('nowhere')).toMatchObject(missing);
    expect(await app.as().ocs('DELETE', MENU, { query: { name: 'nowhere' } })).toMatchObject(
      missing,
    );
  });

  it('[G26] [G27] answers an unknown entry with HTTP 200 below v1, and with HTTP 404 below v2', async () => {
    const at = async (root: string) =>
      toOcs(
        await app.as().call('GET', `/ocs/${root}.php/apps/app_api${MENU}`, {
          query: { name: 'nowhere', format: 'json' },
        }),
      );

    const failure = { status: 'failure', statuscode: 404, data: [] };
    expect(await at('v1')).toMatchObject({ httpStatus: 200, ...failure });
    expect(await at('v2')).toMatchObject({ httpStatus: 404, ...failure });
  });

  it('[G34] [G35] is unregistered by a name in the query or in the body', async () => {
    await register({ name: 'one', displayName: 'One' });
    await register({ name: 'two', displayName: 'Two' });

    expect(await app.as().ocs('DELETE', MENU, { query: { name: 'one' } })).toMatchObject({
      statuscode: 100,
      data: [],
    });
    expect(await app.as().ocs('DELETE', MENU, { json: { name: 'two' } })).toMatchObject({
      statuscode: 100,
    });
    expect((await read('one')).statuscode).toBe(404);
    expect((await read('two')).statuscode).toBe(404);
  });

  it('[G58] is deleted with its initial states, scripts and styles, and no others', async () => {
    for (const name of ['gone', 'gone2']) {
      const page = { type: 'top_menu', name };
      await register({ name, displayName: name });
      await app.as().ocs('POST', '/api/v1/ui/initial-state', {
        json: { ...page, key: 'k', value: {} },
      });
      await app.as().ocs('POST', '/api/v1/ui/script', { json: { ...page, path: 'js/x' } });
      await app.as().ocs('POST', '/api/v1/ui/style', { json: { ...page, path: 'css/y' } });
    }

    await app.as().ocs('DELETE', MENU, { query: { name: 'gone' } });

    const resources = async (name: string) => {
      const page = { type: 'top_menu', name };
      const found = await Promise.all([
        app.as().ocs('GET', '/api/v1/ui/initial-state', { query: { ...page, key: 'k' } }),
        app.as().ocs('GET', '/api/v1/ui/script', { query: { ...page, path: 'js/x' } }),
        app.as().ocs('GET', '/api/v1/ui/style', { query: { ...page, path: 'css/y' } }),
      ]);
      return found.map(({ statuscode }) => statuscode);
    };
    expect(await resources('gone')).toEqual([404, 404, 404]);
    expect(await resources('gone2')).toEqual([100, 100, 100]);
  });

  it('keeps the scripts of an entry that is not registered', async () => {
    const script = { type: 'top_menu', name: 'early', path: 'js/early' };
    await app.as().ocs('POST', '/api/v1/ui/script', { json: script });

    expect((await app.as().ocs('DELETE', MENU, { query: { name: 'early' } })).statuscode).toBe(404);

    expect((await app.as().ocs('GET', '/api/v1/ui/script', { query: script })).statuscode).toBe(
      100,
    );
  });

  it('is private to its app', async () => {
    await register({ name: 'mine', displayName: 'Mine' });

    const theirs = await other.as().ocs('GET', MENU, { query: { name: 'mine' } });
    expect(theirs.statuscode).toBe(404);
    expect((await other.as().ocs('DELETE', MENU, { json: { name: 'mine' } })).statuscode).toBe(404);
    expect((await read('mine')).statuscode).toBe(100);
  });

  it.each([
    [{ displayName: 'No name' }, 'The parameter "name" is missing.'],
    [{ name: '', displayName: 'x' }, 'The parameter "name" must not be empty.'],
    [
      { name: 'n'.repeat(33), displayName: 'x' },
      'The parameter "name" must have at most 32 characters.',
    ],
    [
      { name: 'x', display_name: 'n'.repeat(33) },
      'The parameter "displayName" must have at most 32 characters.',
    ],
    [
      { name: 'a\u0001b', displayName: 'x' },
      'The parameter "name" must not contain control characters.',
    ],
    [
      { name: 'x', displayName: 'x', adminRequired: 'maybe' },
      'The parameter "adminRequired" must be 0 or 1.',
    ],
  ])('rejects %j with the reason', async (json, message) => {
    expect(await register(json)).toMatchObject({ httpStatus: 200, statuscode: 400, message });
  });

  it('counts code points', async () => {
    const flags = '🦊'.repeat(32);

    expect((await register({ name: 'fox', displayName: flags })).statuscode).toBe(100);
    expect((await read('fox')).data).toMatchObject({ display_name: flags });
  });

  it('[G36] is the same under both roots and at the bare path', async () => {
    const json = { name: 'roots', displayName: 'Roots' };
    for (const root of ['/ocs/v1.php', '/ocs/v2.php', '']) {
      const path = `${root}/apps/app_api${MENU}`;
      const posted = await app.as().call('POST', path, { json });
      const got = await app.as().call('GET', path, { query: { name: 'roots' } });

      expect(posted.status).toBe(200);
      expect(toOcs(got)).toMatchObject({ data: { name: 'roots' } });
    }
  });

  it('is not for users', async () => {
    const json = { name: 'user', displayName: 'User' };

    expect((await ada.call('POST', `/ocs/v1.php/apps/app_api${MENU}`, { json })).status).toBe(401);
  });
});

describe('the menu of users', () => {
  const menuOf = async (user: TestUser, query = {}) => {
    const answer = await user.get('/ocs/v2.php/core/navigation/apps', {
      query: { format: 'json', ...query },
    });
    return toOcs(answer).data as { id: string; href: string; icon: string }[];
  };
  const pageFor = async (userId: string, name: string) => {
    const account = (await gateway.inside(UserDirectory).find(userId)) as Account;
    return gateway.inside(UiContributionsOffer).required.page(account, 'a1', name);
  };

  it('has entries in the format of the host’s clients', async () => {
    await register({ name: 'menu', displayName: 'My menu', icon: '/img/menu.svg' });

    const entry = (await menuOf(ada)).find(({ id }) => id === 'app_api_a1_menu');

    expect(entry).toEqual({
      id: 'app_api_a1_menu',
      app: 'a1',
      order: expect.any(Number),
      href: '/index.php/apps/app_api/embedded/a1/menu',
      icon: '/index.php/apps/app_api/proxy/a1/img/menu.svg',
      type: 'link',
      name: 'My menu',
      active: false,
      classes: '',
      unread: 0,
    });
  });

  it('has absolute addresses at the requested host', async () => {
    await register({ name: 'absolute', displayName: 'Absolute' });

    const entries = await menuOf(ada, { absolute: 'true' });

    const entry = entries.find(({ id }) => id === 'app_api_a1_absolute');
    expect(entry?.href).toBe(`${gateway.url}/index.php/apps/app_api/embedded/a1/absolute`);
    const icon = await gateway.asStranger().get((entry?.icon ?? '').replace(gateway.url, ''));
    expect(icon.headers['content-type']).toMatch('image/svg+xml');
  });

  it('[G59] shows entries for administrators to administrators only', async () => {
    await register({ name: 'admins', displayName: 'Admins', adminRequired: 1 });

    const ids = async (user: TestUser) => (await menuOf(user)).map(({ id }) => id);
    expect(await ids(ada)).not.toContain('app_api_a1_admins');
    expect(await ids(gateway.asAdmin())).toContain('app_api_a1_admins');
    expect(await pageFor('ada', 'admins')).toBeNull();
    expect(await pageFor('admin', 'admins')).not.toBeNull();
  });

  it('[G60] hides the entries of a disabled app until it is enabled', async () => {
    await register({ name: 'onoff', displayName: 'On and off' });
    const apps = gateway.inside(ExAppsRepository);
    const shown = async () => (await menuOf(ada)).some(({ id }) => id === 'app_api_a1_onoff');

    await apps.setEnabled('a1', false);
    const whileDisabled = [await shown(), await pageFor('ada', 'onoff')];
    await apps.setEnabled('a1', true);

    expect(whileDisabled).toEqual([false, null]);
    expect(await shown()).toBe(true);
    expect(await pageFor('ada', 'onoff')).not.toBeNull();
  });

  it('is available to an app on behalf of its user', async () => {
    await register({ name: 'viaapp', displayName: 'Via app' });

    const answer = await app.as('ada').call('GET', '/ocs/v2.php/core/navigation/apps');

    expect(toOcs(answer).data).toContainEqual(expect.objectContaining({ name: 'Via app' }));
  });

  it('requires credentials', async () => {
    const answer = await gateway.asStranger().get('/ocs/v2.php/core/navigation/apps');

    expect(answer.status).toBe(401);
  });
});

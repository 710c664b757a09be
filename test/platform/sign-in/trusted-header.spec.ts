import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Sessions } from '../../../src/common/ports/sessions.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { SessionsService } from '../../../src/platform/sign-in/sessions/sessions.service.js';
import { TrustedHeaderSettings } from '../../../src/platform/sign-in/trusted-header/trusted-header.settings.js';
import { loadConfig } from '../../../src/settings.js';
import { basic, type Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { useOtherSettings, withOtherSettings } from '../../support/other-settings.js';
import { startApp, type TestApp } from '../../support/start-app.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const EDIT = '/ocs/v2.php/cloud/users/';
const PASSWORD = 'a password of the tests';

let app: TestApp;
let count = 0;
let userId: string;
let browser: Browser;

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  GATEFOLD_TRUSTED_LOGIN_HEADER: 'Remote-User',
  // The specs are the peer of the connection.
  GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
  ...more,
});

beforeAll(async () => {
  app = await startApp(settings());
});
afterAll(() => app?.stop());
beforeEach(async () => {
  userId = `person-${count++}`;
  browser = new Browser(app.url);
  await app.addUser(userId, PASSWORD);
});

const named = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'remote-user': name, ...more },
});

function idIn({ json }: Answer): unknown {
  return (json as { ocs?: { data?: { id?: string } } } | undefined)?.ocs?.data?.id;
}

describe('a trusted proxy', () => {
  it('names the user, and a session begins', async () => {
    const first = await browser.get(SELF, named(userId));
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    const second = await browser.get(SELF, named(userId));

    expect([idIn(first), idIn(second)]).toEqual([userId, userId]);
    expect(cookie).toMatch(/^gatefold_session=\S+; .*HttpOnly; SameSite=Lax$/);
    expect(second.headers['set-cookie']).toBeUndefined();
    expect(await app.inside(SessionsService).list(userId)).toMatchObject([{ provider: 'header' }]);
  });

  it('skips the login page', async () => {
    const answer = await browser.get('/login?redirect_url=/apps/files/', named(userId));

    expect([answer.status, answer.headers.location]).toEqual([303, '/apps/files/']);
  });

  it('replaces the session when it names another user', async () => {
    await app.addUser(`${userId}-b`, PASSWORD);
    await browser.get(SELF, named(userId));

    const other = await browser.get(SELF, named(`${userId}-b`));

    expect(idIn(other)).toBe(`${userId}-b`);
    expect(idIn(await browser.get(SELF))).toBe(`${userId}-b`);
  });

  it('reuses the session of a program without cookies', async () => {
    for (let time = 0; time < 3; time++) {
      await app.asStranger().get(SELF, named(userId));
    }

    expect(await app.inside(SessionsService).list(userId)).toHaveLength(1);
  });

  it('gets a new session when the former was revoked', async () => {
    await browser.get(SELF, named(userId));
    const [session] = await app.inside(SessionsService).list(userId);
    await app.inside(SessionsService).revoke(userId, session?.id ?? 0);

    const without = await browser.get(SELF);
    const again = await browser.get(SELF, named(userId));

    expect(without.status).toBe(401);
    expect(idIn(again)).toBe(userId);
  });

  it('does not replace the CSRF token', async () => {
    const edit = { key: 'displayname', value: 'Changed' };
    const put = (headers: Readonly<Record<string, string>>) =>
      browser.call('PUT', EDIT + userId, { ...named(userId, headers), json: edit });
    await browser.get(SELF, named(userId));

    const without = await put({});
    const elsewhere = await put({ origin: 'https://evil.example' });
    const withToken = await put({ requesttoken: await requestToken() });

    expect([without.status, elsewhere.status, withToken.status]).toEqual([412, 401, 200]);
  });

  it('does not override explicit credentials', async () => {
    const own = await browser.get(
      SELF,
      named('admin', { authorization: basic({ userId, password: PASSWORD }) }),
    );
    const wrong = await browser.get(
      SELF,
      named(userId, { authorization: basic({ userId, password: 'wrong' }) }),
    );

    expect([own.status, idIn(own), wrong.status]).toEqual([200, userId, 401]);
    expect(browser.cookies.size).toBe(0);
  });

  it.each(['nobody', 'a b', '', 'admin, person', '../admin'])(
    'who names "%s" names nobody',
    async (name) => {
      const answer = await browser.get(SELF, named(name));

      expect(answer.status).toBe(401);
      expect(browser.cookies.size).toBe(0);
      await expect(app.inside(UsersService).show('nobody')).rejects.toThrow('There is no user');
    },
  );

  it('does not log in to a disabled account', async () => {
    await browser.get(SELF, named(userId));
    await app.inside(UsersService).disable(userId);

    expect((await browser.get(SELF, named(userId))).status).toBe(401);
    expect((await new Browser(app.url).get(SELF, named(userId))).status).toBe(401);
  });

  it('is ignored in other headers', async () => {
    expect((await browser.get(SELF, { headers: { remote_user: userId } })).status).toBe(401);
  });
});

describe('a trusted proxy that may create users', () => {
  useOtherSettings(
    () => app.inside(TrustedHeaderSettings),
    () => ({ createAccounts: true }),
  );

  it('creates accounts, also concurrently, and none for invalid names', async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => new Browser(app.url).get(SELF, named(`${userId}-new`))),
    );

    expect(answers.map(idIn)).toEqual(Array(3).fill(`${userId}-new`));
    expect((await browser.get(SELF, named('a b'))).status).toBe(401);
  });

  it('does not log in to a disabled account', async () => {
    await app.inside(UsersService).disable(userId);

    expect((await browser.get(SELF, named(userId))).status).toBe(401);
  });
});

describe('anybody else', () => {
  const trust = (proxies: string) =>
    app.app.set('trust proxy', [
      ...loadConfig({ GATEFOLD_TRUSTED_PROXIES: proxies }).trustedProxies,
    ]);
  beforeAll(() => {
    trust('10.1.0.0/16');
  });
  afterAll(() => {
    trust(settings().GATEFOLD_TRUSTED_PROXIES);
  });

  it.each([
    ['nothing else', {}],
    ['an address of the proxy', { 'x-forwarded-for': '10.1.0.1' }],
    ['a forwarded address of the proxy', { forwarded: 'for=10.1.0.1', 'x-real-ip': '10.1.0.1' }],
  ])('who sends the header and %s is a stranger', async (_what, headers) => {
    const answer = await browser.get(SELF, named('admin', headers));

    expect(answer.status).toBe(401);
    expect(browser.cookies.size).toBe(0);
  });

  it('keeps their session', async () => {
    await browser.login({ userId, password: PASSWORD });

    expect(idIn(await browser.get(SELF, named('admin')))).toBe(userId);
  });
});

describe('the settings', () => {
  it('require trusted proxies with the header', () => {
    expect(() => loadConfig({ GATEFOLD_TRUSTED_LOGIN_HEADER: 'Remote-User' })).toThrow(
      'GATEFOLD_TRUSTED_LOGIN_HEADER needs GATEFOLD_TRUSTED_PROXIES to be set, too.',
    );
  });

  it('have no header by default', async () => {
    const { header } = loadConfig({}).of(TrustedHeaderSettings);

    await withOtherSettings(app.inside(TrustedHeaderSettings), { header }, async () => {
      expect((await app.asStranger().get(SELF, named('admin'))).status).toBe(401);
    });
  });
});

/** As requested by the host's page. */
async function requestToken(): Promise<string> {
  const cookie = `gatefold_session=${browser.cookies.get('gatefold_session')}`;
  const session = await app.inside(Sessions).identify({ headers: { cookie }, ip: '' });
  return session?.requestToken ?? '';
}

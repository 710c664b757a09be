import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { Sessions } from '../../../src/common/ports/sessions.js';
import { GroupsService } from '../../../src/platform/accounts/groups/groups.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { OidcSettings } from '../../../src/platform/sign-in/oidc.settings.js';
import { IdentityProvider } from '../../../src/platform/sign-in/oidc/identity-provider.service.js';
import { loadConfig } from '../../../src/settings.js';
import type { Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import {
  CLIENT,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../../support/identity-provider.js';
import { useOtherSettings, withOtherSettings } from '../../support/other-settings.js';
import { startApp, type TestApp } from '../../support/start-app.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';

let provider: TestIdentityProvider;
let app: TestApp;
let browser: Browser;
let count = 0;
/** A new user at the provider. */
let personId: string;
let userId: string;

const settings = () => ({
  // The provider may have a private address.
  GATEFOLD_FETCH_ALLOW_PRIVATE: '',
  GATEFOLD_OIDC_ISSUER: provider.issuer,
  GATEFOLD_OIDC_CLIENT_ID: CLIENT.id,
  GATEFOLD_OIDC_CLIENT_SECRET: CLIENT.secret,
  GATEFOLD_OIDC_NAME: 'Campus <1>',
});

beforeAll(async () => {
  provider = await startIdentityProvider();
  app = await startApp(settings());
  provider.accept(app.url);
});
afterAll(async () => {
  await app?.stop();
  await provider?.stop();
});
beforeEach(() => {
  browser = new Browser(app.url);
  personId = `id-${count}`;
  userId = `person-${count++}`;
  provider.people.set(personId, { preferred_username: userId, name: 'Ada Lovelace' });
});

/** The running service has these settings for a describe block. */
function withSettings(more: Readonly<Record<string, string>>): void {
  useOtherSettings(
    () => app.inside(OidcSettings),
    () => loadConfig({ ...settings(), ...more }).of(OidcSettings),
  );
}

/** Logs in up to the redirect from the provider, which is not followed. */
async function untilTheWayBack(id = personId, redirectUrl = ''): Promise<string> {
  const begun = await browser.get('/login/oidc', { query: { redirect_url: redirectUrl } });
  expect(begun.status).toBe(303);
  const back = await provider.login(begun.headers.location ?? '', id);
  expect(back).toMatch(new RegExp(`^${app.url}/login/oidc/callback\\?`));
  return back.slice(app.url.length);
}

async function login(id = personId, redirectUrl = ''): Promise<Answer> {
  return browser.get(await untilTheWayBack(id, redirectUrl));
}

/** As requested by the host's page. */
async function requestToken(): Promise<string> {
  const cookie = `gatefold_session=${browser.cookies.get('gatefold_session')}`;
  const session = await app.inside(Sessions).identify({ headers: { cookie }, ip: '' });
  return session?.requestToken ?? '';
}

async function whoAmI(): Promise<Record<string, unknown> | undefined> {
  const { json } = await browser.get(SELF);
  return (json as { ocs: { data: Record<string, unknown> } } | undefined)?.ocs.data;
}

describe('with an identity provider', () => {
  it('the login page has a link to it, and keeps the redirect target', async () => {
    const { text } = await browser.get('/login?redirect_url=/apps/files/');

    expect(text).toContain('href="/login/oidc?redirect_url=%2Fapps%2Ffiles%2F"');
    expect(text).toContain('Log in with Campus &lt;1&gt;');
  });

  it('the redirect has state, nonce and PKCE', async () => {
    const { headers } = await browser.get('/login/oidc');
    const target = new URL(headers.location ?? '');

    expect(target.origin).toBe(provider.issuer);
    expect(Object.fromEntries(target.searchParams)).toMatchObject({
      client_id: CLIENT.id,
      response_type: 'code',
      redirect_uri: `${app.url}/login/oidc/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/.{20}/),
      nonce: expect.stringMatching(/.{20}/),
      code_challenge: expect.stringMatching(/.{20}/),
      code_challenge_method: 'S256',
    });
    expect(headers['set-cookie']?.[0]).toMatch(
      /^gatefold_oidc=\S+; Max-Age=900; Path=\/login\/oidc; .*HttpOnly; SameSite=Lax$/,
    );
  });

  it('a proof that it is still the user makes the provider ask again', async () => {
    const promptOf = async (path: string) =>
      new URL((await browser.get(path)).headers.location ?? '').searchParams.get('prompt');

    expect(await promptOf('/login/oidc?again=1')).toBe('login');
    expect(await promptOf('/login/oidc')).toBeNull();
  });

  it('a new user gets an account, and is redirected to the requested page', async () => {
    provider.people.set(personId, {
      preferred_username: userId,
      name: 'Ada Lovelace',
      email: 'ada@example.org',
    });

    const answer = await login(personId, '/apps/files/?a=1');

    expect([answer.status, answer.headers.location]).toEqual([303, '/apps/files/?a=1']);
    expect(await whoAmI()).toMatchObject({
      id: userId,
      displayname: 'Ada Lovelace',
      email: 'ada@example.org',
      groups: [],
    });
    expect(browser.cookies.has('gatefold_oidc')).toBe(false);
  });

  it('redirects to no other site', async () => {
    expect((await login(personId, '//evil.example/')).headers.location).toBe('/apps/news/');
  });

  it('identifies renamed users, and keeps their accounts', async () => {
    await login();
    provider.people.set(personId, { preferred_username: 'admin', name: 'Somebody else' });
    browser = new Browser(app.url);

    await login();

    expect(await whoAmI()).toMatchObject({ id: userId, displayname: 'Somebody else' });
  });

  describe('name and email', () => {
    const users = () => app.inside(UsersService);
    const tell = (more: object) =>
      provider.people.set(personId, { preferred_username: userId, ...more });
    const lovelace = { name: 'Ada Lovelace', email: 'ada@example.org' };
    const king = { name: 'Ada King', email: 'king@example.org' };

    async function shownAfterLogin(): Promise<readonly unknown[]> {
      await login();
      const shown = await whoAmI();
      return [shown?.['displayname'], shown?.['email']];
    }

    it('are updated from the provider with each login', async () => {
      tell(lovelace);
      await login();
      tell(king);

      expect(await shownAfterLogin()).toEqual(['Ada King', 'king@example.org']);
    });

    it('are each kept if changed here', async () => {
      tell(lovelace);
      await login();
      await users().changeDisplayName(userId, 'Countess');
      tell(king);

      expect(await shownAfterLogin()).toEqual(['Countess', 'king@example.org']);
      tell(lovelace);
      expect(await shownAfterLogin()).toEqual(['Countess', 'ada@example.org']);
    });

    it('are updated again once both are equal', async () => {
      tell(lovelace);
      await login();
      await users().changeDisplayName(userId, 'Ada King');
      tell(king);
      await login();
      tell(lovelace);

      expect(await shownAfterLogin()).toEqual(['Ada Lovelace', 'ada@example.org']);
    });

    it('are kept if the provider sends none or invalid ones', async () => {
      tell(lovelace);
      await login();
      tell({ name: ' \u0007 ', email: 'no address' });

      expect(await shownAfterLogin()).toEqual(['Ada Lovelace', 'ada@example.org']);
    });

    it('are set once the provider sends them', async () => {
      tell({});
      expect(await shownAfterLogin()).toEqual([userId, null]);
      tell(lovelace);

      expect(await shownAfterLogin()).toEqual(['Ada Lovelace', 'ada@example.org']);
    });

    it('of other users are not changed', async () => {
      await app.addUser(`other-${userId}`, 'a password of the tests');
      tell(king);
      await login();

      expect(await users().show(`other-${userId}`)).toMatchObject({
        displayName: `other-${userId}`,
        email: null,
      });
    });
  });

  it.each(['admin', 'ADMIN'])('does not match existing accounts by name: %s', async (name) => {
    provider.people.set(personId, { preferred_username: name });

    const answer = await login();

    expect(answer.status).toBe(403);
    expect(answer.text).toContain('An account with your name already exists');
    expect((await browser.get(SELF)).status).toBe(401);
  });

  it('does not match the account of a former holder of the name', async () => {
    await login();
    const successor = `${personId}-successor`;
    provider.people.set(successor, { preferred_username: userId });
    browser = new Browser(app.url);

    expect((await login(successor)).status).toBe(403);
    expect((await browser.get(SELF)).status).toBe(401);
  });

  it.each([
    ['cannot be a user name', { preferred_username: 'a b' }],
    ['stands for a folder in addresses', { preferred_username: '..' }],
    ['is missing', {}],
    ['is no text', { preferred_username: { admin: true } }],
  ])('refuses who has a name that %s', async (_why, claims) => {
    provider.people.set(personId, claims);

    const answer = await login();

    expect(answer.status).toBe(403);
    expect(answer.text).toContain('sent no valid user name');
  });

  it('rejects a disabled account, and ends its sessions', async () => {
    await login();
    await app.inside(UsersService).disable(userId);
    const before = await browser.get(SELF);

    const answer = await login();

    expect(before.status).toBe(401);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('Your account is disabled.');
    expect((await browser.get(SELF)).status).toBe(401);
  });

  it('removes the link with the account', async () => {
    await login();
    await app.inside(UsersService).delete(userId);

    await login();

    expect(await whoAmI()).toMatchObject({ id: userId });
  });

  it('gives accounts a random password', async () => {
    await login();

    for (const password of ['', userId, personId, 'any']) {
      const attempt = new Browser(app.url);
      expect((await attempt.login({ userId, password })).status).toBe(403);
    }
  });

  it('keeps administrator rights', async () => {
    await login();
    await app.inside(UsersService).makeAdministrator(userId);

    await login();

    expect(await whoAmI()).toMatchObject({ groups: ['admin'] });
  });

  it('logs out there, too, and returns to the login page', async () => {
    await login();
    const requesttoken = await requestToken();

    const { status, headers } = await browser.get('/logout', { query: { requesttoken } });
    const target = new URL(headers.location ?? '');

    expect(status).toBe(303);
    expect(target.origin).toBe(provider.issuer);
    expect(target.searchParams.get('post_logout_redirect_uri')).toBe(`${app.url}/login`);
    expect(target.searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect((await fetch(target)).status).toBe(200);
    expect((await browser.get(SELF)).status).toBe(401);
  });

  it('does not log out there after a login by password', async () => {
    await app.addUser(userId, 'a password of the tests');
    await browser.login({ userId, password: 'a password of the tests' });

    const requesttoken = await requestToken();
    const { headers } = await browser.get('/logout', { query: { requesttoken } });

    expect(headers.location).toBe('/login');
  });

  describe('the redirect back', () => {
    it('is rejected in another browser', async () => {
      const back = await untilTheWayBack();

      const answer = await new Browser(app.url).get(back);

      expect(answer.status).toBe(400);
      expect(answer.text).toContain('was started in another browser');
      expect(answer.headers['set-cookie'] ?? []).toEqual([]);
    });

    it('is valid once', async () => {
      const back = await untilTheWayBack();
      const begun = new Map(browser.cookies);
      await browser.get(back);
      const replayed = new Browser(app.url);
      begun.forEach((value, name) => replayed.cookies.set(name, value));

      expect((await browser.get(back)).status).toBe(400);
      expect((await replayed.get(back)).status).toBe(400);
      expect(replayed.cookies.has('gatefold_session')).toBe(false);
    });

    it('is valid once for a provider that accepts its codes again', async () => {
      const back = await untilTheWayBack();
      const begun = new Map(browser.cookies);
      const replayed = new Browser(app.url);
      begun.forEach((value, name) => replayed.cookies.set(name, value));
      const redeem = app.inside(IdentityProvider);
      const redeemed = jest.spyOn(redeem, 'redeem');
      await browser.get(back);
      const [first] = redeemed.mock.results;
      redeemed.mockReturnValueOnce(first?.value as ReturnType<IdentityProvider['redeem']>);

      expect((await replayed.get(back)).status).toBe(400);
      expect(replayed.cookies.has('gatefold_session')).toBe(false);
      redeemed.mockRestore();
    });

    it.each([
      ['state', 'of another user'],
      ['code', 'of another user'],
      ['iss', 'https://evil.example'],
    ])('is refused with another %s', async (name, value) => {
      const back = new URL(await untilTheWayBack(), app.url);
      back.searchParams.set(name, value);

      const answer = await browser.get(back.pathname + back.search);

      expect(answer.status).toBe(400);
      expect(answer.text).toContain('could not be verified');
      expect(browser.cookies.has('gatefold_session')).toBe(false);
    });

    it('reports a rejected login', async () => {
      const begun = await browser.get('/login/oidc');
      const state = new URL(begun.headers.location ?? '').searchParams.get('state') ?? '';

      const answer = await browser.get('/login/oidc/callback', {
        query: { error: 'access_denied', state, iss: provider.issuer },
        headers: { 'accept-language': 'de' },
      });

      expect(answer.status).toBe(403);
      expect(answer.text).toContain('Campus &lt;1&gt; hat dich nicht angemeldet.');
    });
  });
});

describe('with GATEFOLD_OIDC_CREATE_ACCOUNTS=off', () => {
  withSettings({ GATEFOLD_OIDC_CREATE_ACCOUNTS: 'off' });

  it('new users are rejected', async () => {
    const answer = await login();

    expect(answer.status).toBe(403);
    expect(answer.text).toContain('You do not have an account here yet.');
    await expect(app.inside(UsersService).show(userId)).rejects.toThrow('There is no user');
  });
});

describe('with GATEFOLD_OIDC_LINK_ACCOUNTS=on', () => {
  withSettings({ GATEFOLD_OIDC_LINK_ACCOUNTS: 'on' });

  it('the first login is linked to the account of that name, later ones are not', async () => {
    await app.addUser(userId, 'a password of the tests');
    await login();
    const first = await whoAmI();
    const second = `${personId}-second`;
    provider.people.set(second, { preferred_username: userId });
    browser = new Browser(app.url);

    const answer = await login(second);

    expect(first).toMatchObject({ id: userId });
    expect(answer.status).toBe(403);
  });
});

describe('with GATEFOLD_OIDC_ADMIN_GROUP and another claim for names', () => {
  withSettings({
    GATEFOLD_OIDC_ADMIN_GROUP: 'staff',
    GATEFOLD_OIDC_USER_CLAIM: 'name',
    GATEFOLD_OIDC_LINK_ACCOUNTS: 'on',
  });

  const isPerson = (groups: unknown, name = userId) =>
    provider.people.set(personId, { preferred_username: 'another', name, groups });

  it.each([
    ['a list', ['users', 'staff'], ['admin']],
    ['one word', 'staff', ['admin']],
    ['others', ['users', 'staffing'], []],
    ['nothing', undefined, []],
  ])('the rights follow groups given as %s', async (_how, groups, rights) => {
    isPerson(groups);

    await login();

    expect(await whoAmI()).toMatchObject({ id: userId, groups: rights });
  });

  it('the rights are revoked with the next login after leaving the group', async () => {
    isPerson(['staff']);
    await login();
    isPerson([]);
    await login();

    expect(await whoAmI()).toMatchObject({ groups: [] });
  });

  it('the last administrator keeps the rights', async () => {
    const users = app.inside(UsersService);
    for (const { userId: other, isAdmin } of await users.listAll()) {
      if (isAdmin && other !== 'admin') {
        await users.unmakeAdministrator(other);
      }
    }
    isPerson([], 'admin');

    await login();

    expect(await whoAmI()).toMatchObject({ id: 'admin', groups: ['admin'] });
  });
});

describe('with GATEFOLD_OIDC_FOLLOW_GROUPS=on', () => {
  withSettings({
    GATEFOLD_OIDC_FOLLOW_GROUPS: 'on',
    GATEFOLD_OIDC_GROUPS_CLAIM: 'roles',
    GATEFOLD_OIDC_GROUP_PREFIX: 'id: ',
  });

  async function loginIn(roles: unknown): Promise<unknown> {
    provider.people.set(personId, { preferred_username: userId, roles });
    browser = new Browser(app.url);
    await login();
    return (await whoAmI())?.['groups'];
  }
  const groups = () => app.inside(GroupsService);

  it.each([
    ['a list', ['staff', 'readers'], ['id: readers', 'id: staff']],
    ['paths of Keycloak', ['/staff'], ['id: staff']],
    ['one word', 'staff', ['id: staff']],
    ['nothing', undefined, []],
    ['no names', [7, null, { staff: true }, 'x'.repeat(65), 'a/b', 'line\nend'], []],
  ])('the user is in the groups given as %s', async (_how, roles, expected) => {
    expect(await loginIn(roles)).toEqual(expected);
  });

  it('leaves groups with the next login, and joins others', async () => {
    await loginIn(['staff', 'night']);

    expect(await loginIn(['staff', 'day'])).toEqual(['id: day', 'id: staff']);
    expect(await groups().memberIds('id: night', { search: userId })).toEqual([]);
    expect(await loginIn(undefined)).toEqual([]);
  });

  it('keeps memberships that were made here, also in groups of the provider', async () => {
    await loginIn(['staff']);
    await groups().add(`own of ${userId}`, undefined);
    await groups().enter(`own of ${userId}`, userId);
    await groups().add(`id: both ${userId}`, undefined);
    await groups().enter(`id: both ${userId}`, userId);

    expect(await loginIn([`both ${userId}`])).toEqual([`id: both ${userId}`, `own of ${userId}`]);
    expect(await loginIn([])).toEqual([`id: both ${userId}`, `own of ${userId}`]);
  });

  it('does not put anybody into a group that was made here', async () => {
    await groups().add(`id: ours ${userId}`, undefined);

    expect(await loginIn([`ours ${userId}`])).toEqual([]);
  });

  it('takes at most 200 groups', async () => {
    const roles = Array.from({ length: 300 }, (_, n) => `many ${n}`);

    expect(await loginIn(roles)).toHaveLength(200);
  });

  it('is in the audit log', async () => {
    await loginIn([`told ${userId}`]);
    await loginIn([]);

    const events = await app.database.query(
      `select kind, user_id as "userId" from security_event where subject_id = $1 order by id`,
      [`id: told ${userId}`],
    );
    expect(events).toEqual([
      { kind: 'group_created', userId: null },
      { kind: 'group_joined', userId },
      { kind: 'group_left', userId },
    ]);
  });
});

describe('with GATEFOLD_OIDC_FOLLOW_GROUPS=on and no prefix', () => {
  withSettings({ GATEFOLD_OIDC_FOLLOW_GROUPS: 'on' });

  it('gives no rights: not even a group called admin does', async () => {
    provider.people.set(personId, { preferred_username: userId, groups: ['admin', 'staff'] });

    await login();

    expect(await whoAmI()).toMatchObject({ groups: ['staff'] });
  });
});

describe('below a path prefix', () => {
  it('all addresses and the cookie path have it', async () => {
    const below = await startApp({
      ...settings(),
      GATEFOLD_BASE_URL: 'https://example.org/cloud',
    });
    const { text } = await below.asStranger().get('/cloud/login');
    const { headers } = await below.asStranger().get('/cloud/login/oidc');
    await below.stop();

    expect(text).toContain('href="/cloud/login/oidc?redirect_url="');
    expect(new URL(headers.location ?? '').searchParams.get('redirect_uri')).toBe(
      'https://example.org/cloud/login/oidc/callback',
    );
    expect(headers['set-cookie']?.[0]).toMatch(/; Path=\/cloud\/login\/oidc; .*; Secure;/);
  });
});

describe('without an identity provider', () => {
  it('the login page does not have it', () =>
    withOtherSettings(app.inside(OidcSettings), { issuer: '' }, async () => {
      expect((await app.asStranger().get('/login')).text).not.toContain('oidc');
    }));
});

// The last ones: the provider does not come back.
describe('when the identity provider becomes unreachable', () => {
  it('during a login, the page reports it', async () => {
    const back = await untilTheWayBack();
    await provider.stop();

    const answer = await browser.get(back);

    expect(answer.status).toBe(503);
    expect(answer.text).toContain('Campus &lt;1&gt; cannot be reached at the moment.');
    expect(browser.cookies.has('gatefold_session')).toBe(false);
  });

  it('before a login, the page reports it, and accepts passwords', async () => {
    const clock = app.inside(Clock);
    const now = clock.now.bind(clock);
    // What is known of the provider is then asked for again.
    clock.now = () => new Date(now().getTime() + 3601 * 1000);
    const answer = await browser.get('/login/oidc');

    expect(answer.status).toBe(503);
    expect(answer.text).toContain('Campus &lt;1&gt; cannot be reached at the moment.');
    expect(answer.text).toContain('autocomplete="current-password"');
    expect((await browser.login(app.asAdmin().credentials)).status).toBe(303);
  });
});

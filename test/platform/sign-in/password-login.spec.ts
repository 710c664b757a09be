import { afterAll, describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { InstallationChecks } from '../../../src/common/ports/installation-checks.js';
import { Sessions } from '../../../src/common/ports/sessions.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { LoginFlowService } from '../../../src/platform/sign-in/login-flow/login-flow.service.js';
import { InvitationsService } from '../../../src/platform/sign-in/password-links/invitations.service.js';
import { SessionsService } from '../../../src/platform/sign-in/sessions/sessions.service.js';
import { loadConfig } from '../../../src/settings.js';
import { ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { EVERY_PART } from '../../support/every-part.js';
import { FeverClient, feverKey } from '../../support/fever-client.js';
import { startMailServer } from '../../support/mail-server.js';
import { routesOf } from '../../support/routes.js';
import { ADMIN, startApp } from '../../support/start-app.js';

/* An installation whose people log in at their organisation: passwords of accounts are not taken. */

const OIDC = { GATEFOLD_OIDC_ISSUER: 'https://id.invalid', GATEFOLD_OIDC_CLIENT_ID: 'gatefold' };
const SELF = '/ocs/v2.php/cloud/user?format=json';

const server = await startMailServer();
const app = await startApp({
  ...EVERY_PART,
  ...OIDC,
  GATEFOLD_PASSWORD_LOGIN: 'off',
  GATEFOLD_PASSWORD_LOGIN_FOR: `${ADMIN.userId}, anna`,
  GATEFOLD_SMTP_URL: server.url,
  GATEFOLD_MAIL_FROM: 'gatefold@example.org',
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

const users = app.inside(UsersService);
const bob = { userId: 'bob', password: 'the words of bob', email: 'bob@example.org' };
const anna = { userId: 'anna', password: 'the words of anna', email: 'anna@example.org' };
await users.add(bob);
await users.add(anna);
const { token } = await app.inside(AppPasswordsService).add('bob', 'Phone', { fever: true });
const asBob = new ApiClient(app.url, { userId: 'bob', password: bob.password });
const asPhone = new ApiClient(app.url, { userId: 'bob', password: token });

/** A browser with a session that began in this way. */
async function browserOf(userId: string, provider: 'password' | 'oidc' | 'header' | 'passkey') {
  const session = { userId, provider, userAgent: '', address: '127.0.0.1' };
  const begun = await app.inside(SessionsService).begin(session);
  const browser = new Browser(app.url);
  browser.cookies.set('gatefold_session', begun.token);
  const cookie = `gatefold_session=${begun.token}`;
  const found = await app.inside(Sessions).identify({ headers: { cookie }, ip: '' });
  return { browser, headers: { requesttoken: found?.requestToken ?? '' }, id: begun.id };
}

describe('Every route', () => {
  /** Guards that take a password of users; others take secrets of apps, bots, programs, or nothing. */
  const TAKING = ['BasicAuthGuard', 'ListVisitorGuard'];
  const OTHERS = [
    'AccountPasswordGuard',
    'ActingUserGuard',
    'AdminGuard',
    'ApiAddressGuard',
    'AppConsentGuard',
    'AppsOriginGuard',
    'FeverKeyGuard',
    'GatewayAuthGuard',
    'GoogleLoginGuard',
    'OwnerGuard',
    'PageVisitorGuard',
    'PutOrPostGuard',
    'ScimGuard',
    'SignedBotGuard',
    'TaskPollGuard',
  ];
  const routes = routesOf(app);
  const fill = (path: string) => path.replaceAll(/:\w+/g, '1').replaceAll(/\{?\/?\*\w+\}?/g, '/x');

  it('has guards of which it is known whether they take passwords', () => {
    const guards = new Set(routes.flatMap((route) => route.guards));

    expect([...guards].filter((name) => ![...TAKING, ...OTHERS].includes(name))).toEqual([]);
  });

  it('that takes passwords refuses the right one of an account with 401', async () => {
    // Node.js answers no CONNECT, and preflights of CORS carry no credentials.
    const guarded = routes.filter(
      ({ guards, method }) =>
        guards[0] === 'BasicAuthGuard' && !['CONNECT', 'OPTIONS'].includes(method),
    );
    const statuses: string[] = [];
    const left = guarded.values();
    const ask = async () => {
      for (const { method, path, handler } of left) {
        const verb = method === 'ALL' ? 'GET' : method;
        const { status } = await asBob.call(verb, fill(path));
        statuses.push(`${handler} by ${verb}: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, ask));

    expect(guarded.length).toBeGreaterThan(300);
    expect(statuses.filter((one) => !one.endsWith(': 401'))).toEqual([]);
  });
});

it('Every place that verifies a password is known, and tried here', () => {
  const files = globSync('src/**/*.service.ts')
    .concat(globSync('src/**/*.controller.ts'), globSync('src/**/*.middleware.ts'))
    .concat(globSync('src/**/*.guard.ts'), globSync('src/**/*-authenticator.ts'));
  const verifying =
    /ownerOfPassword\(|\.authenticate\(|directory\.verify\(|\.logIn\(|passwordHash\.matches\(/;
  const found = files.filter((file) => verifying.test(readFileSync(file, 'utf8')));

  expect(found.map((file) => file.replace(/^.*\//, '')).toSorted()).toEqual(
    [
      'basic-auth.guard.ts',
      'basic-authenticator.ts',
      'credential-verifier.service.ts',
      'ldap-login.service.ts',
      'log-in.controller.ts',
      'login.controller.ts',
      'login.service.ts',
      'own-password.controller.ts',
      'program-logins.service.ts',
      'proof.service.ts',
      'provisioning.service.ts',
      'user-directory.service.ts',
    ].toSorted(),
  );
});

describe('The right password of an account is refused', () => {
  it.each([
    ['by the log-in page', async () => (await new Browser(app.url).login(bob)).status, 403],
    [
      'by ClientLogin of the Google Reader API',
      async () => {
        const fields = { Email: 'bob', Passwd: bob.password };
        const path = '/accounts/ClientLogin';
        return (await new Browser(app.url).submit(path, fields)).status;
      },
      401,
    ],
    [
      'by WebDAV',
      async () => (await asBob.call('PROPFIND', '/remote.php/dav/files/bob')).status,
      401,
    ],
    [
      'as a proof in a session',
      async () => {
        const { browser, headers } = await browserOf('bob', 'oidc');
        const json = { password: bob.password };
        return (await browser.call('POST', '/ocs/v2.php/core/proof', { headers, json })).status;
      },
      403,
    ],
    [
      'for another password of its own',
      async () => {
        const { browser, headers } = await browserOf('bob', 'oidc');
        const json = { oldPassword: bob.password, newPassword: 'another of these words' };
        return (await browser.call('PUT', '/ocs/v2.php/core/password', { headers, json })).status;
      },
      403,
    ],
    [
      'for an address that would get links',
      async () => {
        const { browser, headers } = await browserOf('bob', 'oidc');
        const json = { key: 'email', value: 'b@example.org', password: bob.password };
        return (await browser.call('PUT', '/ocs/v2.php/cloud/users/bob', { headers, json })).status;
      },
      403,
    ],
    [
      'where a program asks for access',
      async () => {
        const { browser, headers, id } = await browserOf('bob', 'oidc');
        const { loginToken: flow } = await app.inside(LoginFlowService).begin('Phone', '');
        await app.database.query(
          `update login_session set created_at = created_at - interval '1 hour',
             proven_at = proven_at - interval '1 hour' where id = $1`,
          [id],
        );
        const shown = await browser.get(`/login/v2/flow/${flow}`);
        expect(shown.text).not.toContain('type="password"');
        const fields = { token: flow, decision: 'grant', password: bob.password, ...headers };
        return (await browser.submit('/login/v2/grant', fields)).status;
      },
      403,
    ],
  ])('%s', async (_place, tried, status) => {
    expect(await tried()).toBe(status);
  });

  it('in the same words as a wrong one', async () => {
    const right = await new Browser(app.url).login(bob);
    const wrong = await new Browser(app.url).login({ ...bob, password: 'wrong' });

    expect(right.text).toBe(wrong.text);
  });
});

describe('What stays', () => {
  it('are app passwords, also as a key of Fever and for ClientLogin', async () => {
    const fields = { Email: 'bob', Passwd: token };
    const path = '/accounts/ClientLogin';

    expect((await asPhone.get(SELF)).status).toBe(200);
    expect((await new Browser(app.url).submit(path, fields)).status).toBe(200);
    const fever = new FeverClient(app.url, feverKey('bob', token));
    expect(await fever.ask('groups')).toMatchObject({ auth: 1 });
  });

  it('are sessions of other ways; those begun with a password end', async () => {
    const statuses = await Promise.all(
      (['oidc', 'header', 'passkey', 'password'] as const).map(async (provider) => {
        const { browser } = await browserOf('bob', provider);
        return [provider, (await browser.get(SELF)).status];
      }),
    );

    expect(Object.fromEntries(statuses)).toEqual({
      oidc: 200,
      header: 200,
      passkey: 200,
      password: 401,
    });
  });

  it('are the passwords of the named exceptions, with their sessions and their proof', async () => {
    const browser = new Browser(app.url);

    expect((await browser.login(anna)).status).toBe(303);
    expect((await browser.get(SELF)).status).toBe(200);
    expect((await new ApiClient(app.url, anna).get(SELF)).status).toBe(200);
    expect((await browser.get('/ocs/v2.php/core/proof?format=json')).json).toMatchObject({
      ocs: { data: { password: true, provider: 'OpenID Connect' } },
    });
  });
});

describe('Links for passwords', () => {
  it('are sent to the exceptions alone', async () => {
    const ask = (user: string) => new Browser(app.url).submit('/login/forgotten', { user });
    expect((await ask('bob')).text).toBe((await ask('nobody')).text);
    await ask('anna');

    const { text } = await server.mailTo(anna.email);
    expect(text).toMatch(/\/login\/password#/);
    expect(server.mails.filter(({ to }) => to.includes(bob.email))).toEqual([]);
  });

  it('of invitations are refused with a sentence, and those sent before are over', async () => {
    await users.add({ userId: 'eve', password: 'the words of eve', email: 'eve@example.org' });

    await expect(app.inside(InvitationsService).invite('eve', 'en')).rejects.toThrow(
      'passwords of accounts are not used here',
    );
  });
});

describe('The log-in page', () => {
  it('shows the provider, and folds the fields that are for the exceptions', async () => {
    const { text } = await app.asStranger().get('/login');

    expect(text).toContain('Log in with OpenID Connect');
    expect(text).toMatch(/<details\s*>\s*<summary>Log in with a password<\/summary>/);
  });

  it('without exceptions has no field for a password, and no link for a forgotten one', async () => {
    const strict = await startApp({
      GATEFOLD_PASSWORD_LOGIN: 'off',
      GATEFOLD_TRUSTED_PROXIES: '10.0.0.0/8',
      GATEFOLD_TRUSTED_LOGIN_HEADER: 'X-User',
      GATEFOLD_SMTP_URL: server.url,
      GATEFOLD_MAIL_FROM: 'gatefold@example.org',
    });
    const { text } = await strict.asStranger().get('/login');
    const forgotten = await strict.asStranger().get('/login/forgotten');
    const admin = await strict.asAdmin().get(SELF);
    await strict.stop();

    expect(text).toContain('Passwords of accounts are not used here.');
    expect(text).not.toContain('type="password"');
    expect(text).not.toContain('forgotten');
    expect(forgotten.status).toBe(404);
    expect(admin.status).toBe(401);
  });
});

it('The doctor names the exceptions, and those who could not log in or have no second factor', async () => {
  const subjects = await app.inside(InstallationChecks).run();
  const found = subjects.find(({ subject }) => subject === 'Passwords of accounts')?.findings;

  expect(found).toMatchObject([
    {
      state: 'ok',
      text: 'Passwords of accounts are not taken, except those of admin, anna (GATEFOLD_PASSWORD_LOGIN=off).',
    },
    { state: 'warning', text: expect.stringContaining('admin, whose password is taken') },
    { state: 'warning', text: expect.stringContaining('anna, whose password is taken') },
  ]);
});

it('The start is refused if nobody could log in', () => {
  expect(() => loadConfig({ GATEFOLD_PASSWORD_LOGIN: 'off' })).toThrow(
    'GATEFOLD_PASSWORD_LOGIN=off needs one of GATEFOLD_OIDC_ISSUER, GATEFOLD_LDAP_URL, GATEFOLD_TRUSTED_LOGIN_HEADER to be set, too.',
  );
  expect(() => loadConfig({ GATEFOLD_PASSWORD_LOGIN: 'on' })).not.toThrow();
  expect(() => loadConfig({ GATEFOLD_PASSWORD_LOGIN_FOR: 'anna' })).toThrow(
    'GATEFOLD_PASSWORD_LOGIN_FOR needs GATEFOLD_PASSWORD_LOGIN to be set, too.',
  );
});

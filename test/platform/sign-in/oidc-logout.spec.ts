import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { Clock } from '../../../src/common/clock.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import type { Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import {
  CLIENT,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../../support/identity-provider.js';
import { startApp, type TestApp } from '../../support/start-app.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let provider: TestIdentityProvider;
let app: TestApp;
let count = 0;
let personId: string;
let userId: string;

beforeAll(async () => {
  provider = await startIdentityProvider();
  app = await startApp({
    GATEFOLD_OIDC_ISSUER: provider.issuer,
    GATEFOLD_OIDC_CLIENT_ID: CLIENT.id,
    GATEFOLD_OIDC_CLIENT_SECRET: CLIENT.secret,
  });
  provider.accept(app.url);
});
afterAll(async () => {
  await app?.stop();
  await provider?.stop();
});
beforeEach(() => {
  personId = `id-${count}`;
  userId = `person-${count++}`;
  provider.people.set(personId, { preferred_username: userId });
});

async function login(id = personId): Promise<Browser> {
  const browser = new Browser(app.url);
  const begun = await browser.get('/login/oidc');
  const back = await provider.login(begun.headers.location ?? '', id);
  await browser.get(back.slice(app.url.length));
  return browser;
}

async function isIn(browser: Browser): Promise<boolean> {
  return (await browser.get(SELF)).status === 200;
}

async function sidOf(user = userId): Promise<string> {
  const [row] = await app.database.query<{ sid: string | null }>(
    `select s.sid from oidc_session s join login_session l on l.id = s.session_id
      where l.user_id = $1 order by l.id desc limit 1`,
    [user],
  );
  return row?.sid ?? '';
}

/** Default claims of the provider. */
function claims(other: object = {}): object {
  const now = app.inside(Clock).nowSeconds();
  return {
    iss: provider.issuer,
    aud: CLIENT.id,
    iat: now,
    exp: now + 120,
    jti: randomUUID(),
    sub: personId,
    events: { [LOGOUT_EVENT]: {} },
    ...other,
  };
}

function tell(token: string): Promise<Answer> {
  const body = new URLSearchParams({ logout_token: token }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return app.asStranger().call('POST', '/login/oidc/logout', { body, headers });
}

describe('a logout at the identity provider', () => {
  it('ends its session, and no other of the user', async () => {
    const elsewhere = await login();
    const here = await login();

    await provider.logout(personId);

    expect([await isIn(here), await isIn(elsewhere)]).toEqual([false, true]);
  });

  it('is logged as a security event', async () => {
    await login();

    await provider.logout(personId);

    const { json } = await app
      .asAdmin()
      .get('/ocs/v2.php/apps/gatefold/api/v1/security/events?limit=1&format=json');
    const { data } = (json as { ocs: { data: unknown } }).ocs;
    expect(data).toMatchObject([
      { kind: 'session_revoked', user: userId, details: 'by the identity provider' },
    ]);
  });
});

describe('POST /login/oidc/logout', () => {
  it('ends all sessions of a subject without sid, and no others', async () => {
    const browsers = [await login(), await login()];
    provider.people.set('stranger', { preferred_username: `stranger-of-${userId}` });
    const stranger = await login('stranger');

    const { status, text, headers } = await tell(provider.signed(claims()));

    expect([status, text, headers['cache-control']]).toEqual([200, '', 'no-store']);
    expect(await Promise.all(browsers.map(isIn))).toEqual([false, false]);
    expect(await isIn(stranger)).toBe(true);
  });

  it('ends one session by sid alone', async () => {
    const other = await login();
    const browser = await login();

    const sid = await sidOf();
    expect((await tell(provider.signed(claims({ sub: undefined, sid })))).status).toBe(200);

    expect([await isIn(browser), await isIn(other)]).toEqual([false, true]);
  });

  it('ends no session of another subject', async () => {
    const browser = await login();

    expect(
      (await tell(provider.signed(claims({ sub: 'nobody', sid: await sidOf() })))).status,
    ).toBe(200);

    expect(await isIn(browser)).toBe(true);
  });

  it('ends sessions without a known sid', async () => {
    const browser = await login();
    await app.database.query('update oidc_session set issuer = null, sid = null');

    await tell(provider.signed(claims({ sid: 'another' })));

    expect(await isIn(browser)).toBe(false);
  });

  it('keeps sessions that began with a password', async () => {
    await login();
    await app.inside(UsersService).changePassword(userId, 'a password of the tests');
    const browser = new Browser(app.url);
    await browser.login({ userId, password: 'a password of the tests' });

    await tell(provider.signed(claims()));

    expect(await isIn(browser)).toBe(true);
  });

  it('accepts repeated and unmatched tokens', async () => {
    const token = provider.signed(claims());

    expect([(await tell(token)).status, (await tell(token)).status]).toEqual([200, 200]);
  });

  const NOW = Math.floor(Date.now() / 1000);

  it.each<[string, object, object?]>([
    ['of another provider', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another' }],
    ['for nobody in particular', { aud: [] }],
    ['that names nobody', { sub: undefined }],
    ['of yesterday', { iat: NOW - 86_400, exp: NOW + 86_400 }],
    ['that has run out', { exp: NOW - 120 }],
    ['of tomorrow', { iat: NOW + 86_400, exp: NOW + 90_000 }],
    ['that is an ID token', { events: undefined, nonce: 'x' }],
    ['with a nonce', { nonce: 'x' }],
    ['about something else', { events: { 'http://example.org/event': {} } }],
    ['without an id of its own', { jti: undefined }],
    ['of another type', {}, { typ: 'at+jwt' }],
    ['that wants more to be understood', {}, { crit: ['b64'], b64: false }],
    ['with an algorithm that the key is not for', {}, { alg: 'PS256' }],
    ['with a key of another name', {}, { kid: 'another' }],
    ['that claims to need no signature', {}, { alg: 'none' }],
    ['signed with a secret', {}, { alg: 'HS256' }],
  ])('refuses a token %s', async (_what, other, header = {}) => {
    const browser = await login();

    const answer = await tell(provider.signed(claims(other), header));

    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: 'invalid_request' });
    expect(await isIn(browser)).toBe(true);
  });

  it('rejects tokens of another signer and invalid tokens', async () => {
    const browser = await login();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const [header, payload, signature] = provider.signed(claims()).split('.');
    const forged = sign('sha256', Buffer.from(`${header}.${payload}`), privateKey);

    for (const token of [
      `${header}.${payload}.${forged.toString('base64url')}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature}.${signature}`,
      'nonsense',
      '',
      'x'.repeat(20_000),
    ]) {
      expect((await tell(token)).status).toBe(400);
    }
    expect(await isIn(browser)).toBe(true);
  });
});

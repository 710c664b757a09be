import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import type { Answer, ApiClient } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { toOcs } from '../../support/external-app.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const CORE = '/ocs/v2.php/core';
const SELF = '/ocs/v2.php/cloud/user';

let clock: TestClock;
let platform: Platform;
let nextUser = 0;
let ada: { userId: string; password: string };
let eve: { userId: string; password: string };

beforeAll(async () => {
  clock = new TestClock();
  platform = await startPlatform({
    clock,
    settings: { GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
  });
});

afterAll(() => platform?.stop());

beforeEach(async () => {
  ada = { userId: `ada-${nextUser}`, password: 'the password of ada' };
  eve = { userId: `eve-${nextUser++}`, password: 'the password of eve' };
  await platform.get(UsersService).add(ada);
  await platform.get(UsersService).add(eve);
});

const JSON_WANTED = { accept: 'application/json' };

function call(client: ApiClient, method: string, path: string, json?: unknown): Promise<Answer> {
  return client.call(method, path, { headers: JSON_WANTED, json });
}

async function dataOf<Data>(answer: Promise<Answer>): Promise<Data> {
  return toOcs(await answer).data as Data;
}

function as(password = ada.password, userId = ada.userId): ApiClient {
  return platform.as({ userId, password });
}

async function newAppPassword(name = 'phone'): Promise<{ id: number; token: string }> {
  return dataOf(call(as(), 'POST', `${CORE}/apppasswords`, { name }));
}

async function worksWith(password: string): Promise<boolean> {
  return (await call(as(password), 'GET', SELF)).status === 200;
}

/** Ada's session, and the headers of changes by pages. */
async function loggedIn(): Promise<{ browser: Browser; headers: Record<string, string> }> {
  const browser = new Browser(platform.url);
  await browser.login(ada);
  const { text } = await browser.get(await newFlowPath());
  const requesttoken = /name="requesttoken"\s+value="([^"]*)"/.exec(text)?.[1] ?? '';
  return { browser, headers: { ...JSON_WANTED, requesttoken } };
}

async function newFlowPath(): Promise<string> {
  const { login } = (await platform.as().call('POST', '/login/v2')).json as { login: string };
  return new URL(login).pathname;
}

describe('the list of app passwords', () => {
  it('shows name, creation and last use, and never a token', async () => {
    const { id, token } = await newAppPassword(' phone ');
    const created = clock.nowSeconds();
    const before = await dataOf<object[]>(call(as(), 'GET', `${CORE}/apppasswords`));
    await worksWith(token);
    const after = await call(as(), 'GET', `${CORE}/apppasswords`);

    expect(before).toEqual([
      {
        id,
        name: 'phone',
        administration: false,
        fever: false,
        scope: 'everything',
        created: expect.any(Number),
        expires: null,
        lastUsed: null,
      },
    ]);
    expect(toOcs(after).data).toEqual([expect.objectContaining({ lastUsed: created })]);
    expect(after.text).not.toContain(token);
  });

  it('returns a valid token on creation', async () => {
    const { token } = await newAppPassword();

    expect(token).toMatch(/^gf-[\w-]{43}$/);
    expect(await worksWith(token)).toBe(true);
  });

  it('does not contain revoked ones', async () => {
    const { id, token } = await newAppPassword();

    expect((await call(as(), 'DELETE', `${CORE}/apppasswords/${id}`)).status).toBe(200);

    expect(await worksWith(token)).toBe(false);
    expect(await dataOf(call(as(), 'GET', `${CORE}/apppasswords`))).toEqual([]);
    expect((await call(as(), 'DELETE', `${CORE}/apppasswords/${id}`)).status).toBe(404);
  });

  it('is private', async () => {
    const { id, token } = await newAppPassword();
    const stranger = as(eve.password, eve.userId);

    expect(await dataOf(call(stranger, 'GET', `${CORE}/apppasswords`))).toEqual([]);
    expect((await call(stranger, 'DELETE', `${CORE}/apppasswords/${id}`)).status).toBe(404);
    expect((await call(platform.as(), 'GET', `${CORE}/apppasswords`)).status).toBe(401);
    expect(await worksWith(token)).toBe(true);
  });

  it('rejects app passwords, which could create more', async () => {
    const { id, token } = await newAppPassword();

    expect((await call(as(token), 'GET', `${CORE}/apppasswords`)).status).toBe(403);
    expect((await call(as(token), 'POST', `${CORE}/apppasswords`, { name: 'x' })).status).toBe(403);
    expect((await call(as(token), 'DELETE', `${CORE}/apppasswords/${id}`)).status).toBe(403);
    expect((await call(as(token), 'GET', `${CORE}/sessions`)).status).toBe(403);
  });

  it.each(['', '   ', 'x'.repeat(201)])('refuses the name "%s"', async (name) => {
    expect((await call(as(), 'POST', `${CORE}/apppasswords`, { name })).status).toBe(400);
  });

  it('accepts sessions with CSRF token', async () => {
    const { browser, headers } = await loggedIn();

    const without = await browser.call('POST', `${CORE}/apppasswords`, { json: { name: 'x' } });
    const made = await browser.call('POST', `${CORE}/apppasswords`, {
      json: { name: 'page' },
      headers,
    });

    expect(without.status).toBe(412);
    expect(toOcs(made).data).toMatchObject({ name: 'page', loginName: ada.userId });
  });
});

describe('a program', () => {
  it('exchanges the account password for an app password named after it', async () => {
    const answer = await as().get(`${CORE}/getapppassword`, {
      headers: { ...JSON_WANTED, 'user-agent': 'Reader 1.0' },
    });
    const { apppassword } = toOcs(answer).data as { apppassword: string };

    expect(await worksWith(apppassword)).toBe(true);
    expect(await dataOf(call(as(), 'GET', `${CORE}/apppasswords`))).toEqual([
      expect.objectContaining({ name: 'Reader 1.0' }),
    ]);
  });

  it('cannot exchange an app password', async () => {
    const { token } = await newAppPassword();

    expect((await call(as(token), 'GET', `${CORE}/getapppassword`)).status).toBe(403);
  });

  it('is not a session, which has another route', async () => {
    const { browser, headers } = await loggedIn();

    expect((await browser.get(`${CORE}/getapppassword`, { headers })).status).toBe(403);
  });

  it('rotates its app password, which revokes the old one', async () => {
    const { token } = await newAppPassword();

    const { apppassword } = await dataOf<{ apppassword: string }>(
      call(as(token), 'POST', `${CORE}/apppassword/rotate`),
    );

    expect(apppassword).not.toBe(token);
    expect([await worksWith(token), await worksWith(apppassword)]).toEqual([false, true]);
  });

  it('revokes its app password, and no other', async () => {
    const { token } = await newAppPassword();
    const other = await newAppPassword('other');

    expect((await call(as(token), 'DELETE', `${CORE}/apppassword`)).status).toBe(200);

    expect([await worksWith(token), await worksWith(other.token)]).toEqual([false, true]);
  });

  it('cannot rotate or revoke the account password', async () => {
    expect((await call(as(), 'POST', `${CORE}/apppassword/rotate`)).status).toBe(403);
    expect((await call(as(), 'DELETE', `${CORE}/apppassword`)).status).toBe(403);
    expect((await call(platform.as(), 'DELETE', `${CORE}/apppassword`)).status).toBe(401);
  });

  it('cannot use its app password for another user', async () => {
    const { token } = await newAppPassword();

    expect((await call(as(token, eve.userId), 'DELETE', `${CORE}/apppassword`)).status).toBe(401);
    expect(await worksWith(token)).toBe(true);
  });
});

describe('changing one’s password', () => {
  const change = (client: ApiClient, oldPassword: string, newPassword: string) =>
    call(client, 'PUT', `${CORE}/password`, { oldPassword, newPassword });

  it('requires the old one', async () => {
    const answer = await change(as(), 'not the old one', 'another password');

    expect(toOcs(answer)).toMatchObject({ statuscode: 403, message: 'The old password is wrong.' });
    expect(await worksWith(ada.password)).toBe(true);
  });

  it('invalidates the old one', async () => {
    expect((await change(as(), ada.password, 'another password')).status).toBe(200);

    expect(await worksWith(ada.password)).toBe(false);
    expect(await worksWith('another password')).toBe(true);
  });

  it('ends all other sessions, and keeps app passwords', async () => {
    const { token } = await newAppPassword();
    const { browser, headers } = await loggedIn();
    const other = await loggedIn();
    const json = { oldPassword: ada.password, newPassword: 'another password' };

    const answer = await browser.call('PUT', `${CORE}/password`, { json, headers });

    expect(answer.status).toBe(200);
    expect((await browser.get(SELF)).status).toBe(200);
    expect((await other.browser.get(SELF)).status).toBe(401);
    expect(await worksWith(token)).toBe(true);
  });

  it('rejects a weak new one, and changes nothing', async () => {
    expect((await change(as(), ada.password, 'short')).status).toBe(400);
    expect(await worksWith(ada.password)).toBe(true);
  });

  it('rejects app passwords and anonymous requests', async () => {
    const { token } = await newAppPassword();

    expect((await change(as(token), ada.password, 'another password')).status).toBe(403);
    expect((await change(as(), token, 'another password')).status).toBe(403);
    expect((await change(platform.as(), ada.password, 'another password')).status).toBe(401);
    expect(await worksWith(ada.password)).toBe(true);
  });

  it('throttles guesses of the old one', async () => {
    const { browser, headers } = await loggedIn();
    const guess = (oldPassword: string) =>
      browser.call('PUT', `${CORE}/password`, {
        json: { oldPassword, newPassword: 'another password' },
        headers,
      });
    for (let count = 0; count < 6; count++) {
      expect((await guess(`guess ${count}`)).status).toBe(403);
    }

    expect((await guess('one more')).status).toBe(429);
  });
});

describe('the list of sessions', () => {
  it('shows all sessions, and which is the caller’s', async () => {
    const { browser, headers } = await loggedIn();
    const other = new Browser(platform.url);
    await other.submit(
      '/login',
      { user: ada.userId, password: ada.password },
      { origin: platform.url, 'user-agent': 'Other\u009b browser' },
    );
    const now = clock.nowSeconds();

    const sessions = toOcs(await browser.get(`${CORE}/sessions`, { headers })).data;

    const common = { id: expect.any(Number), provider: 'password', address: '127.0.0.1' };
    const times = { created: now, lastSeen: now };
    expect(sessions).toEqual([
      { ...common, ...times, current: false, userAgent: 'Other browser' },
      { ...common, ...times, current: true, userAgent: '' },
    ]);
    expect(await dataOf(call(as(eve.password, eve.userId), 'GET', `${CORE}/sessions`))).toEqual([]);
    expect((await call(platform.as(), 'GET', `${CORE}/sessions`)).status).toBe(401);
  });

  it('ends one, only of the caller', async () => {
    const { browser } = await loggedIn();
    const { browser: other } = await loggedIn();
    const [newest] = await dataOf<{ id: number }[]>(call(as(), 'GET', `${CORE}/sessions`));
    const path = `${CORE}/sessions/${newest?.id}`;

    expect((await call(as(eve.password, eve.userId), 'DELETE', path)).status).toBe(404);
    expect((await other.get(SELF)).status).toBe(200);
    expect((await call(as(), 'DELETE', path)).status).toBe(200);

    expect((await other.get(SELF)).status).toBe(401);
    expect((await browser.get(SELF)).status).toBe(200);
    expect((await call(as(), 'DELETE', path)).status).toBe(404);
  });

  it('ends all except the caller’s', async () => {
    const { browser, headers } = await loggedIn();
    const { browser: other } = await loggedIn();

    expect((await browser.call('DELETE', `${CORE}/sessions`)).status).toBe(412);
    await browser.call('DELETE', `${CORE}/sessions`, { headers });

    expect((await browser.get(SELF)).status).toBe(200);
    expect((await other.get(SELF)).status).toBe(401);
  });
});

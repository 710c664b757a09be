import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { SessionsService } from '../../../src/platform/sign-in/sessions/sessions.service.js';
import type { Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const ADA = { userId: 'ada', password: 'the password of ada' };
const EVE = { userId: 'eve', password: 'the password of eve' };

interface Flow {
  readonly poll: { readonly token: string; readonly endpoint: string };
  readonly login: string;
}

let testDatabase: TestDatabase;
let clock: TestClock;
let platform: Platform;
let browser: Browser;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  clock = new TestClock();
  platform = await startPlatform({
    databaseUrl: testDatabase.url,
    clock,
    settings: { GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
  });
  await platform.get(UsersService).add(ADA);
  await platform.get(UsersService).add(EVE);
});

afterAll(async () => {
  await platform?.stop();
  await testDatabase?.drop();
});

beforeEach(async () => {
  browser = new Browser(platform.url);
  await platform.database.query('delete from login_flow');
});

/** The program's first request. */
async function begin(clientName = 'Reader 1.0 (phone)', path = '/login/v2'): Promise<Flow> {
  const answer = await platform.as().call('POST', path, { headers: { 'user-agent': clientName } });
  expect(answer.status).toBe(200);
  return answer.json as Flow;
}

function poll({ poll: { token, endpoint } }: Flow): Promise<Answer> {
  return platform.as().call('POST', new URL(endpoint).pathname, {
    body: new URLSearchParams({ token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

function pathOf({ login }: Flow): string {
  return new URL(login).pathname;
}

function field(page: Answer, name: string): string {
  return new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page.text)?.[1] ?? '';
}

/** The user's steps in the browser, with a session. */
async function decide(flow: Flow, decision: 'grant' | 'deny', by = browser): Promise<Answer> {
  const page = await by.get(pathOf(flow));
  return by.submit('/login/v2/grant', {
    token: field(page, 'token'),
    requesttoken: field(page, 'requesttoken'),
    decision,
  });
}

describe('a program that logs in with a browser', () => {
  it('gets an app password after the user agrees, once', async () => {
    const flow = await begin();
    await browser.login(ADA);
    const pending = await poll(flow);
    const agreed = await decide(flow, 'grant');
    const answer = await poll(flow);

    expect([pending.status, pending.text]).toEqual([404, '[]']);
    expect(agreed.status).toBe(200);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json).toEqual({
      server: platform.url,
      loginName: 'ada',
      appPassword: expect.stringMatching(/^gf-[\w-]{43}$/),
    });
    expect((await poll(flow)).status).toBe(404);
    const { appPassword } = answer.json as { appPassword: string };
    const self = await platform.as({ userId: 'ada', password: appPassword }).get(SELF);
    expect(self.json).toMatchObject({ ocs: { data: { id: 'ada' } } });
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'the password is changed',
      () => platform.get(UsersService).changePassword('ada', ADA.password),
    ],
    [
      'the account is disabled for a while',
      async () => {
        await platform.get(UsersService).disable('ada');
        await platform.get(UsersService).enable('ada');
      },
    ],
    ['all sessions are revoked', () => platform.get(SessionsService).revokeAll('ada')],
    [
      'the session is revoked',
      async () => {
        const [session] = await platform.get(SessionsService).list('ada');
        await platform.get(SessionsService).revoke('ada', session?.id ?? 0);
      },
    ],
  ])('gets nothing when %s after the user agreed', async (_what, revoke) => {
    const flow = await begin();
    await browser.login(ADA);
    const before = await platform.database.query('select id from app_password');
    await decide(flow, 'grant');
    await revoke();

    expect((await poll(flow)).status).toBe(404);
    expect(await platform.database.query('select id from app_password')).toEqual(before);
  });

  it.each(['/login/v2', '/index.php/login/v2'])(
    'begins at %s, and learns whole addresses',
    async (path) => {
      const flow = await begin('Reader', path);

      expect(flow.poll.endpoint).toBe(`${platform.url}/login/v2/poll`);
      expect(flow.login.startsWith(`${platform.url}/login/v2/flow/`)).toBe(true);
      expect(flow.poll.token).toMatch(/^[\w-]{64}$/);
      expect(flow.login).not.toContain(flow.poll.token);
    },
  );

  it.each([
    ['in the query', (token: string) => ({ query: { token } })],
    ['as JSON', (token: string) => ({ json: { token } })],
  ])('may put its token %s', async (_where, options) => {
    const flow = await begin();
    await browser.login(ADA);
    await decide(flow, 'grant');

    const answer = await platform.as().call('POST', '/login/v2/poll', options(flow.poll.token));

    expect(answer.status).toBe(200);
  });

  it('is listed with its user agent', async () => {
    const flow = await begin('Reader 2.0 (Adas Gerät)');
    await browser.login(ADA);
    await decide(flow, 'grant');

    const list = await platform.as(ADA).get('/ocs/v2.php/core/apppasswords?format=json');

    expect(JSON.stringify(list.json)).toContain('"Reader 2.0 (Adas Gerät)"');
  });

  it('gets nothing when the user denies it', async () => {
    const flow = await begin();
    await browser.login(ADA);

    const denied = await decide(flow, 'deny');

    expect(denied.text).toContain('was denied access');
    expect((await poll(flow)).status).toBe(404);
    expect((await browser.get(pathOf(flow))).status).toBe(404);
  });

  it('waits for 20 minutes', async () => {
    const flow = await begin();
    await browser.login(ADA);
    clock.advanceSeconds(20 * 60 - 1);
    expect((await browser.get(pathOf(flow))).status).toBe(200);

    clock.advanceSeconds(1);

    expect((await browser.get(pathOf(flow))).status).toBe(404);
    expect((await poll(flow)).status).toBe(404);
  });

  it('leaves no app password if it never fetches it', async () => {
    const flow = await begin('Forgetful');
    await browser.login(ADA);
    await decide(flow, 'grant');
    clock.advanceSeconds(20 * 60);
    await begin();

    const rows = await platform.database.query(
      `select 1 from app_password where name = 'Forgetful'`,
    );
    expect(rows).toEqual([]);
    expect((await poll(flow)).status).toBe(404);
  });

  it('gets nothing for an account that was disabled meanwhile', async () => {
    const grace = { userId: 'grace', password: 'the password of grace' };
    await platform.get(UsersService).add(grace);
    const flow = await begin();
    await browser.login(grace);
    await decide(flow, 'grant');

    await platform.get(UsersService).disable(grace.userId);

    expect((await poll(flow)).status).toBe(404);
  });

  it('has no plain-text password in the database', async () => {
    const flow = await begin();
    await browser.login(ADA);
    await decide(flow, 'grant');
    const [row] = await platform.database.query<{ sealed: Buffer; row: string }>(
      'select sealed_app_password as sealed, f::text as row from login_flow f',
    );

    const { appPassword } = (await poll(flow)).json as { appPassword: string };

    expect(row?.sealed.includes(Buffer.from(appPassword))).toBe(false);
    expect(row?.row).not.toContain(flow.poll.token);
    expect(row?.row).not.toContain(Buffer.from(flow.poll.token).toString('hex'));
  });

  it('gets 429 when its network has 50 pending logins', async () => {
    for (let count = 0; count < 50; count++) {
      await begin();
    }

    const answer = await platform.as().call('POST', '/login/v2');

    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1200']);
  });

  it('takes the place of the oldest one of all networks, if there are 10,000', async () => {
    await platform.database.query('delete from login_flow');
    await platform.database.query(
      `insert into login_flow (poll_token_hash, login_token_hash, client_name, network, expires_at)
       select sha256(n::text::bytea), sha256(n::text::bytea), 'Program', n::text, $1::timestamptz + n * interval '1 ms'
         from generate_series(1, 10000) n`,
      [new Date(Date.now() + 600_000)],
    );

    await begin();

    const [row] = await platform.database.query(
      `select count(*)::int as total, count(*) filter (where network = '1')::int as oldest from login_flow`,
    );
    expect(row).toEqual({ total: 10_000, oldest: 0 });
    await platform.database.query('delete from login_flow');
  });
});

describe('the page on which the user decides', () => {
  it('redirects to the login and back', async () => {
    const flow = await begin();

    const sent = await browser.get(pathOf(flow));
    const loggedIn = await browser.login(
      ADA,
      new URL(String(sent.headers.location), platform.url).searchParams.get('redirect_url') ?? '',
    );

    expect(sent.status).toBe(303);
    expect(String(sent.headers.location)).toMatch(/^\/login\?redirect_url=/);
    expect([loggedIn.status, loggedIn.headers.location]).toEqual([303, pathOf(flow)]);
  });

  it('names the program and the account, escaped', async () => {
    const flow = await begin('<img src=x> & "co"');
    await browser.login(ADA);

    const { text, headers } = await browser.get(pathOf(flow));

    expect(text).toContain('&lt;img src=x&gt; &amp; &quot;co&quot;');
    expect(text).toContain('It will act as you, ada.');
    expect(text).not.toContain(flow.poll.token);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
  });

  it('is in German if preferred', async () => {
    const flow = await begin();
    await browser.login(ADA);

    const { text } = await browser.get(pathOf(flow), { headers: { 'accept-language': 'de' } });

    expect(text).toContain('Programm verbinden');
  });

  it('reports an unknown login', async () => {
    await browser.login(ADA);

    const { status, text } = await browser.get('/login/v2/flow/unknown');

    expect(status).toBe(404);
    expect(text).toContain('There is no open request');
  });
});

describe('a decision', () => {
  it('requires the CSRF token of the session', async () => {
    const flow = await begin();
    await browser.login(ADA);
    const eve = new Browser(platform.url);
    await eve.login(EVE);
    const token = field(await browser.get(pathOf(flow)), 'token');
    const requesttoken = field(await eve.get(pathOf(flow)), 'requesttoken');

    const without = await browser.submit('/login/v2/grant', { token, decision: 'grant' });
    const withOther = await browser.submit('/login/v2/grant', {
      token,
      requesttoken,
      decision: 'grant',
    });

    expect([without.status, withOther.status]).toEqual([412, 412]);
    expect((await poll(flow)).status).toBe(404);
  });

  it('is rejected from other sites', async () => {
    const flow = await begin();
    await browser.login(ADA);
    const page = await browser.get(pathOf(flow));
    const fields = {
      token: field(page, 'token'),
      requesttoken: field(page, 'requesttoken'),
      decision: 'grant',
    };

    const answer = await browser.submit('/login/v2/grant', fields, {
      origin: 'https://evil.example',
    });

    expect(answer.status).toBe(303);
    expect((await poll(flow)).status).toBe(404);
  });

  it('requires a session', async () => {
    const flow = await begin();
    const token = pathOf(flow).split('/').at(-1) ?? '';

    const answer = await browser.submit('/login/v2/grant', { token, decision: 'grant' });

    expect(answer.status).toBe(303);
    expect((await poll(flow)).status).toBe(404);
  });

  it('is final', async () => {
    const flow = await begin();
    await browser.login(ADA);
    const page = await browser.get(pathOf(flow));
    await decide(flow, 'grant');
    const eve = new Browser(platform.url);
    await eve.login(EVE);
    const requesttoken = field(await eve.get(pathOf(await begin())), 'requesttoken');

    const second = await eve.submit('/login/v2/grant', {
      token: field(page, 'token'),
      requesttoken,
      decision: 'grant',
    });

    expect(second.status).toBe(404);
    expect((await poll(flow)).json).toMatchObject({ loginName: 'ada' });
  });
});

describe('below a path prefix', () => {
  it('returns addresses below it', async () => {
    const prefixed = await startPlatform({
      databaseUrl: testDatabase.url,
      clock,
      settings: { GATEFOLD_BASE_URL: 'https://example.org/reader' },
    });
    const answer = await prefixed.as().call('POST', '/reader/index.php/login/v2');
    const { login, poll: polling } = answer.json as Flow;
    const opened = await prefixed.as().get(new URL(login).pathname);
    await prefixed.stop();

    expect(polling.endpoint).toBe('https://example.org/reader/login/v2/poll');
    expect(login.startsWith('https://example.org/reader/login/v2/flow/')).toBe(true);
    expect(opened.headers.location).toMatch(
      /^\/reader\/login\?redirect_url=%2Flogin%2Fv2%2Fflow%2F/,
    );
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Param, Post, Put, UseGuards } from '@nestjs/common';
import { AdminGuard } from '../../../src/common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../src/common/auth/basic-auth.guard.js';
import {
  AnonymousToo,
  CurrentSession,
  CurrentUser,
} from '../../../src/common/http/current-user.decorator.js';
import { OcsController } from '../../../src/common/ocs/ocs-controller.decorator.js';
import { AccessChanges } from '../../../src/common/ports/access-changes.js';
import { Sessions, type Session } from '../../../src/common/ports/sessions.js';
import type { Account } from '../../../src/common/ports/user-directory.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { basic } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

/** Example routes. */
@Controller('probe')
@UseGuards(BasicAuthGuard)
class ProbeController {
  @Get()
  read(@CurrentUser() account: Account, @CurrentSession() session?: Session) {
    return { user: account.userId, requestToken: session?.requestToken ?? null };
  }

  @Post()
  change(@CurrentUser() account: Account, @Body() body: unknown) {
    return { user: account.userId, body };
  }

  @Put(':id')
  replace(@CurrentUser() account: Account, @Param('id') id: string) {
    return { user: account.userId, id };
  }

  @Get('open')
  @AnonymousToo()
  open(@CurrentUser() account?: Account) {
    return { user: account?.userId ?? null };
  }

  @Get('administrators')
  @UseGuards(AdminGuard)
  administrators(@CurrentUser() account: Account) {
    return { user: account.userId };
  }
}

@OcsController('probe')
class OcsProbeController {
  @Post()
  change(@CurrentUser() account: Account) {
    return { user: account.userId };
  }
}

const ADMIN = { userId: 'admin', password: 'of the administrator' };
const DAY_SECONDS = 86_400;

let testDatabase: TestDatabase;
let clock: TestClock;
/** Two processes of one installation. */
let here: Platform;
let elsewhere: Platform;
let users: UsersService;
let nextUser = 0;
let ada: { userId: string; password: string };
let browser: Browser;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  clock = new TestClock();
  const options = {
    databaseUrl: testDatabase.url,
    clock,
    settings: { GATEFOLD_RATE_LIMITS: 'off', GATEFOLD_ADMIN_PASSWORD: ADMIN.password },
    controllers: [ProbeController, OcsProbeController],
  };
  here = await startPlatform(options);
  elsewhere = await startPlatform(options);
  users = here.get(UsersService);
});

afterAll(async () => {
  await here?.stop();
  await elsewhere?.stop();
  await testDatabase?.drop();
});

beforeEach(async () => {
  ada = { userId: `ada-${nextUser++}`, password: 'the password of ada' };
  await users.add(ada);
  browser = new Browser(here.url);
  await browser.login(ada);
});

function cookie(of = browser): string {
  return `gatefold_session=${of.cookies.get('gatefold_session')}`;
}

async function requestToken(of = browser): Promise<string> {
  return String((await of.get('/probe')).json?.['requestToken' as never]);
}

/** Whose session it is, for what asks by its id later: connections that stay open, and pages of apps. */
async function ownerLater(): Promise<() => Promise<string | undefined>> {
  const session = await here.get(Sessions).identify({ headers: { cookie: cookie() }, ip: '' });
  return async () =>
    (await elsewhere.get(Sessions).accountOf(session?.id ?? 0, ada.userId))?.userId;
}

async function statusOnBoth(): Promise<number[]> {
  const headers = { cookie: cookie() };
  const answers = await Promise.all([
    here.as().get('/probe', { headers }),
    elsewhere.as().get('/probe', { headers }),
  ]);
  return answers.map(({ status }) => status);
}

describe('the cookie', () => {
  it('is HttpOnly and SameSite, for at most 30 days', async () => {
    const { headers } = await new Browser(here.url).login(ada);

    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^gatefold_session=[\w-]{44}; Max-Age=2592000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  it('is new with each login, and the former one is invalid', async () => {
    const former = cookie();
    await browser.login(ada);

    expect(cookie()).not.toBe(former);
    expect((await here.as().get('/probe', { headers: { cookie: former } })).status).toBe(401);
    expect((await browser.get('/probe')).status).toBe(200);
  });

  it('is not accepted if planted', async () => {
    const planted = new Browser(here.url);
    planted.cookies.set('gatefold_session', 'x'.repeat(43));
    await planted.login(ada);

    expect(planted.cookies.get('gatefold_session')).not.toBe('x'.repeat(43));
  });

  it('is not stored in the database', async () => {
    const value = browser.cookies.get('gatefold_session') ?? '';
    const rows = await here.database.query<{ row: string }>(
      `select s::text as row from login_session s where user_id = $1`,
      [ada.userId],
    );

    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(value);
    expect(rows[0]?.row).not.toContain(Buffer.from(value).toString('hex'));
  });
});

describe('a request with a session', () => {
  it('is authenticated on every process', async () => {
    expect((await browser.get('/probe')).json).toMatchObject({ user: ada.userId });
    expect(await statusOnBoth()).toEqual([200, 200]);
  });

  it('is authenticated on routes for guests', async () => {
    expect((await browser.get('/probe/open')).json).toEqual({ user: ada.userId });
    expect((await here.as().get('/probe/open')).json).toEqual({ user: null });
  });

  it('reaches administrators’ routes only for administrators', async () => {
    const administrator = new Browser(here.url);
    await administrator.login(ADMIN);

    expect((await administrator.get('/probe/administrators')).status).toBe(200);
    expect((await browser.get('/probe/administrators')).status).toBe(403);
  });

  it('prefers explicit credentials', async () => {
    const asAdmin = { authorization: basic(ADMIN) };
    const wrong = { authorization: basic({ ...ADMIN, password: 'wrong' }) };

    expect((await browser.get('/probe', { headers: asAdmin })).json).toEqual({
      user: 'admin',
      requestToken: null,
    });
    expect((await browser.get('/probe', { headers: wrong })).status).toBe(401);
    expect((await browser.get('/probe', { headers: { authorization: 'Bearer x' } })).status).toBe(
      401,
    );
    const claimsToBeAnApp = { 'authorization-app-api': 'eDp5', 'ex-app-id': 'x' };
    expect((await browser.get('/probe', { headers: claimsToBeAnApp })).status).toBe(401);
  });

  it.each(['gatefold_session=', 'gatefold_session=short', 'xgatefold_session=VALUE', 'a=VALUE'])(
    'is that of a stranger with the cookie %s',
    async (text) => {
      const value = browser.cookies.get('gatefold_session') ?? '';
      const headers = { cookie: text.replace('VALUE', value) };

      expect((await here.as().get('/probe', { headers })).status).toBe(401);
    },
  );

  it('is found among other cookies', async () => {
    const headers = { cookie: `a=1; ${cookie()}; b=2` };

    expect((await here.as().get('/probe', { headers })).status).toBe(200);
  });
});

describe('a change', () => {
  it('is rejected without the CSRF token', async () => {
    const answer = await browser.call('POST', '/probe', { json: {} });

    expect(answer.status).toBe(412);
    expect(answer.json).toEqual({ message: 'CSRF check failed' });
    expect((await browser.call('PUT', '/probe/1')).status).toBe(412);
    expect((await browser.call('DELETE', '/probe')).status).not.toBe(200);
  });

  it('is rejected with the CSRF token of another session', async () => {
    const other = new Browser(here.url);
    await other.login(ada);
    const requesttoken = await requestToken(other);

    const answer = await browser.call('POST', '/probe', { headers: { requesttoken } });

    expect(answer.status).toBe(412);
  });

  it('is accepted with the CSRF token in a header or form field', async () => {
    const requesttoken = await requestToken();

    const byHeader = await browser.call('POST', '/probe', { headers: { requesttoken } });
    const byForm = await browser.submit('/probe', { requesttoken });
    const put = await browser.call('PUT', '/probe/7', { headers: { requesttoken } });

    expect([byHeader.status, byForm.status, put.status]).toEqual([201, 201, 200]);
    expect(put.json).toEqual({ user: ada.userId, id: '7' });
  });

  it('requires no CSRF token with Basic credentials', async () => {
    expect((await here.as(ada).post('/probe', {})).status).toBe(201);
  });

  it.each([
    ['/ocs/v1.php', 200],
    ['/ocs/v2.php', 412],
  ])('is refused in the envelope below %s', async (root, status) => {
    const answer = await browser.call('POST', `${root}/probe?format=json`);

    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({
      ocs: { meta: { status: 'failure', statuscode: 412, message: 'CSRF check failed' } },
    });
  });
});

describe('a page of another site', () => {
  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])(
    'makes a stranger of the visitor that it sends here: %s',
    async (origin) => {
      const requesttoken = await requestToken();

      expect((await browser.get('/probe', { headers: { origin } })).status).toBe(401);
      expect(
        (await browser.call('POST', '/probe', { headers: { origin, requesttoken } })).status,
      ).toBe(401);
      expect((await browser.get('/probe/open', { headers: { origin } })).json).toEqual({
        user: null,
      });
    },
  );

  it('is distinguished from our own', async () => {
    const requesttoken = await requestToken();
    const headers = { origin: here.url, requesttoken };
    const hiding = { origin: 'null', 'sec-fetch-site': 'same-origin', requesttoken };

    expect((await browser.call('POST', '/probe', { headers })).status).toBe(201);
    expect((await browser.call('POST', '/probe', { headers: hiding })).status).toBe(201);
  });
});

describe('a refused request', () => {
  it('has a challenge only for navigation', async () => {
    const challengeOf = async (headers: Record<string, string>) =>
      (await here.as().get('/probe', { headers })).headers['www-authenticate'];

    expect(await challengeOf({})).toMatch(/^Basic /);
    expect(await challengeOf({ 'sec-fetch-mode': 'navigate' })).toMatch(/^Basic /);
    expect(await challengeOf({ 'sec-fetch-mode': 'cors' })).toBeUndefined();
    expect(await challengeOf({ 'x-requested-with': 'XMLHttpRequest' })).toBeUndefined();
  });
});

describe('a session', () => {
  it('ends on every process when its user logs out, by form or by link', async () => {
    const requesttoken = await requestToken();
    const { signal } = await elsewhere.get(AccessChanges).watch(ada.userId);
    const answer = await browser.submit('/logout', { requesttoken });
    const gone = { cookie: `gatefold_session=${browser.cookies.get('gatefold_session')}` };

    expect([answer.status, answer.headers.location]).toEqual([303, '/login']);
    expect(browser.cookies.size).toBe(0);
    // What is open with it ends, too.
    await until('the other process to hear of it', () => signal.aborted);
    expect((await elsewhere.as().get('/probe', { headers: gone })).status).toBe(401);

    await browser.login(ada);
    const held = { cookie: cookie() };
    await browser.get('/logout', { query: { requesttoken: await requestToken() } });

    expect((await here.as().get('/probe', { headers: held })).status).toBe(401);
  });

  it('cannot be ended by another site', async () => {
    const byForm = await browser.submit('/logout', {});
    const byLink = await browser.get('/logout');
    const withWrongToken = await browser.get('/logout?requesttoken=wrong');
    const fromElsewhere = await browser.submit('/logout', {}, { origin: 'https://evil.example' });

    expect([byForm.status, byLink.status, withWrongToken.status]).toEqual([412, 412, 412]);
    expect(fromElsewhere.headers['set-cookie']).toBeUndefined();
    expect((await browser.get('/probe')).status).toBe(200);
  });

  it('expires after 7 days without a request', async () => {
    const owner = await ownerLater();
    clock.advanceSeconds(7 * DAY_SECONDS - 1);
    expect(await statusOnBoth()).toEqual([200, 200]);

    clock.advanceSeconds(7 * DAY_SECONDS - 1);
    expect(await owner()).toBe(ada.userId);
    clock.advanceSeconds(1);
    expect(await statusOnBoth()).toEqual([401, 401]);
    expect(await owner()).toBeUndefined();
  });

  it('expires after 30 days, even if used', async () => {
    const owner = await ownerLater();
    for (let day = 0; day < 29; day++) {
      clock.advanceSeconds(DAY_SECONDS);
      expect((await browser.get('/probe')).status).toBe(200);
    }

    clock.advanceSeconds(DAY_SECONDS - 1);
    expect(await owner()).toBe(ada.userId);
    clock.advanceSeconds(1);
    expect(await statusOnBoth()).toEqual([401, 401]);
    expect(await owner()).toBeUndefined();
  });

  it('is removed from the database after it expires', async () => {
    clock.advanceSeconds(8 * DAY_SECONDS);
    const other = new Browser(here.url);
    await other.login(ADMIN);

    const rows = await here.database.query('select 1 from login_session where user_id = $1', [
      ada.userId,
    ]);
    expect(rows).toEqual([]);
  });

  it('records its last use, to the minute', async () => {
    const lastSeen = async () => {
      const [row] = await here.database.query<{ at: number }>(
        `select extract(epoch from last_seen_at)::bigint as at from login_session where user_id = $1`,
        [ada.userId],
      );
      return row?.at;
    };
    const begun = clock.nowSeconds();
    clock.advanceSeconds(59);
    await browser.get('/probe');
    const early = await lastSeen();
    clock.advanceSeconds(1);
    await browser.get('/probe');

    expect(early).toBe(begun);
    expect(await lastSeen()).toBe(begun + 60);
  });

  it('ends for good when its account is disabled', async () => {
    await users.disable(ada.userId);
    expect(await statusOnBoth()).toEqual([401, 401]);

    await users.enable(ada.userId);
    expect(await statusOnBoth()).toEqual([401, 401]);
  });

  it('ends at once for an account disabled in the database', async () => {
    await here.database.query('update account set disabled_at = now() where user_id = $1', [
      ada.userId,
    ]);

    expect(await statusOnBoth()).toEqual([401, 401]);
  });

  it('ends with its account', async () => {
    await users.delete(ada.userId);
    await users.add(ada);

    expect(await statusOnBoth()).toEqual([401, 401]);
  });

  it('ends everywhere when an administrator logs its user out; app passwords if that is wanted', async () => {
    const path = `/ocs/v2.php/apps/gatefold/api/v1/users/${ada.userId}/sessions`;
    const { token } = await here.get(AppPasswordsService).add(ada.userId, 'phone');
    const withToken = async () =>
      (await elsewhere.as({ ...ada, password: token }).get('/probe')).status;
    const strangers = await Promise.all([
      here.as().call('DELETE', path),
      here.as(ada).call('DELETE', path),
    ]);
    const before = await statusOnBoth();
    const { signal } = await elsewhere.get(AccessChanges).watch(ada.userId);
    const { status } = await here.as(ADMIN).call('DELETE', path);
    const after = [await statusOnBoth(), await withToken()];
    await until('what is open elsewhere to end', () => signal.aborted);

    await here.as(ADMIN).call('DELETE', path, { json: { appPasswords: true } });

    expect([...strangers.map((answer) => answer.status), ...before]).toEqual([401, 403, 200, 200]);
    expect([status, ...after, await withToken()]).toEqual([200, [401, 401], 200, 401]);
    const events = await here.database.query<{ kind: string; details: string; actor: string }>(
      `select kind, details, actor_id as actor from security_event
        where user_id = $1 and kind in ('session_revoked', 'app_password_revoked') order by id`,
      [ada.userId],
    );
    expect(events).toEqual([
      { kind: 'session_revoked', details: 'all', actor: ADMIN.userId },
      { kind: 'app_password_revoked', details: 'all 1', actor: ADMIN.userId },
      { kind: 'session_revoked', details: 'all', actor: ADMIN.userId },
    ]);
    const unknown = await here
      .as(ADMIN)
      .call('DELETE', '/ocs/v2.php/apps/gatefold/api/v1/users/nobody/sessions');
    expect(unknown.status).toBe(404);
  });

  it('of an administrator who logs themselves out everywhere remains', async () => {
    await users.makeAdministrator(ada.userId);
    const other = new Browser(elsewhere.url);
    await other.login(ada);

    const { status } = await browser.call(
      'DELETE',
      `/ocs/v2.php/apps/gatefold/api/v1/users/${ada.userId}/sessions`,
      { headers: { requesttoken: await requestToken() } },
    );

    expect([status, (await other.get('/probe')).status, ...(await statusOnBoth())]).toEqual([
      200, 401, 200, 200,
    ]);
  });

  it('ends when the password changes, except for the caller’s', async () => {
    const other = new Browser(here.url);
    await other.login(ada);
    const session = await here.get(Sessions).identify({ headers: { cookie: cookie() }, ip: '' });

    await users.changePassword(ada.userId, 'another password', session?.id);

    expect((await browser.get('/probe')).status).toBe(200);
    expect((await other.get('/probe')).status).toBe(401);
  });

  it('has the current rights of its account', async () => {
    const administrator = new Browser(here.url);
    await here.database.query('update account set is_admin = true where user_id = $1', [
      ada.userId,
    ]);
    await administrator.login(ada);
    const before = await administrator.get('/probe/administrators');
    await here.database.query('update account set is_admin = false where user_id = $1', [
      ada.userId,
    ]);

    expect(before.status).toBe(200);
    expect((await administrator.get('/probe/administrators')).status).toBe(403);
  });
});

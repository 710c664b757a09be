import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { Sessions } from '../../../src/common/ports/sessions.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { SecondFactorResets } from '../../../src/platform/sign-in/second-factor/second-factor-resets.service.js';
import { SecondFactorsService } from '../../../src/platform/sign-in/second-factor/second-factors.service.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const USERS = '/ocs/v2.php/cloud/users';
const ADMIN = { userId: 'admin', password: 'of the administrator' };
const ADA = { userId: 'ada', password: 'the right words of ada' };

let testDatabase: TestDatabase;
let clock: TestClock;
/** Processes on one database, by their setting. */
let optional: Platform;
let administrators: Platform;
let required: Platform;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  clock = new TestClock();
  const start = (setting: string) =>
    startPlatform({
      databaseUrl: testDatabase.url,
      clock,
      settings: {
        GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
        GATEFOLD_RATE_LIMITS: 'off',
        GATEFOLD_SECOND_FACTOR: setting,
      },
    });
  optional = await start('optional');
  administrators = await start('administrators');
  required = await start('required');
  await optional.get(UsersService).add(ADA);
});

afterAll(async () => {
  await Promise.all([optional, administrators, required].map((platform) => platform?.stop()));
  await testDatabase?.drop();
});

const codeOf = (secret: string) =>
  new TOTP({ secret }).generate({ timestamp: clock.now().getTime() });

/** @returns the secret */
async function setUp(userId: string): Promise<string> {
  const factors = optional.get(SecondFactorsService);
  const { secret } = await factors.beginTotp(userId);
  await factors.confirmTotp(userId, codeOf(secret));
  clock.advanceSeconds(60);
  return secret;
}

const dataOf = <Data>({ json }: Answer) => (json as { ocs: { data: Data } }).ocs.data;
const messageOf = ({ json }: Answer) =>
  (json as { ocs: { meta: { message: string } } }).ocs.meta.message;

/** A user as administrators see them. */
interface UserDetails {
  readonly secondFactor: boolean;
  /** Unix milliseconds. */
  readonly lastLogin: number;
}

async function detailsOf(userId: string): Promise<UserDetails | undefined> {
  const answer = await optional.as(ADMIN).get(`${USERS}/details?format=json`);
  return dataOf<{ users: Record<string, UserDetails> }>(answer).users[userId];
}

const secondFactorOf = async (userId: string) => (await detailsOf(userId))?.secondFactor;

const reset = (by: ApiClient, userId: string) =>
  by.call('DELETE', `${USERS}/${userId}/secondfactors?format=json`);

describe('an administrator', () => {
  it('sees who has a second factor', async () => {
    expect(await secondFactorOf('ada')).toBe(false);
    await setUp('ada');
    expect(await secondFactorOf('ada')).toBe(true);
    await optional.get(SecondFactorResets).reset('ada');
    expect(await secondFactorOf('ada')).toBe(false);
  });

  it('sees when a user last logged in with a second factor; the password alone is no login', async () => {
    const secret = await setUp('ada');
    const lastLogin = async () => (await detailsOf('ada'))?.lastLogin;
    const browser = new Browser(optional.url);

    const before = await lastLogin();
    await browser.login(ADA);
    const afterPassword = await lastLogin();
    await browser.submit('/login/second-factor', { code: codeOf(secret) });
    const afterCode = await lastLogin();
    await optional.get(SecondFactorResets).reset('ada');

    expect([afterPassword, afterCode]).toEqual([before, clock.nowSeconds() * 1000]);
  });

  it('resets the second factor of a user, who is notified', async () => {
    await setUp('ada');
    expect((await optional.as(ADA).get(SELF)).status).toBe(401);
    await optional.database.query('delete from notification');

    const answer = await reset(optional.as(ADMIN), 'ada');

    expect(answer.status).toBe(200);
    expect((await new Browser(optional.url).login(ADA)).headers.location).toBe('/apps/news/');
    const left = await optional.database.query('select 1 from totp_factor, recovery_code');
    expect(left).toEqual([]);
    const told = await optional
      .as(ADA)
      .get('/ocs/v2.php/apps/notifications/api/v2/notifications?format=json');
    expect(dataOf<object[]>(told)).toEqual([
      expect.objectContaining({
        subject: 'An administrator has reset your second factor.',
        link: expect.stringMatching(/\/settings\/user\/security$/),
      }),
    ]);
    const [event] = await optional.database.query<object>(
      `select user_id, actor_id, credential from security_event where kind = 'second_factor_reset'
        order by id desc limit 1`,
    );
    expect(event).toEqual({ user_id: 'ada', actor_id: 'admin', credential: 'password' });
  });

  it('gets 404 for a user without one, and for an unknown user', async () => {
    expect((await reset(optional.as(ADMIN), 'ada')).status).toBe(404);
    expect((await reset(optional.as(ADMIN), 'nobody')).status).toBe(404);
  });

  it('does not reset their own in this way', async () => {
    const answer = await reset(optional.as(ADMIN), 'admin');

    expect([answer.status, messageOf(answer)]).toEqual([
      409,
      'You cannot reset your own second factor; another administrator can.',
    ]);
  });

  it('is needed: other users and app passwords without that right are refused', async () => {
    const { token } = await optional.get(AppPasswordsService).add('admin', 'phone');

    expect((await reset(optional.as(ADA), 'admin')).status).toBe(403);
    const phone = optional.as({ userId: 'admin', password: token });
    expect((await reset(phone, 'ada')).status).toBe(403);
    expect((await reset(new ApiClient(optional.url), 'ada')).status).toBe(401);
  });
});

describe('where a second factor is required', () => {
  it('a login without one first sets it up, and then shows recovery codes', async () => {
    await optional.get(UsersService).add({ ...ADA, userId: 'bob' });
    const browser = new Browser(required.url);
    const toSetUp = await browser.login({ ...ADA, userId: 'bob' }, '/apps/files/');
    expect([toSetUp.status, toSetUp.headers.location]).toEqual([303, '/login/second-factor']);
    expect((await browser.get(SELF)).status).toBe(401);

    const page = await browser.get('/login/second-factor');
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page.text)?.[1] ?? '';
    expect(page.text).toContain('<svg');
    // Dark on white: the corner of the code, behind its margin of four.
    expect(page.text).toContain('<path d="M4 4h1v1h-1z');
    expect(page.text).not.toContain('<script');
    // Nothing is stored by looking at the page, and the secret stays the same.
    expect((await browser.get('/login/second-factor')).text).toContain(secret);
    expect(await optional.database.query('select 1 from totp_factor')).toEqual([]);

    const wrong = await browser.submit('/login/second-factor', { code: '000000' });
    expect([wrong.status, (await browser.get(SELF)).status]).toEqual([403, 401]);
    expect(wrong.text).toContain(secret);

    const codes = await browser.submit('/login/second-factor', { code: codeOf(secret) });

    expect(codes.status).toBe(200);
    expect(codes.text.match(/<code>[a-z2-9-]{19}<\/code>/g)).toHaveLength(10);
    expect(codes.text).toContain('href="/apps/files/"');
    expect((await browser.get(SELF)).status).toBe(200);
    expect([...browser.cookies.keys()]).toEqual(['gatefold_session']);
    clock.advanceSeconds(60);

    const next = new Browser(required.url);
    await next.login({ ...ADA, userId: 'bob' });
    expect((await next.get('/login/second-factor')).text).not.toContain('<svg');
    const entered = await next.submit('/login/second-factor', { code: codeOf(secret) });
    expect([entered.status, (await next.get(SELF)).status]).toEqual([303, 200]);
  });

  it('a page from before another user set one up with the password does not replace it', async () => {
    await optional.get(UsersService).add({ ...ADA, userId: 'cleo' });
    const browser = new Browser(required.url);
    await browser.login({ ...ADA, userId: 'cleo' });
    const { text } = await browser.get('/login/second-factor');
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? '';
    await setUp('cleo');

    const late = await browser.submit('/login/second-factor', { code: codeOf(secret) });

    expect([late.status, late.headers.location]).toEqual([303, '/login']);
    expect((await browser.get(SELF)).status).toBe(401);
  });

  it('programs with the account password are told to set one up; app passwords work', async () => {
    const { token } = await optional.get(AppPasswordsService).add('ada', 'phone');

    const refused = await required.as(ADA).get(SELF);

    expect([refused.status, messageOf(refused)]).toEqual([
      401,
      'This account needs a second factor: log in with a browser to set it up. Programs need an app password.',
    ]);
    expect((await required.as({ userId: 'ada', password: token }).get(SELF)).status).toBe(200);
  });

  it('sessions that began with the password alone are not accepted; those of providers are', async () => {
    const browser = new Browser(optional.url);
    await browser.login(ADA);
    const cookie = `gatefold_session=${browser.cookies.get('gatefold_session')}`;
    const identify = (platform: Platform) =>
      platform.get(Sessions).identify({ headers: { cookie }, ip: '' });
    expect((await identify(optional))?.account.userId).toBe('ada');
    expect((await identify(administrators))?.account.userId).toBe('ada');
    const session = await identify(optional);

    expect(await identify(required)).toBeNull();
    expect(await required.get(Sessions).accountOf(session?.id ?? 0, 'ada')).toBeNull();

    await optional.database.query(`update login_session set provider = 'oidc' where id = $1`, [
      session?.id,
    ]);
    expect((await identify(required))?.account.userId).toBe('ada');
  });
});

describe('where administrators need a second factor', () => {
  it('other users do not', async () => {
    expect((await administrators.as(ADA).get(SELF)).status).toBe(200);
    expect((await administrators.as(ADMIN).get(SELF)).status).toBe(401);
    const login = async (person: typeof ADA) =>
      (await new Browser(administrators.url).login(person)).headers.location;
    expect(await login(ADA)).toBe('/apps/news/');
    expect(await login(ADMIN)).toBe('/login/second-factor');
  });

  it('a user who becomes one sets it up at the next login', async () => {
    const eve = { ...ADA, userId: 'eve' };
    await optional.get(UsersService).add(eve);
    const browser = new Browser(administrators.url);
    await browser.login(eve);
    expect((await browser.get(SELF)).status).toBe(200);

    await optional.get(UsersService).makeAdministrator('eve');

    expect((await browser.get(SELF)).status).toBe(401);
    expect((await browser.login(eve)).headers.location).toBe('/login/second-factor');
  });
});

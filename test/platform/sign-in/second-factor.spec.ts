import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { Sessions } from '../../../src/common/ports/sessions.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { SecretKeyService } from '../../../src/platform/installation/secrets/secret-key.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { LoginFlowService } from '../../../src/platform/sign-in/login-flow/login-flow.service.js';
import { SecondFactorsService } from '../../../src/platform/sign-in/second-factor/second-factors.service.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { Browser } from '../../support/browser.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const FACTORS = '/ocs/v2.php/core/secondfactors';
const PASSWORD = 'the right words of ada';

let clock: TestClock;
let platform: Platform;
let users = 0;
/** A new one for each test. */
let ada: { readonly userId: string; readonly password: string };
let browser: Browser;

beforeAll(async () => {
  clock = new TestClock();
  platform = await startPlatform({ clock });
});

afterAll(() => platform?.stop());

beforeEach(async () => {
  await platform.database.query('delete from login_throttle');
  ada = { userId: `ada${(users += 1)}`, password: PASSWORD };
  await platform.get(UsersService).add(ada);
  browser = new Browser(platform.url);
});

interface OcsAnswer<Data> {
  readonly ocs: { readonly meta: { readonly message: string }; readonly data: Data };
}

/** A call of the page: JSON, and the token of the session. */
async function call<Data>(
  method: string,
  path: string,
  json?: object,
  by = browser,
): Promise<{ status: number; message: string; data: Data }> {
  const answer = await by.call(method, `${path}?format=json`, {
    headers: { requesttoken: await requestTokenOf(by) },
    ...(json && { json }),
  });
  const { meta, data } = (answer.json as OcsAnswer<Data>).ocs;
  return { status: answer.status, message: meta.message, data };
}

async function requestTokenOf(by: Browser): Promise<string> {
  const cookie = `gatefold_session=${by.cookies.get('gatefold_session')}`;
  const session = await platform.get(Sessions).identify({ headers: { cookie }, ip: '127.0.0.1' });
  return session?.requestToken ?? '';
}

const codeOf = (secret: string, secondsFromNow = 0) =>
  new TOTP({ secret }).generate({ timestamp: clock.now().getTime() + secondsFromNow * 1000 });

/** Logs in and sets up an authenticator app; the code of this half minute is used. */
async function setUp(): Promise<{ secret: string; recoveryCodes: string[] }> {
  await browser.login(ada);
  const begun = await call<{ secret: string }>('POST', `${FACTORS}/totp`);
  const { secret } = begun.data;
  const confirmed = await call<{ recoveryCodes: string[] }>('POST', `${FACTORS}/totp/confirm`, {
    code: codeOf(secret),
  });
  expect([begun.status, confirmed.status]).toEqual([200, 200]);
  clock.advanceSeconds(60);
  return { secret, ...confirmed.data };
}

const enterCode = (by: Browser, code: string) => by.submit('/login/second-factor', { code });

const isLoggedIn = async (by: Browser) => (await by.get(SELF)).status === 200;

/** A browser in which the password was right. */
async function afterPassword(redirectUrl = ''): Promise<Browser> {
  const by = new Browser(platform.url);
  const answer = await by.login(ada, redirectUrl);
  expect([answer.status, answer.headers.location]).toEqual([303, '/login/second-factor']);
  return by;
}

const problemOf = ({ text }: Answer) => /<p role="alert">([^<]*)<\/p>/.exec(text)?.[1];

const kindsOf = async (userId: string) =>
  (
    await platform.database.query<{ kind: string }>(
      'select kind from security_event where user_id = $1 order by id',
      [userId],
    )
  ).map(({ kind }) => kind);

describe('setting up an authenticator app', () => {
  it('needs its first code, and gives ten recovery codes once', async () => {
    await browser.login(ada);
    const { data } = await call<{ secret: string; address: string }>('POST', `${FACTORS}/totp`);

    expect(data.secret).toMatch(/^[A-Z2-7]{32}$/);
    const address = new URL(data.address);
    expect([address.protocol, address.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(address.pathname)).toMatch(
      new RegExp(`^/Gatefold \\(127\\.0\\.0\\.1:\\d+\\):${ada.userId}$`),
    );
    expect(address.searchParams.get('secret')).toBe(data.secret);

    const wrong = await call('POST', `${FACTORS}/totp/confirm`, { code: '000000' });
    expect([wrong.status, wrong.message]).toEqual([403, 'The code is wrong, or was used before.']);
    expect(await isLoggedIn(await loggedInByPassword())).toBe(true);

    const code = codeOf(data.secret);
    const confirmed = await call<{ recoveryCodes: string[] }>('POST', `${FACTORS}/totp/confirm`, {
      code,
    });

    expect(new Set(confirmed.data.recoveryCodes).size).toBe(10);
    expect((await call('GET', FACTORS)).data).toEqual({
      totp: { since: clock.nowSeconds() },
      recoveryCodesLeft: 10,
    });
    expect((await call('POST', `${FACTORS}/totp/confirm`, { code })).status).toBe(409);
    expect((await call('POST', `${FACTORS}/totp`)).status).toBe(409);
    expect(await kindsOf(ada.userId)).toContain('second_factor_added');
  });

  it('can be begun again until it is confirmed; then only the latest secret counts', async () => {
    await browser.login(ada);
    const first = await call<{ secret: string }>('POST', `${FACTORS}/totp`);
    const second = await call<{ secret: string }>('POST', `${FACTORS}/totp`);

    const confirm = async (secret: string) =>
      (await call('POST', `${FACTORS}/totp/confirm`, { code: codeOf(secret) })).status;
    expect(await confirm(first.data.secret)).toBe(403);
    expect(await confirm(second.data.secret)).toBe(200);
  });

  it('stores neither the secret nor the recovery codes in the clear', async () => {
    const { secret, recoveryCodes } = await setUp();

    const [stored] = await platform.database.query<{ sealed: Buffer }>(
      'select sealed_secret as sealed from totp_factor where user_id = $1',
      [ada.userId],
    );
    expect(stored?.sealed.includes(secret)).toBe(false);
    const codes = await platform.database.query<{ hash: Buffer }>(
      'select code_hash as hash from recovery_code where user_id = $1',
      [ada.userId],
    );
    expect(codes.map(({ hash }) => hash.length)).toEqual(recoveryCodes.map(() => 32));
  });

  it('is refused to app passwords', async () => {
    const { token } = await platform.get(AppPasswordsService).add(ada.userId, 'phone');
    const phone = platform.as({ userId: ada.userId, password: token });

    expect((await phone.post(`${FACTORS}/totp`, {})).status).toBe(403);
    expect((await phone.get(FACTORS)).status).toBe(403);
    expect((await new ApiClient(platform.url).get(FACTORS)).status).toBe(401);
  });
});

/** Another browser, while there is no second factor. */
async function loggedInByPassword(): Promise<Browser> {
  const by = new Browser(platform.url);
  await by.login(ada);
  return by;
}

describe('logging in with a second factor', () => {
  it('asks for a code after the right password, and goes on where it was wanted', async () => {
    const { secret } = await setUp();
    const by = await afterPassword('/apps/files/');

    expect(await isLoggedIn(by)).toBe(false);
    const page = await by.get('/login/second-factor');
    expect(page.status).toBe(200);
    expect(page.text).toContain('autocomplete="one-time-code"');
    expect(page.text).not.toContain('<script');

    await platform.database.query('delete from login_throttle');
    const answer = await enterCode(by, codeOf(secret));

    expect([answer.status, answer.headers.location]).toEqual([303, '/apps/files/']);
    expect(await isLoggedIn(by)).toBe(true);
    expect([...by.cookies.keys()]).toEqual(['gatefold_session']);
    // The place of a complete login is trusted, so that guesses of others do not block it.
    expect(
      await platform.database.query('select from login_throttle where trusted_until > $1', [
        clock.now(),
      ]),
    ).toHaveLength(1);
  });

  it('does not reveal the second factor to who does not know the password', async () => {
    await setUp();
    const answer = await new Browser(platform.url).login({ ...ada, password: 'wrong' });

    expect([answer.status, problemOf(answer)]).toEqual([403, 'User name or password is wrong.']);
  });

  it('accepts each code once', async () => {
    const { secret } = await setUp();
    const code = codeOf(secret);
    expect((await enterCode(await afterPassword(), code)).status).toBe(303);

    const again = await enterCode(await afterPassword(), code);

    expect([again.status, problemOf(again)]).toEqual([
      403,
      'The code is wrong or was already used.',
    ]);
  });

  it.each([
    [-30, 303],
    [30, 303],
    [-90, 403],
    [90, 403],
  ])('a code of a clock that differs by %d seconds gets %d', async (seconds, status) => {
    const { secret } = await setUp();
    clock.advanceSeconds(120);

    expect((await enterCode(await afterPassword(), codeOf(secret, seconds))).status).toBe(status);
  });

  it('accepts each recovery code once, however it is written', async () => {
    const { recoveryCodes } = await setUp();
    const [code = ''] = recoveryCodes;
    const written = ` ${code.replaceAll('-', ' ').toUpperCase()} `;

    expect((await enterCode(await afterPassword(), written)).status).toBe(303);
    expect((await enterCode(await afterPassword(), code)).status).toBe(403);
    expect((await call('GET', FACTORS)).data).toMatchObject({ recoveryCodesLeft: 9 });
    expect(await kindsOf(ada.userId)).toEqual(
      expect.arrayContaining(['recovery_code_used', 'second_factor_failed']),
    );
  });

  it('completes a login once, also with a kept cookie and another code', async () => {
    const { recoveryCodes } = await setUp();
    const by = await afterPassword();
    const copy = new Browser(platform.url);
    by.cookies.forEach((value, name) => copy.cookies.set(name, value));
    expect((await enterCode(by, recoveryCodes[0] ?? '')).status).toBe(303);

    expect((await enterCode(copy, recoveryCodes[1] ?? '')).status).toBe(403);
    expect(await isLoggedIn(copy)).toBe(false);
  });

  it('refuses codes of another user', async () => {
    const { secret, recoveryCodes } = await setUp();
    const mallory = { userId: `mallory-of-${ada.userId}`, password: 'the words of mallory' };
    await platform.get(UsersService).add(mallory);
    [ada, browser] = [mallory, new Browser(platform.url)];
    await setUp();
    const by = await afterPassword();

    expect((await enterCode(by, codeOf(secret))).status).toBe(403);
    expect((await enterCode(by, recoveryCodes[0] ?? '')).status).toBe(403);
  });

  it('is bound to the browser, and ends after ten minutes', async () => {
    const { secret } = await setUp();
    const by = await afterPassword();

    const elsewhere = await enterCode(new Browser(platform.url), codeOf(secret));
    expect([elsewhere.status, elsewhere.headers.location]).toEqual([303, '/login']);

    clock.advanceSeconds(600);
    const late = await enterCode(by, codeOf(secret));
    expect([late.status, late.headers.location]).toEqual([303, '/login']);
    expect(await isLoggedIn(by)).toBe(false);
  });

  it.each<[string, (userId: string) => Promise<void>]>([
    [
      'the password is changed',
      (userId) => platform.get(UsersService).changePassword(userId, 'other words of ada'),
    ],
    ['the account is disabled', (userId) => platform.get(UsersService).disable(userId)],
    ['the account is deleted', (userId) => platform.get(UsersService).delete(userId)],
    ['the factor is removed', (userId) => platform.get(SecondFactorsService).removeTotp(userId)],
  ])('starts over when %s meanwhile', async (_what, change) => {
    const { secret } = await setUp();
    const by = await afterPassword();
    await change(ada.userId);

    const answer = await enterCode(by, codeOf(secret));

    expect([answer.status, answer.headers.location]).toEqual([303, '/login']);
    expect(await isLoggedIn(by)).toBe(false);
  });

  it('refuses a form of another site', async () => {
    const { secret } = await setUp();
    const by = await afterPassword();

    const answer = await by.submit(
      '/login/second-factor',
      { code: codeOf(secret) },
      { origin: 'https://evil.example' },
    );

    expect(answer.status).toBe(403);
    expect(await isLoggedIn(by)).toBe(false);
  });

  it('is asked in the login flow of programs, too', async () => {
    const { secret } = await setUp();
    const { loginToken, pollToken } = await platform.get(LoginFlowService).begin('phone', '::1');
    const by = new Browser(platform.url);
    const toLogin = await by.get(`/login/v2/flow/${loginToken}`);
    const redirectUrl = new URL(toLogin.headers.location ?? '', platform.url).searchParams.get(
      'redirect_url',
    );
    await by.login(ada, redirectUrl ?? '');
    expect((await by.get(`/login/v2/flow/${loginToken}`)).status).toBe(303);

    const entered = await enterCode(by, codeOf(secret));

    expect(entered.headers.location).toBe(`/login/v2/flow/${loginToken}`);
    const page = await by.get(`/login/v2/flow/${loginToken}`);
    const requesttoken = /name="requesttoken" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = { token: loginToken, requesttoken, decision: 'grant' };
    expect((await by.submit('/login/v2/grant', form)).status).toBe(200);
    const granted = await platform.get(LoginFlowService).take(pollToken);
    const program = platform.as({ userId: ada.userId, password: granted?.appPassword ?? '' });
    expect((await program.get(SELF)).status).toBe(200);
  });
});

describe('guessing codes', () => {
  it('is blocked after five free failures, for the right code, too', async () => {
    const { secret } = await setUp();
    const by = await afterPassword();
    for (let guess = 0; guess < 6; guess += 1) {
      expect((await enterCode(by, '000000')).status).toBe(403);
    }

    const blocked = await enterCode(by, codeOf(secret));

    expect([blocked.status, blocked.headers['retry-after']]).toEqual([429, '2']);
    expect(await kindsOf(ada.userId)).toContain('login_throttled');
    clock.advanceSeconds(3);
    expect((await enterCode(by, codeOf(secret))).status).toBe(303);
  });

  it('begins anew after a right code', async () => {
    const { secret } = await setUp();
    const by = await afterPassword();
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await enterCode(by, '000000')).status).toBe(403);
    }
    expect((await enterCode(by, codeOf(secret))).status).toBe(303);

    const again = await afterPassword();
    for (let guess = 0; guess < 6; guess += 1) {
      expect((await enterCode(again, '000000')).status).toBe(403);
    }
  });

  it('is not made easier by entering the password again', async () => {
    await setUp();
    for (let guess = 0; guess < 6; guess += 1) {
      expect((await enterCode(await afterPassword(), '000000')).status).toBe(403);
    }
    const waits: (string | undefined)[] = [];
    for (let guess = 0; guess < 4; guess += 1) {
      const blocked = await enterCode(await afterPassword(), '000000');
      waits.push(blocked.headers['retry-after']);
      clock.advanceSeconds(Number(blocked.headers['retry-after']));
      expect((await enterCode(await afterPassword(), '000000')).status).toBe(403);
    }

    expect(waits).toEqual(['2', '4', '8', '16']);
  });

  it('at the same time is as limited as one after the other', async () => {
    await setUp();
    const by = await afterPassword();

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, guess) => enterCode(by, String(100_000 + guess))),
    );

    const checked = answers.filter(({ status }) => status === 403);
    expect(checked.length).toBeLessThanOrEqual(6);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - checked.length);
  });
});

describe('programs of an account with a second factor', () => {
  it('get a clear 401 for the account password, at once', async () => {
    const program = platform.as(ada);
    expect((await program.get(SELF)).status).toBe(200);

    await setUp();

    const answer = await program.get(SELF);
    expect(answer.status).toBe(401);
    expect((answer.json as OcsAnswer<unknown>).ocs.meta.message).toBe(
      'This account has a second factor. Programs need an app password: make one in the browser, in Settings → Security.',
    );
    expect(answer.headers['www-authenticate']).toContain('Basic');
    expect((await program.get('/ocs/v2.php/core/getapppassword')).status).toBe(401);
    const wrong = await platform.as({ ...ada, password: 'wrong' }).get(SELF);
    expect((wrong.json as OcsAnswer<unknown>).ocs.meta.message).toBe(
      'Current user is not logged in',
    );
  });

  it('can use app passwords', async () => {
    await setUp();
    const { token } = await platform.get(AppPasswordsService).add(ada.userId, 'phone');

    const phone = platform.as({ userId: ada.userId, password: token });

    expect((await phone.get(SELF)).status).toBe(200);
  });
});

describe('removing the authenticator app', () => {
  it('needs the password or a code', async () => {
    const { secret } = await setUp();
    const attempts: readonly [object, number][] = [
      [{}, 403],
      [{ password: 'wrong' }, 403],
      [{ code: '000000' }, 403],
      [{ code: codeOf(secret) }, 200],
    ];

    for (const [proof, status] of attempts) {
      expect((await call('DELETE', `${FACTORS}/totp`, proof)).status).toBe(status);
    }

    expect((await call('GET', FACTORS)).data).toEqual({ totp: null, recoveryCodesLeft: 0 });
    expect((await call('DELETE', `${FACTORS}/totp`, { password: PASSWORD })).status).toBe(404);
    expect(await isLoggedIn(await loggedInByPassword())).toBe(true);
    expect((await platform.as(ada).get(SELF)).status).toBe(200);
    expect(await kindsOf(ada.userId)).toContain('second_factor_removed');
  });

  it('ignores a password in the address', async () => {
    await setUp();
    const address = `${FACTORS}/totp?password=${encodeURIComponent(PASSWORD)}`;

    const answer = await browser.call('DELETE', address, {
      headers: { requesttoken: await requestTokenOf(browser) },
    });

    expect(answer.status).toBe(403);
  });
});

describe('recovery codes', () => {
  it('are renewed with the password or a code; the former ones are void', async () => {
    const { recoveryCodes } = await setUp();
    const path = `${FACTORS}/recoverycodes`;
    expect((await call('POST', path, { password: 'wrong' })).status).toBe(403);

    const renewed = await call<{ recoveryCodes: string[] }>('POST', path, { password: PASSWORD });

    expect(renewed.data.recoveryCodes).toHaveLength(10);
    expect((await enterCode(await afterPassword(), recoveryCodes[1] ?? '')).status).toBe(403);
    const [fresh = ''] = renewed.data.recoveryCodes;
    expect((await enterCode(await afterPassword(), fresh)).status).toBe(303);
    expect(await kindsOf(ada.userId)).toContain('recovery_codes_renewed');
  });

  it('are not made without a second factor', async () => {
    await browser.login(ada);

    const answer = await call('POST', `${FACTORS}/recoverycodes`, { password: PASSWORD });

    expect(answer.status).toBe(404);
  });
});

it('The password is changed with the former one alone.', async () => {
  await setUp();
  const newPassword = 'new words of ada';

  const answer = await call('PUT', '/ocs/v2.php/core/password', {
    oldPassword: PASSWORD,
    newPassword,
  });

  expect(answer.status).toBe(200);
  ada = { ...ada, password: newPassword };
  await afterPassword();
});

it('An authenticator app whose secret cannot be opened is removed with the lost key.', async () => {
  await setUp();
  await platform.database.query('update totp_factor set sealed_secret = $2 where user_id = $1', [
    ada.userId,
    Buffer.from('sealed with a lost key, so that nobody can open it'),
  ]);
  const keys = platform.get(SecretKeyService);
  expect(await keys.lost()).toEqual([
    {
      what: 'authenticator apps of users',
      names: [ada.userId],
      remedy: 'They are removed. Users set up their app again.',
    },
  ]);

  await keys.reset();

  expect(await isLoggedIn(await loggedInByPassword())).toBe(true);
  expect(await keys.lost()).toEqual([]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { Sessions } from '../../../src/common/ports/sessions.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { SecondFactorResets } from '../../../src/platform/sign-in/second-factor/second-factor-resets.service.js';
import { SecondFactorsService } from '../../../src/platform/sign-in/second-factor/second-factors.service.js';
import { ApiClient, type Answer } from '../../support/api-client.js';
import { Authenticator, type Deviations } from '../../support/authenticator.js';
import { Browser } from '../../support/browser.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

/* Passkeys: WebAuthn, with an authenticator in software. */

const SELF = '/ocs/v2.php/cloud/user?format=json';
const PASSKEYS = '/ocs/v2.php/core/passkeys';
const PROOF = '/ocs/v2.php/core/proof';
const FACTORS = '/ocs/v2.php/core/secondfactors';
const PASSWORD = 'the right words of ada';
const NOT_ACCEPTED = 'The passkey was not accepted. Try again, or log in another way.';

let clock: TestClock;
let platform: Platform;
/** Browsers have no passkeys for IP addresses. */
let url: string;
let users = 0;
/** A new one for each test. */
let ada: { readonly userId: string; readonly password: string };
let browser: Browser;
let authenticator: Authenticator;

beforeAll(async () => {
  clock = new TestClock();
  platform = await startPlatform({
    clock,
    settings: { GATEFOLD_LIMITS: 'passkeys-per-user=3' },
  });
  url = platform.url.replace('127.0.0.1', 'localhost');
});

afterAll(() => platform?.stop());

beforeEach(async () => {
  await platform.database.query('delete from login_throttle');
  ada = await newUser('ada');
  browser = new Browser(url);
  authenticator = new Authenticator(url);
  await browser.login(ada);
  clock.advanceSeconds(1);
});

async function newUser(name: string) {
  const user = { userId: `${name}${(users += 1)}`, password: PASSWORD };
  await platform.get(UsersService).add(user);
  return user;
}

/** A call of the page: JSON, and the token of the session. */
async function call<Data>(
  method: string,
  path: string,
  json: object | undefined = undefined,
  by = browser,
): Promise<{ status: number; message: string; data: Data }> {
  const answer = await by.call(method, `${path}?format=json`, {
    headers: { requesttoken: await requestTokenOf(by) },
    ...(json && { json }),
  });
  const { ocs } = answer.json as { ocs: { meta: { message: string }; data: Data } };
  return { status: answer.status, message: ocs.meta.message, data: ocs.data };
}

async function requestTokenOf(by: Browser): Promise<string> {
  const cookie = `gatefold_session=${by.cookies.get('gatefold_session')}`;
  const session = await platform.get(Sessions).identify({ headers: { cookie }, ip: '127.0.0.1' });
  return session?.requestToken ?? '';
}

async function register(name = 'Phone', deviations: Deviations = {}, by = authenticator) {
  const { data: options } = await call<PublicKeyCredentialCreationOptionsJSON>(
    'POST',
    `${PASSKEYS}/options`,
  );
  const credential = by.create(options, deviations);
  const path = PASSKEYS;
  return call<{ recoveryCodes: string[] }>('POST', path, { name, credential });
}

interface Listed {
  readonly id: number;
  readonly name: string;
  readonly works: boolean;
  readonly lastUsed: number | null;
}

const list = async () => (await call<Listed[]>('GET', PASSKEYS)).data;

async function optionsOf(
  path: string,
  by: Browser,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const answer = await by.call('POST', path);
  expect(answer.status).toBe(200);
  return answer.json as PublicKeyCredentialRequestOptionsJSON;
}

const send = (by: Browser, credential: AuthenticationResponseJSON, redirectUrl = '') =>
  by.submit('/login/passkey', {
    credential: JSON.stringify(credential),
    redirect_url: redirectUrl,
  });

/** Logs in with the passkey in a new browser. */
async function logIn(deviations: Deviations = {}): Promise<{ by: Browser; answer: Answer }> {
  clock.advanceSeconds(1);
  const by = new Browser(url);
  const options = await optionsOf('/login/passkey/options', by);
  return { by, answer: await send(by, authenticator.get(options, deviations)) };
}

const isLoggedIn = async (by: Browser) => (await by.get(SELF)).status === 200;

const problemOf = ({ text }: Answer) => /<p role="alert">([^<]*)<\/p>/.exec(text)?.[1];

const refusalOf = (answer: Answer) => [answer.status, problemOf(answer)];

/** A browser in which the password was right. */
async function afterPassword(): Promise<Browser> {
  const by = new Browser(url);
  const answer = await by.login(ada);
  expect([answer.status, answer.headers.location]).toEqual([303, '/login/second-factor']);
  return by;
}

const kindsOf = async (userId: string) =>
  (
    await platform.database.query<{ kind: string }>(
      'select kind from security_event where user_id = $1 order by id',
      [userId],
    )
  ).map(({ kind }) => kind);

describe('adding a passkey', () => {
  it('asks for one that the authenticator can find by itself and unlocks for its user', async () => {
    const { data } = await call<PublicKeyCredentialCreationOptionsJSON>(
      'POST',
      `${PASSKEYS}/options`,
    );

    expect(data).toMatchObject({
      rp: { id: 'localhost', name: 'Gatefold' },
      user: { name: ada.userId },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(Buffer.from(data.user.id, 'base64url').toString()).not.toContain(ada.userId);
  });

  it('gives ten recovery codes with the first, and lists it with its name', async () => {
    const first = await register('My phone');
    const second = await register('My key', {}, new Authenticator(url));

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(new Set(first.data.recoveryCodes).size).toBe(10);
    expect(second.data.recoveryCodes).toEqual([]);
    expect(await list()).toMatchObject([
      { name: 'My phone', host: 'localhost', works: true, lastUsed: null },
      { name: 'My key', created: clock.nowSeconds() },
    ]);
    expect((await call<object>('GET', FACTORS)).data).toMatchObject({ recoveryCodesLeft: 10 });
    expect(await kindsOf(ada.userId)).toContain('second_factor_added');
  });

  it.each<[string, Deviations]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another host name', { rpId: 'evil.example' }],
    ['an authenticator that did not verify its user', { userVerified: false }],
    ['a challenge of its own', { challenge: 'bXkgb3duIGNoYWxsZW5nZQ' }],
  ])('refuses %s', async (_what, deviations) => {
    expect((await register('Phone', deviations)).status).toBe(400);
    expect(await list()).toEqual([]);
  });

  it('refuses a challenge of another user, one that is too old, and the same passkey twice', async () => {
    const options = () =>
      call<PublicKeyCredentialCreationOptionsJSON>('POST', `${PASSKEYS}/options`);
    const add = (credential: object) => call('POST', PASSKEYS, { name: 'Key', credential });

    const ofAda = authenticator.create((await options()).data);
    const bob = await newUser('bob');
    const browserOfAda = browser;
    browser = new Browser(url);
    await browser.login(bob);
    expect((await add(ofAda)).status).toBe(400);

    browser = browserOfAda;
    expect((await add(ofAda)).status).toBe(200);
    expect((await add(ofAda)).status).toBe(400);

    const late = new Authenticator(url).create((await options()).data);
    clock.advanceSeconds(301);
    expect((await add(late)).status).toBe(400);
    expect(await list()).toHaveLength(1);
  });

  it('refuses input that is no passkey, and names the parameter', async () => {
    const answers = await Promise.all(
      [{}, { name: ' ' }, { name: 'Key', credential: 'x' }, { name: 'Key', credential: {} }].map(
        (json) => call('POST', PASSKEYS, json),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(answers.map(({ message }) => message).join(' ')).toContain('"credential"');
  });

  it('has a limit', async () => {
    for (const name of ['one', 'two', 'three']) {
      expect((await register(name, {}, new Authenticator(url))).status).toBe(200);
    }

    const { status, message } = await call('POST', `${PASSKEYS}/options`);
    expect([status, message]).toEqual([
      400,
      'This installation allows at most 3 passkeys per user. Remove some first.',
    ]);
  });

  it('holds the limit of passkeys that are added at the same time', async () => {
    const options = await Promise.all(
      Array.from({ length: 6 }, () =>
        call<PublicKeyCredentialCreationOptionsJSON>('POST', `${PASSKEYS}/options`),
      ),
    );
    const answers = await Promise.all(
      options.map(({ data }) =>
        call('POST', PASSKEYS, { name: 'Key', credential: new Authenticator(url).create(data) }),
      ),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await list()).toHaveLength(3);
  });

  it('is refused to programs, strangers and old sessions', async () => {
    const { token } = await platform.get(AppPasswordsService).add(ada.userId, 'phone');
    const program = platform.as({ userId: ada.userId, password: token });
    for (const path of [PASSKEYS, `${PASSKEYS}/options`]) {
      expect((await program.post(path, {})).status).toBe(403);
      expect((await new ApiClient(url).post(path, {})).status).toBe(401);
    }

    clock.advanceSeconds(16 * 60);
    expect((await call('POST', `${PASSKEYS}/options`)).status).toBe(403);
  });

  it('says that an IP address does not do', async () => {
    const atAddress = new Browser(platform.url);
    await atAddress.login(ada);

    const { status, message } = await call('POST', `${PASSKEYS}/options`, undefined, atAddress);

    expect([status, message]).toEqual([
      400,
      'Passkeys need a host name in the address, not an IP address. Ask an administrator for it.',
    ]);
    expect((await new Browser(platform.url).get('/login')).text).not.toContain('passkey');
  });
});

describe('logging in with a passkey', () => {
  beforeEach(() => register());

  it('needs neither name nor password nor code, and goes on where it was wanted', async () => {
    const by = new Browser(url);
    const page = await by.get('/login?redirect_url=/apps/files/');
    expect(page.text).toContain('Log in with a passkey');
    expect(page.headers['content-security-policy']).toMatch(
      /script-src 'sha256-[^']+'; connect-src 'self';/,
    );
    const options = await optionsOf('/login/passkey/options', by);
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options.allowCredentials ?? []).toEqual([]);

    const answer = await send(by, authenticator.get(options), '/apps/files/');

    expect([answer.status, answer.headers.location]).toEqual([303, '/apps/files/']);
    expect(await isLoggedIn(by)).toBe(true);
    expect((await list())[0]?.lastUsed).toBe(clock.nowSeconds());
    const [session] = await platform.database.query<{ provider: string }>(
      'select provider from login_session where user_id = $1 order by id desc limit 1',
      [ada.userId],
    );
    expect(session?.provider).toBe('passkey');
  });

  it.each<[string, Deviations]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another host name', { rpId: 'evil.example' }],
    ['an authenticator that did not verify its user', { userVerified: false }],
    ['a challenge of its own', { challenge: 'bXkgb3duIGNoYWxsZW5nZQ' }],
  ])('refuses %s', async (_what, deviations) => {
    const { by, answer } = await logIn(deviations);

    expect(refusalOf(answer)).toEqual([403, NOT_ACCEPTED]);
    expect(await isLoggedIn(by)).toBe(false);
    expect(await kindsOf(ada.userId)).toContain('login_failed');
  });

  it('accepts each answer once, in any browser, and none to an older challenge', async () => {
    const by = new Browser(url);
    const older = authenticator.get(await optionsOf('/login/passkey/options', by));
    clock.advanceSeconds(1);
    const answer = authenticator.get(await optionsOf('/login/passkey/options', by));
    expect((await send(by, answer)).status).toBe(303);

    for (const replayed of [answer, older]) {
      expect(refusalOf(await send(new Browser(url), replayed))).toEqual([403, NOT_ACCEPTED]);
    }
  });

  it('accepts one of many equal answers at the same time', async () => {
    const answer = authenticator.get(await optionsOf('/login/passkey/options', new Browser(url)));

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send(new Browser(url), answer)),
    );

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it('refuses a challenge that is older than five minutes, or was made for something else', async () => {
    const by = new Browser(url);
    const late = authenticator.get(await optionsOf('/login/passkey/options', by));
    clock.advanceSeconds(301);
    expect(refusalOf(await send(by, late))).toEqual([403, NOT_ACCEPTED]);

    const half = await afterPassword();
    const forCode = authenticator.get(await optionsOf('/login/second-factor/options', half));
    expect(refusalOf(await send(by, forCode))).toEqual([403, NOT_ACCEPTED]);
  });

  it('refuses a wrong signature, an unknown passkey and a removed one alike', async () => {
    const other = new Authenticator(url);
    other.create(
      (await call<PublicKeyCredentialCreationOptionsJSON>('POST', `${PASSKEYS}/options`)).data,
    );
    const options = await optionsOf('/login/passkey/options', new Browser(url));
    const unknown = other.get(options);
    const right = authenticator.get(options);
    const forged = { ...unknown, id: right.id, rawId: right.rawId };

    expect(refusalOf(await send(new Browser(url), unknown))).toEqual([403, NOT_ACCEPTED]);
    expect(refusalOf(await send(new Browser(url), forged))).toEqual([403, NOT_ACCEPTED]);

    const [passkey] = await list();
    const removed = await call('DELETE', `${PASSKEYS}/${passkey?.id}`, { password: PASSWORD });
    expect(removed.status).toBe(200);
    expect(refusalOf(await send(new Browser(url), right))).toEqual([403, NOT_ACCEPTED]);
  });

  it('refuses a signature counter that does not grow: the passkey may have been copied', async () => {
    authenticator.counter = 10;
    expect((await logIn()).answer.status).toBe(303);
    authenticator.counter = 5;
    expect(refusalOf((await logIn()).answer)).toEqual([403, NOT_ACCEPTED]);
    authenticator.counter = 11;
    expect((await logIn()).answer.status).toBe(303);
    authenticator.counter = undefined;
    expect(refusalOf((await logIn()).answer)).toEqual([403, NOT_ACCEPTED]);
  });

  it('refuses a disabled account', async () => {
    await platform.get(UsersService).disable(ada.userId);

    expect(refusalOf((await logIn()).answer)).toEqual([403, NOT_ACCEPTED]);
  });

  it.each([
    [
      'identity provider',
      `insert into oidc_identity (issuer, subject, user_id) values ('i', $1, $1)`,
    ],
    ['directory', `insert into ldap_account (user_id, entry_id) values ($1, $1)`],
  ])('does not replace the login of an account of an %s, but confirms it', async (_who, link) => {
    await platform.database.query(link, [ada.userId]);

    expect(refusalOf((await logIn()).answer)).toEqual([
      403,
      'This passkey only confirms logins. Log in with your password or your provider first.',
    ]);
  });

  it('logs in to an account of a provisioning service, which disables accounts itself', async () => {
    await platform.database.query('insert into scim_user (user_id) values ($1)', [ada.userId]);

    expect((await logIn()).answer.status).toBe(303);
  });

  it('refuses a form of another site, and what is no answer at all', async () => {
    const by = new Browser(url);
    const answer = authenticator.get(await optionsOf('/login/passkey/options', by));
    const form = { credential: JSON.stringify(answer) };

    expect(
      (await by.submit('/login/passkey', form, { origin: 'https://evil.example' })).status,
    ).toBe(403);
    for (const credential of ['', '{', '{}', '[]', JSON.stringify({ ...answer, id: 'ä' })]) {
      expect((await by.submit('/login/passkey', { credential })).status).toBe(422);
    }
    expect(await isLoggedIn(by)).toBe(false);
  });

  it('blocks a network after many wrong answers, but not the right one', async () => {
    const by = new Browser(url);
    const wrong = authenticator.get(await optionsOf('/login/passkey/options', by), {
      userVerified: false,
    });
    const statuses: number[] = [];
    for (let guess = 0; guess < 32; guess += 1) {
      clock.advanceSeconds(1);
      statuses.push((await send(by, wrong)).status);
    }

    expect(statuses.slice(0, 30).every((status) => status === 403)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
    expect((await logIn()).answer.status).toBe(303);
  });

  it('says so when the host name of the installation was changed', async () => {
    await platform.database.query(`update passkey set rp_id = 'old.example' where user_id = $1`, [
      ada.userId,
    ]);

    expect(await list()).toMatchObject([{ host: 'old.example', works: false }]);
    expect(refusalOf((await logIn()).answer)).toEqual([403, NOT_ACCEPTED]);
  });
});

describe('a passkey as second factor', () => {
  let recoveryCodes: string[];
  beforeEach(async () => {
    ({ recoveryCodes } = (await register()).data);
  });

  it('is asked after the password, and accepted once', async () => {
    const by = await afterPassword();
    expect((await by.get('/login/second-factor')).text).toContain('Confirm with a passkey');
    const options = await optionsOf('/login/second-factor/options', by);
    expect(options.allowCredentials?.map(({ id }) => id)).toEqual(
      authenticator.credentials.map(({ id }) => id.toString('base64url')),
    );
    const credential = JSON.stringify(authenticator.get(options));

    const answer = await by.submit('/login/second-factor', { credential });

    expect([answer.status, await isLoggedIn(by)]).toEqual([303, true]);
    const again = await (await afterPassword()).submit('/login/second-factor', { credential });
    expect(refusalOf(again)).toEqual([403, NOT_ACCEPTED]);
  });

  it('can be replaced by a recovery code', async () => {
    const by = await afterPassword();

    expect((await by.submit('/login/second-factor', { code: recoveryCodes[0] ?? '' })).status).toBe(
      303,
    );
  });

  it('of another user is refused, and options need the password first', async () => {
    const mallory = await newUser('mallory');
    const authenticatorOfAda = authenticator;
    [ada, browser, authenticator] = [mallory, new Browser(url), new Authenticator(url)];
    await browser.login(ada);
    await register();
    const by = await afterPassword();
    const options = await optionsOf('/login/second-factor/options', by);

    const credential = JSON.stringify(authenticatorOfAda.get(options));
    expect(refusalOf(await by.submit('/login/second-factor', { credential }))).toEqual([
      403,
      NOT_ACCEPTED,
    ]);
    expect((await new Browser(url).call('POST', '/login/second-factor/options')).status).toBe(403);
  });

  it('is needed by programs with the password, too: they need app passwords', async () => {
    expect((await platform.as(ada).get(SELF)).status).toBe(401);
  });

  it('ends with the last passkey, and with the reset by an administrator', async () => {
    const [passkey] = await list();
    // Of an authenticator app that is not confirmed.
    await platform.get(SecondFactorsService).beginTotp(ada.userId);
    await call('DELETE', `${PASSKEYS}/${passkey?.id}`, { password: PASSWORD });
    expect((await platform.as(ada).get(SELF)).status).toBe(200);
    expect(await kindsOf(ada.userId)).toContain('second_factor_removed');

    await register();
    expect((await platform.as(ada).get(SELF)).status).toBe(401);
    await platform.get(SecondFactorResets).reset(ada.userId);

    expect((await platform.as(ada).get(SELF)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect(refusalOf((await logIn()).answer)).toEqual([403, NOT_ACCEPTED]);
  });
});

describe('a passkey as proof', () => {
  const proofOf = async () =>
    authenticator.get(
      (await call<PublicKeyCredentialRequestOptionsJSON>('POST', `${PROOF}/passkey`)).data,
    );

  beforeEach(async () => {
    await register();
    clock.advanceSeconds(16 * 60);
  });

  it('proves in an old session who is there, once', async () => {
    expect((await call('GET', PROOF)).data).toMatchObject({ code: true, passkey: true });
    expect((await call('POST', `${PASSKEYS}/options`)).status).toBe(403);
    const passkey = await proofOf();

    expect((await call('POST', PROOF, { passkey })).status).toBe(200);

    expect((await call('POST', `${PASSKEYS}/options`)).status).toBe(200);
    expect((await call('POST', PROOF, { passkey })).status).toBe(403);
  });

  it('is not given by an answer for a login, or by the passkey of another user', async () => {
    const forLogin = authenticator.get(await optionsOf('/login/passkey/options', new Browser(url)));
    expect((await call('POST', PROOF, { passkey: forLogin })).status).toBe(403);

    const bob = await newUser('bob');
    browser = new Browser(url);
    await browser.login(bob);
    const passkey = await proofOf();
    expect((await call('POST', PROOF, { passkey })).status).toBe(403);
  });

  it('removes a passkey', async () => {
    const [passkey] = await list();
    const path = `${PASSKEYS}/${passkey?.id}`;
    expect((await call('DELETE', path, {})).status).toBe(403);
    expect((await call('DELETE', path, { password: 'wrong' })).status).toBe(403);

    expect((await call('DELETE', path, { passkey: await proofOf() })).status).toBe(200);
    expect(await list()).toEqual([]);
  });
});

describe('names of passkeys', () => {
  beforeEach(async () => {
    await register('Phone');
  });

  it('can be changed by their owner, and by nobody else', async () => {
    const [passkey] = await list();
    const path = `${PASSKEYS}/${passkey?.id}`;
    expect((await call('PUT', path, { name: ' Old phone ' })).status).toBe(200);
    expect(await list()).toMatchObject([{ name: 'Old phone' }]);
    expect((await call('PUT', path, { name: '' })).status).toBe(400);
    expect((await call('PUT', path, { name: 'x'.repeat(101) })).status).toBe(400);

    const bob = await newUser('bob');
    const stranger = new Browser(url);
    await stranger.login(bob);
    const byStranger = await call('PUT', path, { name: 'Mine' }, stranger);
    const removal = await call('DELETE', path, { password: PASSWORD }, stranger);
    expect([byStranger.status, removal.status]).toEqual([404, 404]);
    expect(await list()).toMatchObject([{ name: 'Old phone' }]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { ProgramLogins } from '../../../src/common/ports/program-logins.js';
import type { LoggedIn } from '../../../src/common/ports/user-directory.js';
import {
  ExportRequest,
  toFilter,
} from '../../../src/platform/accounts/security/security-events.input.js';
import { SecurityEventsService } from '../../../src/platform/accounts/security/security-events.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { FIND_OWNER_OF_FEVER_KEY } from '../../../src/platform/sign-in/app-passwords/app-passwords.repository.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { explained } from '../../support/explained.js';
import { toOcs } from '../../support/external-app.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const HOME = '192.0.2.1';
const NET_NEWS_WIRE = 'NetNewsWire (RSS Reader; https://netnewswire.com/)';
const APP_PASSWORDS = '/ocs/v2.php/core/apppasswords';

let testDatabase: TestDatabase;
let clock: TestClock;
/** Two processes of one installation; the third has lost its secret key. */
let here: Platform;
let elsewhere: Platform;
let withOtherKey: Platform;
let nextUser = 0;
let ada: { userId: string; password: string };
let eve: { userId: string; password: string };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  clock = new TestClock();
  const start = (settings: Record<string, string> = {}) =>
    startPlatform({
      databaseUrl: testDatabase.url,
      clock,
      settings: {
        GATEFOLD_ADMIN_PASSWORD: 'of the administrator',
        GATEFOLD_LIMITS: 'app-passwords-per-user=3',
        ...settings,
      },
    });
  here = await start();
  elsewhere = await start();
  withOtherKey = await start({ GATEFOLD_SECRET_KEY: 'another key, since the first one was lost' });
});

afterAll(async () => {
  await here?.stop();
  await elsewhere?.stop();
  await withOtherKey?.stop();
  await testDatabase?.drop();
});

beforeEach(async () => {
  ada = { userId: `ada-${nextUser}`, password: 'the password of ada' };
  eve = { userId: `eve-${nextUser++}`, password: 'the password of eve' };
  await here.get(UsersService).add(ada);
  await here.get(UsersService).add(eve);
  await here.database.query('truncate login_throttle, security_event');
});

function logIn(credentials = ada, userAgent = NET_NEWS_WIRE, at = here) {
  return at.get(ProgramLogins).logIn({ ...credentials, clientAddress: HOME }, userAgent);
}

async function tokenFor(userAgent?: string, at?: Platform): Promise<string> {
  const login = await logIn(ada, userAgent, at);
  expect(login?.account.userId).toBe(ada.userId);
  return login?.token ?? '';
}

async function userOf(token: string, at = here): Promise<string | undefined> {
  return (await at.get(ProgramLogins).byToken(token))?.account.userId;
}

const appPasswords = () => here.get(AppPasswordsService);

/** What Fever programs compute. */
function feverKey(userId: string, token: string): string {
  return createHash('md5').update(`${userId}:${token}`).digest('hex');
}

function byFeverKey(key: string, from = HOME): Promise<LoggedIn | null> {
  return here.get(ProgramLogins).byFeverKey(key, from);
}

describe('a login of a program', () => {
  it('with an app password gives that app password', async () => {
    const { token } = await appPasswords().add(ada.userId, 'phone');

    expect(await tokenFor('anything', here)).not.toBe(token);
    expect((await logIn({ ...ada, password: token }))?.token).toBe(token);
    expect(await userOf(token)).toBe(ada.userId);
  });

  it('with the account password gives an app password named after the program', async () => {
    const token = await tokenFor();

    expect(token).toMatch(/^gf-[\w-]{43}$/);
    expect(await userOf(token)).toBe(ada.userId);
    expect(await appPasswords().list(ada.userId)).toMatchObject([
      { name: NET_NEWS_WIRE, mayAdminister: false, hasFeverKey: false, scope: 'reader' },
    ]);
    const events = await here
      .get(SecurityEventsService)
      .list(
        toFilter(ExportRequest.parse({ kind: 'app_password_created', user: ada.userId })),
        10,
        null,
      );
    expect(events).toMatchObject([
      { address: HOME, details: `${NET_NEWS_WIRE} (by account password)` },
    ]);
  });

  it('gives the same app password each time, also after updates of program and system', async () => {
    const versions = [
      'Reeder/5050102 CFNetwork/1410.0.3 Darwin/22.6.0',
      'Reeder/5050200 CFNetwork/1494.0.7 Darwin/23.4.0',
      'Reeder/5.6 CFNetwork/1494.0.7 Darwin/23.4.0',
    ];

    const tokens = await Promise.all(versions.map((version) => tokenFor(version)));

    expect(new Set(tokens).size).toBe(1);
    expect(await appPasswords().list(ada.userId)).toHaveLength(1);
    expect(await tokenFor('FeedMe/4.2 (Android 14; SM-G991B)')).not.toBe(tokens[0]);
  });

  it('makes one app password for two logins at once in different processes', async () => {
    const tokens = await Promise.all([
      tokenFor(NET_NEWS_WIRE, here),
      tokenFor(NET_NEWS_WIRE, elsewhere),
      tokenFor(NET_NEWS_WIRE, here),
      tokenFor(NET_NEWS_WIRE, elsewhere),
    ]);

    expect(new Set(tokens).size).toBe(1);
    expect(await appPasswords().list(ada.userId)).toHaveLength(1);
  });

  it('makes another one after the first was revoked', async () => {
    const revoked = await tokenFor();
    const [{ id } = { id: 0 }] = await appPasswords().list(ada.userId);
    await appPasswords().revoke(ada.userId, id);

    expect(await userOf(revoked)).toBeUndefined();
    expect(await userOf(await tokenFor())).toBe(ada.userId);
    expect(await userOf(revoked)).toBeUndefined();
  });

  it('gives the rotated token after the program rotated its own', async () => {
    await tokenFor();
    const [{ id } = { id: 0 }] = await appPasswords().list(ada.userId);

    const rotated = await appPasswords().rotate(ada.userId, id);

    expect(await tokenFor()).toBe(rotated);
  });

  it('replaces the token when the secret key was lost', async () => {
    const lost = await tokenFor();

    const found = await tokenFor(NET_NEWS_WIRE, withOtherKey);

    expect(found).not.toBe(lost);
    expect([await userOf(found), await userOf(lost)]).toEqual([ada.userId, undefined]);
    expect(await appPasswords().list(ada.userId)).toHaveLength(1);
    expect(await tokenFor(NET_NEWS_WIRE, withOtherKey)).toBe(found);
  });

  it('leaves nothing in the database that gives access', async () => {
    const token = await tokenFor();
    const fever = await appPasswords().add(ada.userId, 'fever', { fever: true });

    const rows = await here.database.query<{ row: string }>(
      'select t::text as row from app_password t',
    );

    const text = rows.map(({ row }) => row).join('\n');
    expect(text).toContain(NET_NEWS_WIRE);
    for (const secret of [token, fever.token, feverKey(ada.userId, fever.token)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it('is refused at the limit of app passwords, but not for a program that has one', async () => {
    const token = await tokenFor();
    await tokenFor('lire');
    await tokenFor('Unread');

    await expect(logIn(ada, 'ReadKit')).rejects.toThrow(
      'This installation allows at most 3 app passwords per user.',
    );
    expect(await tokenFor()).toBe(token);
  });

  it('fails with wrong credentials, which count as everywhere', async () => {
    const { token } = await appPasswords().add(eve.userId, 'phone');
    const wrong = ['a guess', token, '', 'another guess', 'a third guess', 'a fourth guess'];
    for (const password of wrong) {
      expect(await logIn({ ...ada, password })).toBeNull();
    }

    await expect(logIn({ ...ada, password: 'one guess more' })).rejects.toThrow(
      'Too many failed logins.',
    );
    expect(await appPasswords().list(ada.userId)).toEqual([]);
  });

  it('gives no administrator rights, not even to an administrator', async () => {
    const { token } = (await logIn({ userId: 'admin', password: 'of the administrator' })) ?? {};

    const loggedIn = await here.get(ProgramLogins).byToken(token ?? '');

    expect(loggedIn).toMatchObject({
      account: { userId: 'admin', isAdmin: true },
      credential: { kind: 'app password', mayAdminister: false },
    });
  });
});

describe('a token', () => {
  it('belongs to its user until it is revoked or the account is disabled', async () => {
    const token = await tokenFor();
    const others = (await logIn(eve))?.token ?? '';
    expect(others).not.toBe(token);
    expect([await userOf(token), await userOf(others)]).toEqual([ada.userId, eve.userId]);

    await here.get(UsersService).disable(ada.userId);
    const [{ id } = { id: 0 }] = await appPasswords().list(eve.userId);
    await appPasswords().revoke(eve.userId, id);

    expect([await userOf(token), await userOf(others)]).toEqual([undefined, undefined]);
  });

  it.each(['', 'gf-', 'gf-unknown', `gf-${'A'.repeat(43)}`, 'the password of ada'])(
    'that is %j belongs to nobody',
    async (token) => {
      expect(await userOf(token)).toBeUndefined();
    },
  );

  it('is shown as used', async () => {
    const token = await tokenFor();
    await userOf(token);

    const [listed] = await appPasswords().list(ada.userId);

    expect(listed?.lastUsedAt).toEqual(clock.now());
  });
});

describe('a Fever key', () => {
  it('is stored only on request, and shown in the list', async () => {
    const plain = await appPasswords().add(ada.userId, 'plain');
    const answer = await here.as(ada).call('POST', APP_PASSWORDS, {
      headers: { accept: 'application/json' },
      json: { name: 'fever', fever: true },
    });
    const made = toOcs(answer).data as { fever: boolean; token: string };
    const list = toOcs(
      await here.as(ada).get(APP_PASSWORDS, { headers: { accept: 'application/json' } }),
    ).data;

    expect(made.fever).toBe(true);
    expect(list).toMatchObject([
      { name: 'plain', fever: false },
      { name: 'fever', fever: true, scope: 'reader' },
    ]);
    expect(await byFeverKey(feverKey(ada.userId, plain.token))).toBeNull();
    const key = feverKey(ada.userId, made.token);
    for (const spelling of [key, key.toUpperCase()]) {
      expect((await byFeverKey(spelling))?.account.userId).toBe(ada.userId);
    }
    expect(await byFeverKey(feverKey(eve.userId, made.token))).toBeNull();
    expect(await byFeverKey(made.token)).toBeNull();
  });

  it('is found by its index', async () => {
    const plans = await here.database.transaction(async (tx) => {
      await tx.query('set local enable_seqscan = off');
      return explained(tx, (runner) => runner.query(FIND_OWNER_OF_FEVER_KEY, [Buffer.alloc(32)]));
    });

    expect(plans).toContain('app_password_fever_key_hash_unique');
  });

  it('never administers, even if its app password may', async () => {
    const { token } = await appPasswords().add('admin', 'all', {
      fever: true,
      mayAdminister: true,
    });

    expect(await byFeverKey(feverKey('admin', token))).toMatchObject({
      account: { userId: 'admin' },
      credential: { mayAdminister: false },
    });
    const [{ id } = { id: 0 }] = await appPasswords().list('admin');
    await appPasswords().revoke('admin', id);
  });

  it('ends with its app password, and with the account', async () => {
    const { id, token } = await appPasswords().add(ada.userId, 'phone', { fever: true });
    const others = await appPasswords().add(eve.userId, 'phone', { fever: true });
    const keys = [feverKey(ada.userId, token), feverKey(eve.userId, others.token)];
    for (const key of keys) {
      expect(await byFeverKey(key)).not.toBeNull();
    }

    await appPasswords().revoke(ada.userId, id);
    await here.get(UsersService).disable(eve.userId);

    for (const key of keys) {
      expect(await byFeverKey(key)).toBeNull();
    }
  });

  it('is renewed with the token of its app password', async () => {
    const { id, token } = await appPasswords().add(ada.userId, 'phone', { fever: true });

    const rotated = await appPasswords().rotate(ada.userId, id);

    expect(await byFeverKey(feverKey(ada.userId, token))).toBeNull();
    expect(await byFeverKey(feverKey(ada.userId, rotated))).not.toBeNull();
  });

  it('that is wrong counts against other keys of the address, but locks out no right one', async () => {
    const { token } = await appPasswords().add(ada.userId, 'phone', { fever: true });
    for (let guess = 0; guess < 31; guess += 1) {
      expect(await byFeverKey(feverKey(ada.userId, `guess ${guess}`))).toBeNull();
    }

    await expect(byFeverKey('one guess more')).rejects.toThrow('Too many failed logins.');
    expect(await byFeverKey(feverKey(ada.userId, token))).not.toBeNull();
    expect(await byFeverKey('a guess from elsewhere', '198.51.100.1')).toBeNull();
    // Not the counter of passwords: an old program sends its key for ever.
    await expect(logIn({ ...eve, password: 'a guess' })).resolves.toBeNull();
    const events = await here
      .get(SecurityEventsService)
      .list(toFilter(ExportRequest.parse({ kind: 'login_throttled', address: HOME })), 10, null);
    expect(events).toHaveLength(1);
  });
});

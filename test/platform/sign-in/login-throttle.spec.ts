import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { Config } from '../../../src/common/config/config.js';
import { PasswordHash } from '../../../src/platform/accounts/passwords/password-hash.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { LoginThrottle } from '../../../src/platform/sign-in/throttle/login-throttle.service.js';
import type { Answer } from '../../support/api-client.js';
import { withOtherSettings } from '../../support/other-settings.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const HOME = '192.0.2.1';
const FAR_AWAY = '198.51.100.1';

let testDatabase: TestDatabase;
let clock: TestClock;
let here: Platform;
let elsewhere: Platform;
let nextTest = 0;
let ada: string;
let bob: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  clock = new TestClock();
  const options = {
    databaseUrl: testDatabase.url,
    clock,
    settings: {
      GATEFOLD_ADMIN_PASSWORD: 'of the administrator',
      // Lets tests set the client address.
      GATEFOLD_TRUSTED_PROXIES: '127.0.0.0/8',
    },
  };
  here = await startPlatform(options);
  elsewhere = await startPlatform(options);
});

afterAll(async () => {
  await here?.stop();
  await elsewhere?.stop();
  await testDatabase?.drop();
});

/** New users for each test, without failures or cached credentials. */
beforeEach(async () => {
  await here.database.query('truncate login_throttle');
  clock.advanceSeconds(86_400);
  nextTest += 1;
  ada = `ada-${nextTest}`;
  bob = `bob-${nextTest}`;
  await here.get(UsersService).add({ userId: ada, password: 'right password' });
  await here.get(UsersService).add({ userId: bob, password: 'right password' });
});

afterEach(() => {
  jest.restoreAllMocks();
});

interface Attempt {
  readonly userId?: string;
  readonly password?: string;
  readonly from?: string;
  readonly on?: Platform;
}

function login({
  userId = ada,
  password = 'right password',
  from = HOME,
  on = here,
}: Attempt = {}): Promise<Answer> {
  return on.as({ userId, password }).get(SELF, { headers: { 'x-forwarded-for': from } });
}

let guesses = 0;

/** Different guesses, one after another. */
async function guess(count: number, attempt: Attempt = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { status } = await login({ password: `guess ${(guesses += 1)}`, ...attempt });
    statuses.push(status);
  }
  return statuses;
}

describe('guessing the password of a user', () => {
  it('is free five times, then blocks for doubling times', async () => {
    expect(await guess(7)).toEqual([401, 401, 401, 401, 401, 401, 429]);

    clock.advanceSeconds(1);
    expect(await guess(1)).toEqual([429]);
    clock.advanceSeconds(1);
    expect(await guess(2)).toEqual([401, 429]);
    clock.advanceSeconds(3);
    expect(await guess(1)).toEqual([429]);
    clock.advanceSeconds(1);
    expect(await guess(2)).toEqual([401, 429]);
  });

  it('does not block within the second of a free failure', async () => {
    clock.advanceSeconds(0.9);

    expect(await guess(2)).toEqual([401, 401]);
    expect((await login()).status).toBe(200);
    clock.advanceSeconds(0.1);
  });

  it('returns the time to wait in header and message', async () => {
    await guess(6);

    const answer = await login();

    expect(answer.status).toBe(429);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.json).toMatchObject({
      ocs: {
        meta: { statuscode: 429, message: 'Too many failed logins. Try again in 2 s.' },
      },
    });
  });

  it('also blocks the right password', async () => {
    await guess(6);

    expect((await login()).status).toBe(429);
    clock.advanceSeconds(2);
    expect((await login()).status).toBe(200);
  });

  it('is counted across replicas', async () => {
    await guess(3);
    await guess(3, { on: elsewhere });

    expect((await login()).status).toBe(429);
    expect((await login({ on: elsewhere })).status).toBe(429);
  });

  it('is not faster with concurrent guesses', async () => {
    const guesses = Array.from({ length: 30 }, (_, number) =>
      login({ password: `guess ${number}` }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);

    // One more than the six may have begun when the sixth failed.
    const looked = statuses.filter((status) => status === 401).length;
    expect(looked).toBeGreaterThanOrEqual(6);
    expect(looked).toBeLessThanOrEqual(7);
  });

  it('is reset by a success', async () => {
    await guess(5);
    await login();

    expect(await guess(6)).toEqual([401, 401, 401, 401, 401, 401]);
  });

  it('is forgotten after a quiet hour', async () => {
    await guess(5);
    clock.advanceSeconds(3601);

    expect(await guess(6)).toEqual([401, 401, 401, 401, 401, 401]);
  });

  it('is throttled for unknown users, too', async () => {
    expect(await guess(7, { userId: 'nobody' })).toEqual([401, 401, 401, 401, 401, 401, 429]);
  });
});

describe('a program with an old password', () => {
  it('locks nobody out, since the same wrong password is one guess', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await login({ password: 'old' })).status),
    );
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      statuses.push((await login({ password: 'old' })).status);
    }

    expect(new Set(statuses)).toEqual(new Set([401]));
    expect((await login()).status).toBe(200);
    expect(await guess(7)).toEqual([401, 401, 401, 401, 401, 401, 429]);
  });

  it('is heard again when the password is changed to it', async () => {
    expect((await login({ password: 'another password' })).status).toBe(401);

    await here.get(UsersService).changePassword(ada, 'another password');

    expect((await login({ password: 'another password' })).status).toBe(200);
  });

  it('does not block passwords with a wrong key, and is blocked itself', async () => {
    const throttle = here.get(LoginThrottle);
    for (let attempt = 1; attempt <= 31; attempt += 1) {
      await throttle.countWrongSecret(HOME);
    }

    await expect(throttle.countWrongSecret(HOME)).rejects.toMatchObject({ kind: 'too-many' });
    expect((await login()).status).toBe(200);
  });
});

describe('guessing from one address', () => {
  it('is limited across all users, but for those who have logged in from there', async () => {
    await login();
    for (let user = 1; user <= 31; user += 1) {
      await guess(1, { userId: `user-${user}` });
    }

    expect((await login({ userId: bob })).status).toBe(429);
    expect((await login({ userId: bob, from: FAR_AWAY })).status).toBe(200);
    // The other replica has to verify the password, since it is cached only here.
    expect((await login({ on: elsewhere })).status).toBe(200);
  });

  it('counts an IPv6 /64 as one address', async () => {
    for (let host = 1; host <= 6; host += 1) {
      await guess(1, { from: `2001:db8::${host}` });
    }

    expect(await guess(1, { from: '2001:db8::ffff' })).toEqual([429]);
    expect(await guess(1, { from: '2001:db8:0:1::1' })).toEqual([401]);
  });
});

describe('a network from which a user has logged in', () => {
  it('is known for all users of this process, and first in line while many log in', async () => {
    const known = async (userId: string, from: string, on = here) =>
      (await on.get(LoginThrottle).admit(userId, from)).isKnown;
    const [network, other] = [`10.${nextTest}.0.1`, `10.${nextTest}.0.2`];
    await login({ from: network });

    expect(await known(bob, network)).toBe(true);
    expect(await known(bob, other)).toBe(false);
    expect(await known(bob, network, elsewhere)).toBe(false);
    expect(await known(ada, network, elsewhere)).toBe(true);
  });
});

describe('guessing one user from many addresses', () => {
  it('is limited, too, with blocks of at most a minute, but not where the user has logged in', async () => {
    const statusOf = async (from: string) => (await login({ from, on: elsewhere })).status;
    await login();
    for (let address = 1; address <= 101; address += 1) {
      await guess(1, { from: `203.0.113.${address}` });
    }

    expect(await statusOf(FAR_AWAY)).toBe(429);
    clock.advanceSeconds(60);
    expect(await guess(1, { from: FAR_AWAY })).toEqual([401]);
    expect(await statusOf(FAR_AWAY)).toBe(429);
    expect(await statusOf(HOME)).toBe(200);
    expect(await statusOf(FAR_AWAY)).toBe(200);
  });
});

describe('a recently verified credential', () => {
  it('keeps working while its user is blocked', async () => {
    await login();
    clock.advanceSeconds(86_000);
    await guess(6);

    expect((await login()).status).toBe(200);
    expect((await login({ on: elsewhere })).status).toBe(429);
  });
});

describe('an app password', () => {
  it('keeps working while its user is blocked, since it cannot be guessed', async () => {
    const { token } = await here.get(AppPasswordsService).add(ada, 'phone');
    await guess(6);

    expect((await login({ password: token })).status).toBe(200);
  });

  it('does not exempt guesses of the same form', async () => {
    const looksLike = (number: number) => `gf-${String(number).padStart(43, 'x')}`;
    for (let number = 1; number <= 6; number += 1) {
      await login({ password: looksLike(number) });
    }

    expect((await login({ password: looksLike(7) })).status).toBe(429);
  });
});

describe('the slow hash', () => {
  it('runs once for a burst of first requests, and not for later ones', async () => {
    const matches = jest.spyOn(here.get(PasswordHash), 'matches');

    await Promise.all(Array.from({ length: 20 }, () => login()));
    await login();
    expect(matches).toHaveBeenCalledTimes(1);

    clock.advanceSeconds(86_400);
    await login();
    expect(matches).toHaveBeenCalledTimes(2);
  });

  it('runs equally for unknown, disabled and nameless users', async () => {
    const matches = jest.spyOn(here.get(PasswordHash), 'matches');
    await here.get(UsersService).disable(bob);

    await login({ userId: 'nobody' });
    await login({ userId: bob });
    await login({ userId: 'not a name' });

    expect(matches).toHaveBeenCalledTimes(3);
  });
});

describe('the counters of failures', () => {
  it('do not grow with guessed names', async () => {
    await guess(1, { userId: 'x'.repeat(5000) });
    await guess(1, { userId: 'another impossible name' });
    await guess(1, { userId: 'somebody' });
    clock.advanceSeconds(3601);
    await guess(1, { userId: 'later', from: FAR_AWAY });

    const rows = await here.database.query('select key from login_throttle order by key');

    expect(rows).toEqual([
      { key: `address:${FAR_AWAY}` },
      { key: `pair:later@${FAR_AWAY}` },
      { key: 'user:later' },
    ]);
  });

  it('are removed with the account of their user, and those of nobody else', async () => {
    await guess(1);
    await guess(1, { userId: bob });

    await here.get(UsersService).delete(ada);

    const rows = await here.database.query('select key from login_throttle order by key');
    expect(rows).toEqual([
      { key: `address:${HOME}` },
      { key: `pair:${bob}@${HOME}` },
      { key: `user:${bob}` },
    ]);
  });
});

describe('without rate limits', () => {
  it('nothing is counted', async () => {
    const statuses = await withOtherSettings(here.get(Config), { rateLimits: false }, () =>
      guess(8),
    );

    expect(statuses).toEqual(Array.from({ length: 8 }, () => 401));
    expect(await here.database.query('select key from login_throttle')).toEqual([]);
  });
});

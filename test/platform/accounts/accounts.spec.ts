import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountDeletionHooks } from '../../../src/common/ports/hooks.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { LoginService } from '../../../src/platform/sign-in/passwords/login.service.js';
import type { Answer } from '../../support/api-client.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';
const PASSWORD = 'pässword: with "colons":';

let testDatabase: TestDatabase;
let clock: TestClock;
/** Two processes of one installation. */
let here: Platform;
let elsewhere: Platform;
let users: UsersService;
let nextUser = 0;
let ada: { userId: string; password: string };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  clock = new TestClock();
  const options = {
    databaseUrl: testDatabase.url,
    clock,
    settings: { GATEFOLD_RATE_LIMITS: 'off', GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
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
  ada = { userId: `ada-${nextUser++}`, password: PASSWORD };
  await users.add(ada);
});

async function statusOnBoth(): Promise<number[]> {
  const answers = await Promise.all([here.as(ada).get(SELF), elsewhere.as(ada).get(SELF)]);
  return answers.map(({ status }) => status);
}

describe('logging in', () => {
  it('accepts a password with colons and non-ASCII characters', async () => {
    expect((await here.as(ada).get(SELF)).status).toBe(200);
  });

  it('accepts a password in Latin-1, which older programs send', async () => {
    const bytes = Buffer.from(`${ada.userId}:${PASSWORD}`, 'latin1');
    const authorization = `Basic ${bytes.toString('base64')}`;

    const answer = await here.as().get(SELF, { headers: { authorization } });

    expect(answer.status).toBe(200);
  });

  it('accepts decomposed accents', async () => {
    const password = PASSWORD.normalize('NFD');

    expect(password).not.toBe(PASSWORD);
    expect((await here.as({ ...ada, password }).get(SELF)).status).toBe(200);
  });

  it('distinguishes user ids by case', async () => {
    const answer = await here.as({ ...ada, userId: ada.userId.toUpperCase() }).get(SELF);

    expect(answer.status).toBe(401);
  });

  it('ignores cookies, and sets none', async () => {
    const inside = await here.as(ada).get(SELF);
    const outside = await here.as().get(SELF, { headers: { cookie: `user=${ada.userId}` } });

    expect(inside.headers['set-cookie']).toBeUndefined();
    expect(outside.status).toBe(401);
  });

  it('rejects all wrong credentials with the same challenge', async () => {
    await users.disable(ada.userId);
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const wrong = [
      undefined,
      '',
      'Basic',
      'Basic !!!',
      'Bearer abc',
      `XBasic ${Buffer.from('a:b').toString('base64')}`,
      basic('no colon'),
      basic('admin:'),
      basic(':password'),
      basic('admin:wrong'),
      basic('nobody:at all'),
      basic('no such name!\0:password'),
      basic(`${ada.userId}:${PASSWORD}`),
    ];

    const answers: Answer[] = [];
    for (const authorization of wrong) {
      answers.push(
        await here
          .as()
          .get(SELF, { headers: authorization === undefined ? {} : { authorization } }),
      );
    }

    const seen = answers.map(({ status, text, headers }) =>
      JSON.stringify([status, text, headers['www-authenticate']]),
    );
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.headers['www-authenticate']).toBe('Basic realm="Gatefold", charset="UTF-8"');
    expect(new Set(seen).size).toBe(1);
  });

  it('uses the accounts of its own installation if another one runs in the same process', async () => {
    const otherDatabase = await createTestDatabase();
    const other = await startPlatform({ databaseUrl: otherDatabase.url });
    const statuses = [
      (await here.as(ada).get(SELF)).status,
      (await other.as(ada).get(SELF)).status,
    ];
    await other.stop();
    await otherDatabase.drop();

    expect(statuses).toEqual([200, 401]);
  });

  it('works for concurrent first requests', async () => {
    const requests = Array.from({ length: 40 }, () => here.as(ada).get(SELF));

    const answers = await Promise.all(requests);

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
  });

  it('stores the time of the first login at once, of later ones once a minute', async () => {
    const lastLogin = async () => (await users.find(ada.userId))?.lastLoginSeconds;
    const before = await lastLogin();
    await here.as(ada).get(SELF);
    const first = await lastLogin();
    clock.advanceSeconds(300);
    await here.as(ada).get(SELF);
    await elsewhere.as(ada).get(SELF);
    const soonAfter = await lastLogin();
    await Promise.all([here, elsewhere].map((one) => one.get(LoginService).writeLogins()));

    expect(before).toBe(0);
    expect(first).toBe(clock.nowSeconds() - 300);
    expect(soonAfter).toBe(first);
    expect(await lastLogin()).toBe(clock.nowSeconds());
  });
});

describe('a recently verified credential', () => {
  beforeEach(async () => {
    await statusOnBoth();
  });

  it('is valid on every replica', async () => {
    expect(await statusOnBoth()).toEqual([200, 200]);
  });

  it('stops working on every replica when the password changes, and the new one works', async () => {
    await users.changePassword(ada.userId, 'another password');

    expect(await statusOnBoth()).toEqual([401, 401]);
    ada = { ...ada, password: 'another password' };
    expect(await statusOnBoth()).toEqual([200, 200]);
  });

  it('stops working on every replica while the account is disabled', async () => {
    await users.disable(ada.userId);
    expect(await statusOnBoth()).toEqual([401, 401]);

    await users.enable(ada.userId);
    expect(await statusOnBoth()).toEqual([200, 200]);
  });

  it('stops working on every replica when the account is deleted', async () => {
    await users.delete(ada.userId);

    expect(await statusOnBoth()).toEqual([401, 401]);
  });

  it('is not valid for a later account of the same name', async () => {
    await users.delete(ada.userId);
    await users.add({ ...ada, password: 'of another user' });

    expect(await statusOnBoth()).toEqual([401, 401]);
  });

  it('loses administrator rights on every replica at once', async () => {
    await here.database.query('update account set is_admin = true where user_id = $1', [
      ada.userId,
    ]);
    const other = '/ocs/v2.php/cloud/users/admin?format=json';
    const before = await elsewhere.as(ada).get(other);
    await here.database.query('update account set is_admin = false where user_id = $1', [
      ada.userId,
    ]);

    expect(before.status).toBe(200);
    expect((await elsewhere.as(ada).get(other)).status).toBe(404);
  });
});

describe('accounts', () => {
  it.each(['', 'a b', 'a:b', 'ä', 'a/b', 'x'.repeat(65)])(
    'refuses the user id "%s"',
    async (id) => {
      await expect(users.add({ userId: id, password: 'long enough' })).rejects.toThrow(
        'A user name has 1 to 64 letters, digits or the signs _ . @ -',
      );
    },
  );

  it('accepts email addresses as user ids', async () => {
    await users.add({ userId: 'A.b-c_d@example.org', password: 'long enough' });

    expect(await users.find('A.b-c_d@example.org')).toMatchObject({
      displayName: 'A.b-c_d@example.org',
      isAdmin: false,
    });
  });

  it('rejects a second account of the same name', async () => {
    await expect(users.add(ada)).rejects.toThrow(`There is already a user "${ada.userId}".`);
  });

  it.each([
    ['9 characters', '9 charact', 'at least 10 characters'],
    ['a common word', 'password2026', 'guessed first'],
    ['one character', 'aaaaaaaaaa', 'repeat'],
  ])('refuses a password of %s, new or changed', async (_what, password, reason) => {
    await expect(users.add({ userId: 'short', password })).rejects.toThrow(reason);
    await expect(users.changePassword(ada.userId, password)).rejects.toThrow(reason);
  });

  it('reports an unknown user', async () => {
    const sentence = 'There is no user "nobody".';

    await expect(users.changePassword('nobody', 'long enough')).rejects.toThrow(sentence);
    await expect(users.disable('nobody')).rejects.toThrow(sentence);
    await expect(users.enable('nobody')).rejects.toThrow(sentence);
    await expect(users.delete('nobody')).rejects.toThrow(sentence);
  });

  it('shows disabled accounts only to the operator', async () => {
    await users.disable(ada.userId);

    const seenByRooms = (await users.list()).map(({ userId }) => userId);
    expect(seenByRooms).toContain('admin');
    expect(seenByRooms).not.toContain(ada.userId);
    expect(await users.find(ada.userId)).toBeNull();
    expect(await users.listAll()).toContainEqual({
      userId: ada.userId,
      displayName: ada.userId,
      isAdmin: false,
      emailConfirmed: true,
      hasSecondFactor: false,
      lastLoginSeconds: 0,
      leaveAskedSeconds: null,
      leavesSeconds: null,
      heldSeconds: null,
      heldUntilSeconds: null,
      disabled: true,
      email: null,
    });
  });

  it('is disabled first, and deleted after the data in all rooms', async () => {
    const seen: unknown[] = [];
    here.get(AccountDeletionHooks).add(async (userId) => {
      if (userId === ada.userId) {
        seen.push((await here.as(ada).get(SELF)).status, (await users.listAll()).length > 0);
      }
    });

    await users.delete(ada.userId);

    expect(seen).toEqual([401, true]);
    expect((await users.listAll()).map(({ userId }) => userId)).not.toContain(ada.userId);
  });

  it('can be deleted again after a room failed to delete its data', async () => {
    let fails = true;
    here.get(AccountDeletionHooks).add(async (userId) => {
      if (fails && userId === ada.userId) {
        fails = false;
        throw new Error('the disk is full');
      }
    });

    await expect(users.delete(ada.userId)).rejects.toThrow('the disk is full');
    await users.delete(ada.userId);

    expect((await users.listAll()).map(({ userId }) => userId)).not.toContain(ada.userId);
  });
});

describe('app passwords', () => {
  let appPasswords: AppPasswordsService;
  beforeAll(() => {
    appPasswords = here.get(AppPasswordsService);
  });

  it('are valid on every replica until they are revoked', async () => {
    const { id, token } = await appPasswords.add(ada.userId, 'phone');
    ada = { ...ada, password: token };
    const before = await statusOnBoth();

    await appPasswords.revoke(ada.userId, id);

    expect(token).toMatch(/^gf-[A-Za-z0-9_-]{43}$/);
    expect(before).toEqual([200, 200]);
    expect(await statusOnBoth()).toEqual([401, 401]);
  });

  it('remain valid when the password changes, but not when the account is disabled', async () => {
    const { token } = await appPasswords.add(ada.userId, 'phone');
    ada = { ...ada, password: token };

    await users.changePassword(ada.userId, 'another password');
    expect(await statusOnBoth()).toEqual([200, 200]);

    await users.disable(ada.userId);
    expect(await statusOnBoth()).toEqual([401, 401]);
  });

  it('are valid only for their account', async () => {
    const { token } = await appPasswords.add(ada.userId, 'phone');

    expect((await here.as({ userId: 'admin', password: token }).get(SELF)).status).toBe(401);
  });

  it('are listed without the token, with the time of their last use, known within a minute', async () => {
    const { id, token } = await appPasswords.add(ada.userId, '  phone ');
    const lastUsed = async () => (await appPasswords.list(ada.userId))[0]?.lastUsedAt;
    const [unused] = await appPasswords.list(ada.userId);
    await here.as({ ...ada, password: token }).get(SELF);
    const firstUse = clock.now();
    clock.advanceSeconds(300);
    await here.as({ ...ada, password: token }).get(SELF);
    const soonAfter = await lastUsed();
    await appPasswords.writeUses();

    expect(unused).toEqual({
      id,
      name: 'phone',
      mayAdminister: false,
      hasFeverKey: false,
      scope: 'everything',
      createdAt: expect.any(Date),
      expiresAt: null,
      lastUsedAt: null,
    });
    expect(soonAfter).toEqual(firstUse);
    expect(await lastUsed()).toEqual(clock.now());
  });

  it('are stored only as hashes', async () => {
    const { token } = await appPasswords.add(ada.userId, 'phone');

    const rows = await here.database.query('select t::text from app_password t');

    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('cannot be revoked for another user', async () => {
    const { id } = await appPasswords.add(ada.userId, 'phone');

    await expect(appPasswords.revoke('admin', id)).rejects.toThrow(
      `User "admin" has no app password ${id}.`,
    );
    expect(await appPasswords.list(ada.userId)).toHaveLength(1);
  });

  it('require a user and a name', async () => {
    await expect(appPasswords.add('nobody', 'phone')).rejects.toThrow('no user "nobody"');
    await expect(appPasswords.list('nobody')).rejects.toThrow('no user "nobody"');
    await expect(appPasswords.add(ada.userId, ' ')).rejects.toThrow('1 to 200 characters');
  });
});

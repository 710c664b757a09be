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
import { Controller, Get, UseGuards } from '@nestjs/common';
import { BasicAuthGuard } from '../../../src/common/auth/basic-auth.guard.js';
import { RememberedLogin } from '../../../src/common/auth/remembered-login.decorator.js';
import { RememberedLogins } from '../../../src/platform/accounts/users/remembered-logins.provider.js';
import { UsersRepository } from '../../../src/platform/accounts/users/users.repository.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';
import { startPlatform, TestClock, type Platform } from '../start-platform.js';

@Controller('often')
@RememberedLogin()
@UseGuards(BasicAuthGuard)
class OftenController {
  @Get()
  ask(): object {
    return {};
  }
}

let testDatabase: TestDatabase;
/** Two processes of one installation, whose clocks stand still: no login expires. */
let here: Platform;
let elsewhere: Platform;
let users: UsersService;
let nextUser = 0;
let ada: { userId: string; password: string };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const options = {
    databaseUrl: testDatabase.url,
    clock: new TestClock(),
    settings: { GATEFOLD_RATE_LIMITS: 'off', GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
    controllers: [OftenController],
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
  ada = { userId: `ada-${nextUser++}`, password: 'a long password' };
  await users.add(ada);
});
afterEach(() => void jest.restoreAllMocks());

const statusAt = async (platform: Platform) => (await platform.as(ada).get('/often')).status;

/** The notice of a change arrives soon after it. */
async function refusedAt(platform: Platform): Promise<void> {
  await until('the notice of a change', async () => (await statusAt(platform)) === 401);
}

describe('a login on a route that is called often', () => {
  beforeEach(async () => {
    await Promise.all([statusAt(here), statusAt(elsewhere)]);
  });

  it('does not read the account again', async () => {
    const find = jest.spyOn(here.get(UsersRepository), 'find');

    expect(await statusAt(here)).toBe(200);

    expect(find).not.toHaveBeenCalled();
  });

  it.each([
    ['the password changes', () => users.changePassword(ada.userId, 'another password')],
    ['the account is disabled', () => users.disable(ada.userId)],
    ['the account is deleted', () => users.delete(ada.userId)],
  ])('ends when %s: at once in this process, soon in others', async (_when, change) => {
    await change();

    expect(await statusAt(here)).toBe(401);
    await refusedAt(elsewhere);
  });

  it('ends when its app password is revoked or replaced', async () => {
    const appPasswords = here.get(AppPasswordsService);
    for (const change of ['revoke', 'rotate'] as const) {
      const { id, token } = await appPasswords.add(ada.userId, 'phone');
      ada = { ...ada, password: token };
      expect([await statusAt(here), await statusAt(elsewhere)]).toEqual([200, 200]);

      await appPasswords[change](ada.userId, id);

      expect(await statusAt(here)).toBe(401);
      await refusedAt(elsewhere);
    }
  });

  it('ends when the account is disabled in the database', async () => {
    await here.database.query('update account set disabled_at = now() where user_id = $1', [
      ada.userId,
    ]);

    await refusedAt(elsewhere);
    await refusedAt(here);
    expect([await statusAt(here), await statusAt(elsewhere)]).toEqual([401, 401]);
  });

  it('is read anew after the connection for notices was lost', async () => {
    const remembered = elsewhere.get(RememberedLogins);
    expect(remembered.find(ada)).not.toBeNull();

    await here.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'gatefold notices' and datname = current_database()`,
    );
    await until('logins to be forgotten', () => remembered.find(ada) === null);

    expect(await statusAt(elsewhere)).toBe(200);
  });
});

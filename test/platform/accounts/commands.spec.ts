import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { TOTP } from 'otpauth';
import { Clock } from '../../../src/common/clock.js';
import { registerGroupCommands } from '../../../src/platform/accounts/groups/groups.commands.js';
import { registerUserCommands } from '../../../src/platform/accounts/users/users.commands.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { registerAppPasswordCommands } from '../../../src/platform/sign-in/app-passwords/app-passwords.commands.js';
import { registerSecondFactorCommands } from '../../../src/platform/sign-in/second-factor/second-factor.commands.js';
import { SecondFactorsService } from '../../../src/platform/sign-in/second-factor/second-factors.service.js';
import { registerSessionCommands } from '../../../src/platform/sign-in/sessions/sessions.commands.js';
import { Browser } from '../../support/browser.js';
import { printedBy } from '../../support/printed-by.js';
import { startPlatform, type Platform } from '../start-platform.js';

const SELF = '/ocs/v2.php/cloud/user?format=json';

let platform: Platform;
let nextUser = 0;
let userId: string;

beforeAll(async () => {
  platform = await startPlatform({
    settings: { GATEFOLD_RATE_LIMITS: 'off', GATEFOLD_ADMIN_PASSWORD: 'of the administrator' },
  });
  process.env['TRIAL_PASSWORD'] = 'from the environment';
  // Specs may run in a terminal, but must not prompt.
  Object.defineProperty(process.stdin, 'isTTY', { value: false, configurable: true });
});

afterAll(async () => {
  delete process.env['TRIAL_PASSWORD'];
  await platform?.stop();
});

beforeEach(() => {
  userId = `user-${nextUser++}`;
});

/** Runs a command beside the running service. @returns its output */
async function gatefold(...args: string[]): Promise<string> {
  const program = new Command().exitOverride();
  registerGroupCommands(program, (work) => work((token) => platform.get(token)));
  registerUserCommands(program, (work) => work((token) => platform.get(token)));
  registerAppPasswordCommands(program, (work) => work((token) => platform.get(token)));
  registerSecondFactorCommands(program, (work) => work((token) => platform.get(token)));
  registerSessionCommands(program, (work) => work((token) => platform.get(token)));
  return printedBy(program, args);
}

async function statusWith(password: string): Promise<number> {
  return (await platform.as({ userId, password }).get(SELF)).status;
}

function addUser(...options: string[]): Promise<string> {
  return gatefold('user:add', userId, '--password-from-env', 'TRIAL_PASSWORD', ...options);
}

describe('user:add', () => {
  it('reads the password from the environment and does not print it', async () => {
    const printed = await addUser();

    expect(printed).toBe(`Created user "${userId}".\n`);
    expect(await statusWith('from the environment')).toBe(200);
  });

  it('accepts a display name and administrator rights', async () => {
    await addUser('--admin', '--display-name', 'Ada Lovelace');

    expect(await platform.get(UsersService).find(userId)).toMatchObject({
      displayName: 'Ada Lovelace',
      isAdmin: true,
    });
  });

  it('generates and prints a password without a terminal', async () => {
    const printed = await gatefold('user:add', userId);

    const password = /The password is (\S+) \(it is not shown again\)\./.exec(printed)?.[1];
    expect(await statusWith(password ?? '')).toBe(200);
  });

  it.each([
    (name: string) => ['--password-from-env', name],
    (name: string) => [name, '--password-from-env'],
  ])('reads OC_PASS if no variable is named, as in scripts for Nextcloud', async (wordsFor) => {
    process.env['OC_PASS'] = 'from the usual variable';
    try {
      expect(await gatefold('user:add', ...wordsFor(userId))).toBe(`Created user "${userId}".\n`);
      expect(await statusWith('from the usual variable')).toBe(200);
      process.env['OC_PASS'] = 'changed meanwhile';
      await gatefold('user:resetpassword', ...wordsFor(userId));
      expect(await statusWith('changed meanwhile')).toBe(200);
    } finally {
      delete process.env['OC_PASS'];
    }
  });

  it('requires the name of the user', async () => {
    await expect(gatefold('user:add')).rejects.toThrow('missing required argument');
  });

  it('rejects an empty variable', async () => {
    await expect(
      gatefold('user:add', userId, '--password-from-env', 'TRIAL_NOTHING'),
    ).rejects.toThrow('The environment variable TRIAL_NOTHING holds no password.');
  });

  it('rejects an existing and an invalid name', async () => {
    await addUser();

    await expect(addUser()).rejects.toThrow(`There is already a user "${userId}".`);
    await expect(gatefold('user:add', 'a b')).rejects.toThrow('A user name has 1 to 64 letters');
  });
});

describe('user:list', () => {
  it('shows rights and the last login in columns', async () => {
    await addUser('--display-name', 'Ada Lovelace', '--admin');
    await gatefold('user:disable', userId);

    const printed = await gatefold('user:list');

    const columns = printed.split('\n').map((line) => line.split(/ {2,}/));
    expect(columns[0]).toEqual(['USER', 'DISPLAY NAME', 'RIGHTS', 'LAST LOGIN']);
    expect(columns).toContainEqual([userId, 'Ada Lovelace', 'admin, disabled', 'never']);
  });

  it('prints JSON for programs, without secrets', async () => {
    await addUser();

    const printed = await gatefold('user:list', '--json');

    expect(JSON.parse(printed)).toContainEqual({
      userId,
      displayName: userId,
      emailConfirmed: true,
      isAdmin: false,
      hasSecondFactor: false,
      lastLoginSeconds: 0,
      leaveAskedSeconds: null,
      leavesSeconds: null,
      heldSeconds: null,
      heldUntilSeconds: null,
      disabled: false,
      email: null,
    });
  });
});

describe('user:passwd', () => {
  it('changes the password for the running service at once', async () => {
    await gatefold('user:add', userId);
    await gatefold('user:passwd', userId, '--password-from-env', 'TRIAL_PASSWORD');

    expect(await statusWith('from the environment')).toBe(200);
  });

  it('rejects an unknown user', async () => {
    await expect(gatefold('user:passwd', 'nobody')).rejects.toThrow('There is no user "nobody".');
  });
});

describe('user:disable and user:enable', () => {
  it('prevent and allow logins', async () => {
    await addUser();

    await gatefold('user:disable', userId);
    const disabled = await statusWith('from the environment');
    await gatefold('user:enable', userId);

    expect([disabled, await statusWith('from the environment')]).toEqual([401, 200]);
  });
});

describe('user:promote and user:demote', () => {
  it('grant and revoke administrator rights', async () => {
    await addUser();
    const isAdmin = async () => (await platform.get(UsersService).find(userId))?.isAdmin;

    await gatefold('user:promote', userId);
    const promoted = await isAdmin();
    await gatefold('user:demote', userId);

    expect([promoted, await isAdmin()]).toEqual([true, false]);
    await expect(gatefold('user:promote', 'nobody')).rejects.toThrow('There is no user "nobody".');
  });
});

describe('user:quota', () => {
  it('refuses an unknown user and what is no quota', async () => {
    await addUser();

    await expect(gatefold('user:quota', userId, 'much')).rejects.toThrow('"5 GB"');
    await expect(gatefold('user:quota', 'nobody', '5 GB')).rejects.toThrow(
      'There is no user "nobody".',
    );
    await expect(gatefold('user:quota', 'nobody')).rejects.toThrow('There is no user "nobody".');
  });
});

describe('user:delete', () => {
  it('requires --yes without a terminal', async () => {
    await addUser();

    await expect(gatefold('user:delete', userId)).rejects.toThrow(
      `Deleting user "${userId}" cannot be undone; confirm with --yes.`,
    );
    expect(await statusWith('from the environment')).toBe(200);
  });

  it('deletes with --yes', async () => {
    await addUser();

    await gatefold('user:delete', userId, '--yes');

    expect(await statusWith('from the environment')).toBe(401);
    await expect(gatefold('user:delete', userId, '--yes')).rejects.toThrow('There is no user');
  });
});

describe('app-password', () => {
  it('is added, listed and revoked', async () => {
    await addUser();
    const none = await gatefold('app-password:list', userId);
    const added = await gatefold('app-password:add', userId, 'my phone');
    const token = added.trim().split('\n').at(-1) ?? '';
    const id = /app password (\d+)/.exec(added)?.[1] ?? '';
    const listed = await gatefold('app-password:list', userId);
    const before = await statusWith(token);

    await gatefold('app-password:revoke', userId, id);

    expect(none).toBe(`User "${userId}" has no app passwords.\n`);
    expect(listed).toMatch(new RegExp(`^${id} +my phone +\\S+ +never$`, 'm'));
    expect(listed).not.toContain(token);
    expect([before, await statusWith(token)]).toEqual([200, 401]);
  });

  it('is added with a key for the Fever API only on request', async () => {
    await addUser();
    await gatefold('app-password:add', userId, 'plain');
    await gatefold('app-password:add', userId, 'old reader', '--fever');

    const listed = await gatefold('app-password:list', userId);

    expect(listed).toMatch(/^\d+ +plain +\S+ +never$/m);
    expect(listed).toMatch(/^\d+ +old reader +\S+ +never +yes +reader$/m);
  });

  it('is revoked only by id', async () => {
    await addUser();

    await expect(gatefold('app-password:revoke', userId, 'my phone')).rejects.toThrow(
      'It must be a whole number.',
    );
    await expect(gatefold('app-password:revoke', userId, '999999')).rejects.toThrow(
      `User "${userId}" has no app password 999999.`,
    );
  });
});

describe('sessions', () => {
  it('are listed, and end everywhere at once', async () => {
    await addUser();
    const browser = new Browser(platform.url);
    await browser.login({ userId, password: 'from the environment' });

    const listed = await gatefold('session:list', userId);
    await gatefold('session:revoke', userId);

    expect(listed).toContain('127.0.0.1');
    expect((await browser.get(SELF)).status).toBe(401);
    expect(await gatefold('session:list', userId)).toBe(`User "${userId}" has no sessions.\n`);
  });
});

describe('session:revoke', () => {
  it('ends the session of the id that session:list shows, and no other', async () => {
    await addUser();
    const browsers = [new Browser(platform.url), new Browser(platform.url)] as const;
    for (const browser of browsers) {
      await browser.login({ userId, password: 'from the environment' });
    }
    const listed = JSON.parse(await gatefold('session:list', userId, '--json')) as { id: number }[];
    const [newest = 0] = listed.map(({ id }) => id).sort((a, b) => b - a);
    await expect(gatefold('session:revoke', 'stranger', String(newest))).rejects.toThrow(
      `There is no session ${newest}.`,
    );

    const printed = await gatefold('session:revoke', userId, String(newest));

    expect(printed).toBe(`User "${userId}" has been logged out of that browser.\n`);
    const statuses = await Promise.all(browsers.map((browser) => browser.get(SELF)));
    expect(statuses.map(({ status }) => status)).toEqual([200, 401]);
  });
});

describe('groups', () => {
  it('are created, listed with their members, and deleted', async () => {
    await addUser();
    const group = `readers of ${userId}`;
    await gatefold('group:add', group, '--display-name', 'Readers');
    await gatefold('group:add-user', group, userId);
    const groups: unknown = JSON.parse(await gatefold('group:list', '--json'));
    const members = await gatefold('group:list', group);
    await gatefold('group:remove-user', group, userId);
    const none = await gatefold('group:list', group);
    await gatefold('group:delete', group);

    expect(groups).toContainEqual(
      expect.objectContaining({ groupId: group, displayName: 'Readers', members: 1 }),
    );
    expect([members, none]).toEqual([`${userId}\n`, `Group "${group}" has no members.\n`]);
    expect(await gatefold('group:list')).not.toContain(group);
    await expect(gatefold('group:add-user', group, userId)).rejects.toThrow('There is no group');
  });

  it('of administrators give rights, and cannot be deleted', async () => {
    await addUser();
    const isAdmin = async () => (await platform.get(UsersService).find(userId))?.isAdmin;

    await gatefold('group:add-user', 'admin', userId);
    const joined = await isAdmin();
    await gatefold('group:remove-user', 'admin', userId);

    expect([joined, await isAdmin()]).toEqual([true, false]);
    await expect(gatefold('group:delete', 'admin')).rejects.toThrow(
      'The group of administrators can be neither renamed nor removed.',
    );
  });
});

describe('user:reset-second-factor', () => {
  it('lets a user log in with the password alone again', async () => {
    await addUser();
    const factors = platform.get(SecondFactorsService);
    const { secret } = await factors.beginTotp(userId);
    const timestamp = platform.get(Clock).now().getTime();
    await factors.confirmTotp(userId, new TOTP({ secret }).generate({ timestamp }));
    expect(await statusWith('from the environment')).toBe(401);

    const printed = await gatefold('user:reset-second-factor', userId);

    expect(printed).toBe(`Removed the second factors of user "${userId}".\n`);
    expect(await statusWith('from the environment')).toBe(200);
  });

  it('refuses an unknown user, and one without a second factor', async () => {
    await expect(gatefold('user:reset-second-factor', 'nobody')).rejects.toThrow(
      'There is no user "nobody".',
    );
    await addUser();
    await expect(gatefold('user:reset-second-factor', userId)).rejects.toThrow(
      'This account has no second factor.',
    );
  });
});

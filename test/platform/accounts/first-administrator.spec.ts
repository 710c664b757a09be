import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Database } from '../../../src/database/database.js';
import { FirstAdministrator } from '../../../src/platform/accounts/users/first-administrator.service.js';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { loadConfig } from '../../../src/settings.js';
import { itLong } from '../../support/long.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { platformModules, startPlatform, type Platform } from '../start-platform.js';

let testDatabase: TestDatabase;
/** Like that of a command such as `gatefold user:add`, which starts no web server. */
let ofCommand: INestApplicationContext;
let started: Platform[];
let lines: string[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ofCommand = await NestFactory.createApplicationContext(
    platformModules(loadConfig({ DATABASE_URL: testDatabase.url })),
    { logger: false, abortOnError: false },
  );
});

afterAll(async () => {
  await ofCommand?.close();
  await testDatabase?.drop();
});

beforeEach(() => {
  started = [];
  lines = [];
});

afterEach(async () => {
  await Promise.all(started.map((platform) => platform.stop()));
  await ofCommand.get(Database).query('truncate account cascade');
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Platform> {
  const write = (line: string): number => lines.push(line);
  const platform = await startPlatform({
    databaseUrl: testDatabase.url,
    settings: { GATEFOLD_LOG_FORMAT: 'json', ...settings },
    logger: { log: write, warn: write, error: write },
  });
  started.push(platform);
  return platform;
}

const addByCommand = (userId: string, isAdmin = false) =>
  ofCommand.get(UsersService).add({ userId, password: 'long enough to be one', isAdmin });

function announcements(): string[] {
  return lines.filter((line) => line.startsWith('Created the administrator'));
}

async function everybody(platform: Platform): Promise<string[]> {
  const listed = await platform.get(UsersService).listAll();
  return listed.map(({ userId, isAdmin }) => `${userId} ${isAdmin ? 'administrator' : ''}`.trim());
}

it('A CLI command creates none, since its log is discarded.', async () => {
  expect(await ofCommand.get(UsersService).listAll()).toEqual([]);
});

describe('the first start', () => {
  it('creates an administrator with a generated password, logged once', async () => {
    const platform = await start();

    const [sentence = ''] = announcements();
    const password = /^Created the administrator "admin" with the password: (\S+) \(/.exec(
      sentence,
    )?.[1];
    const answer = await platform
      .as({ userId: 'admin', password: password ?? '' })
      .get('/ocs/v2.php/cloud/user?format=json');
    expect(answer.status).toBe(200);
    expect(password?.length).toBeGreaterThanOrEqual(20);
    expect(await everybody(platform)).toEqual(['admin administrator']);
    expect(lines.filter((line) => line.includes(String(password)))).toHaveLength(1);
  });

  it('shows a generated password apart from a log for people', async () => {
    const platform = await start({ GATEFOLD_LOG_FORMAT: 'text' });

    const { userId = '', password = '' } = platform.get(FirstAdministrator).created ?? {};
    expect((await platform.as({ userId, password }).get('/ocs/v2.php/cloud/user')).status).toBe(
      200,
    );
    expect(lines.join('\n')).not.toContain(password);
    expect((await start({ GATEFOLD_LOG_FORMAT: 'text' })).get(FirstAdministrator).created).toBe(
      undefined,
    );
  });

  it('uses name and password from the settings, and does not log the password', async () => {
    const platform = await start({
      GATEFOLD_ADMIN_USER: 'root@example.org',
      GATEFOLD_ADMIN_PASSWORD: 'geheim',
    });

    const answer = await platform
      .as({ userId: 'root@example.org', password: 'geheim' })
      .get('/ocs/v2.php/cloud/user?format=json');
    expect(answer.status).toBe(200);
    expect(lines.join('\n')).not.toContain('geheim');
    expect(lines).toContain(
      'GATEFOLD_ADMIN_PASSWORD is weak. The password must have at least 10 characters. Change it soon.',
    );
  });

  it('creates one administrator when several processes start together', async () => {
    const platforms = await Promise.all([start(), start()]);

    expect(announcements()).toHaveLength(1);
    expect(await everybody(platforms[0])).toEqual(['admin administrator']);
  });

  itLong('creates the administrator even if the CLI has added a user', async () => {
    await addByCommand('ada');

    const platform = await start({ GATEFOLD_ADMIN_PASSWORD: 'correct horse battery' });

    expect(await everybody(platform)).toEqual(['ada', 'admin administrator']);
    const admin = platform.as({ userId: 'admin', password: 'correct horse battery' });
    expect((await admin.get('/ocs/v2.php/cloud/users?format=json')).status).toBe(200);
  });

  itLong(
    'creates none if the CLI has added an administrator, and logs the unused setting',
    async () => {
      await addByCommand('ada', true);

      const platform = await start({ GATEFOLD_ADMIN_PASSWORD: 'correct horse battery' });

      expect(await everybody(platform)).toEqual(['ada administrator']);
      expect(lines).toContain('GATEFOLD_ADMIN_PASSWORD is ignored: an administrator exists.');
      expect(lines.join('\n')).not.toContain('correct horse battery');
    },
  );

  itLong('does not promote an existing account of the name, but logs how to', async () => {
    await addByCommand('admin');

    const platform = await start({ GATEFOLD_ADMIN_PASSWORD: 'correct horse battery' });

    expect(await everybody(platform)).toEqual(['admin']);
    expect(lines.join('\n')).toContain('gatefold user:promote NAME');
  });

  itLong('fails for an invalid configured name', async () => {
    await expect(start({ GATEFOLD_ADMIN_USER: 'the boss' })).rejects.toThrow(
      'A user name has 1 to 64 letters, digits or the signs _ . @ - and not dots alone, but is "the boss".',
    );
  });
});

describe('a later start', () => {
  it('creates none, regardless of the settings, also if there is another administrator', async () => {
    const first = await start();
    lines = [];

    const platform = await start({ GATEFOLD_ADMIN_USER: 'other', GATEFOLD_ADMIN_PASSWORD: 'new' });

    expect(announcements()).toEqual([]);
    expect(await everybody(platform)).toEqual(['admin administrator']);

    const ada = { userId: 'ada', password: 'long enough', isAdmin: true };
    await first.get(UsersService).add(ada);
    await first.get(UsersService).delete('admin');
    expect(await everybody(await start())).toEqual(['ada administrator']);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '../../src/common/config/config.js';
import { FirstAdministrator } from '../../src/platform/users/first-administrator.js';
import { UsersService } from '../../src/platform/users/users.service.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { platformModules, startPlatform, type Platform } from './start-platform.js';

let testDatabase: TestDatabase;
let started: Platform[];
let lines: string[];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  started = [];
  lines = [];
});

afterEach(async () => {
  await Promise.all(started.map((platform) => platform.stop()));
  await testDatabase.drop();
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

/** Like `gatefold user:add`, which starts no web server. */
async function addByCommand(userId: string, isAdmin = false): Promise<void> {
  const config = loadConfig({ DATABASE_URL: testDatabase.url });
  const context = await NestFactory.createApplicationContext(platformModules(config), {
    logger: false,
    abortOnError: false,
  });
  await context.get(UsersService).add({ userId, password: 'long enough to be one', isAdmin });
  await context.close();
}

function announcements(): string[] {
  return lines.filter((line) => line.startsWith('Created the administrator'));
}

async function everybody(platform: Platform): Promise<string[]> {
  const listed = await platform.get(UsersService).listAll();
  return listed.map(({ userId, isAdmin }) => `${userId} ${isAdmin ? 'administrator' : ''}`.trim());
}

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
    const platforms = await Promise.all([start(), start(), start()]);

    expect(announcements()).toHaveLength(1);
    expect(await everybody(platforms[0])).toEqual(['admin administrator']);
  });

  it('creates the administrator even if the CLI has added a user', async () => {
    await addByCommand('ada');

    const platform = await start({ GATEFOLD_ADMIN_PASSWORD: 'correct horse battery' });

    expect(await everybody(platform)).toEqual(['ada', 'admin administrator']);
    const admin = platform.as({ userId: 'admin', password: 'correct horse battery' });
    expect((await admin.get('/ocs/v2.php/cloud/users?format=json')).status).toBe(200);
  });

  it('creates none if the CLI has added an administrator, and logs the unused setting', async () => {
    await addByCommand('ada', true);

    const platform = await start({ GATEFOLD_ADMIN_PASSWORD: 'correct horse battery' });

    expect(await everybody(platform)).toEqual(['ada administrator']);
    expect(lines).toContain('GATEFOLD_ADMIN_PASSWORD is ignored: an administrator exists.');
    expect(lines.join('\n')).not.toContain('correct horse battery');
  });

  it('does not promote an existing account of the name, but logs how to', async () => {
    await addByCommand('admin');

    const platform = await start({ GATEFOLD_ADMIN_PASSWORD: 'correct horse battery' });

    expect(await everybody(platform)).toEqual(['admin']);
    expect(lines.join('\n')).toContain('gatefold user:promote NAME');
  });

  it('fails for an invalid configured name', async () => {
    await expect(start({ GATEFOLD_ADMIN_USER: 'the boss' })).rejects.toThrow(
      'A user name has 1 to 64 letters, digits or the signs _ . @ - and not dots alone, but is "the boss".',
    );
  });
});

describe('a later start', () => {
  it('creates none, regardless of the settings', async () => {
    await start();
    lines = [];

    const platform = await start({ GATEFOLD_ADMIN_USER: 'other', GATEFOLD_ADMIN_PASSWORD: 'new' });

    expect(announcements()).toEqual([]);
    expect(await everybody(platform)).toEqual(['admin administrator']);
  });

  it('does not recreate the administrator if there is another one', async () => {
    const platform = await start();
    const ada = { userId: 'ada', password: 'long enough', isAdmin: true };
    await platform.get(UsersService).add(ada);
    await platform.get(UsersService).delete('admin');

    expect(await everybody(await start())).toEqual(['ada administrator']);
  });
});

describe('a CLI command', () => {
  it('creates none, since its log is discarded', async () => {
    const config = loadConfig({ DATABASE_URL: testDatabase.url });
    const context = await NestFactory.createApplicationContext(platformModules(config), {
      logger: false,
      abortOnError: false,
    });

    const listed = await context.get(UsersService).listAll();
    await context.close();

    expect(listed).toEqual([]);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command } from 'commander';
import { rm } from 'node:fs/promises';
import { registerAppSecretCommand } from '../../../src/app-api/administration/app-secret.commands.js';
import { ExAppsRepository } from '../../../src/app-api/apps/ex-apps.repository.js';
import { TalkBotsService } from '../../../src/app-api/bots/talk-bots.service.js';
import { ValuesRepository } from '../../../src/app-api/values/values.repository.js';
import { AppModule } from '../../../src/app.module.js';
import { createApp } from '../../../src/create-app.js';
import { SecretKeyService } from '../../../src/platform/installation/secrets/secret-key.service.js';
import { registerSecretCommands } from '../../../src/platform/installation/secrets/secrets.commands.js';
import { loadConfig } from '../../../src/settings.js';
import { printedBy } from '../../support/printed-by.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';

const ANOTHER_KEY = 'another secret key, of a data folder that was restored';

let database: TestDatabase;
let dataDir: string;
let service: TestApp;
let restored: INestApplicationContext | undefined;
beforeAll(async () => {
  dataDir = await temporaryFolder('data');
  database = await createTestDatabase();
  service = await startApp({ DATABASE_URL: database.url });
  await service.inside(ExAppsRepository).create({
    appId: 'ears',
    name: 'Ears',
    version: '1.0.0',
    daemonName: null,
    baseUrl: 'http://127.0.0.1:1',
    secret: 'the secret of the app',
    status: { deploy: 100, init: 100, action: '', type: '', error: '' },
    isSystem: false,
  });
  const values = service.inside(ValuesRepository);
  await values.set({ appId: 'ears' }, { key: 'token', value: 'hush', sensitive: true }, () => {});
  await values.set({ appId: 'ears' }, { key: 'color', value: 'blue', sensitive: false }, () => {});
  await values.set(
    { appId: 'ears', userId: 'admin' },
    { key: 'password', value: 'hush', sensitive: true },
    () => {},
  );
  await service
    .inside(TalkBotsService)
    .register('ears', { name: 'Ears', route: 'bot', description: '' });
});
afterEach(async () => {
  await restored?.close();
  restored = undefined;
});
afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(dataDir, { recursive: true });
});

const settings = (key: string) =>
  loadConfig({
    DATABASE_URL: database.url,
    GATEFOLD_SECRET_KEY: key,
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_LOG_LEVEL: 'silent',
    GATEFOLD_SCHEDULER: 'off',
    GATEFOLD_DATABASE_CONNECTIONS: '4',
  });

/** The application of a command, without the check of the key. */
async function withAnotherKey(): Promise<INestApplicationContext> {
  restored ??= await NestFactory.createApplicationContext(AppModule.with(settings(ANOTHER_KEY)), {
    logger: false,
    abortOnError: false,
  });
  return restored;
}

async function gatefold(...args: string[]): Promise<string> {
  const context = await withAnotherKey();
  const program = new Command().exitOverride();
  const withApp = <Result>(work: (get: never) => Promise<Result>) =>
    work(((token: unknown) => context.get(token as Type, { strict: false })) as never);
  registerSecretCommands(program, withApp, { withAnyKey: withApp } as never);
  registerAppSecretCommand(program, withApp);
  return printedBy(program, args);
}

describe('a process with another secret key than the database', () => {
  it('does not start, and names the missing key', async () => {
    await expect(createApp(settings(ANOTHER_KEY))).rejects.toThrow(
      /The secret key of this process \([0-9a-f]{16}\) is not the one .*secret\.key/,
    );
  });

  it('does not start on a database without a fingerprint whose sealed values it cannot open', async () => {
    await service.database.query('delete from secret_key');

    await expect(createApp(settings(ANOTHER_KEY))).rejects.toThrow(/is not the one/);

    await service.inside(SecretKeyService).assertKeyIsRight();
  });
});

describe('secrets:reset', () => {
  it('lists the values that the present key cannot open, and changes nothing', async () => {
    const printed = await gatefold('secrets:reset');

    expect(printed).toMatch(/Lost secrets of external apps:\n {2}ears\n/);
    expect(printed).toMatch(/Lost sensitive values of external apps:\n(?:.*\n)*? {2}ears token\n/);
    expect(printed).toContain('ears password of admin\n');
    expect(printed).toMatch(/Lost secrets of chat bots:\n {2}ears bot\n/);
    expect(printed).not.toContain('hush');
    expect(printed).toContain('Nothing was changed.');
    expect((await service.inside(ExAppsRepository).find('ears'))?.secret).toBe(
      'the secret of the app',
    );
  });

  it('accepts the present key with --accept-loss, after which all values can be set again', async () => {
    await gatefold('secrets:reset', '--accept-loss');

    const context = await withAnotherKey();
    await context.get(SecretKeyService, { strict: false }).assertKeyIsRight();
    const apps = context.get(ExAppsRepository, { strict: false });
    const values = context.get(ValuesRepository, { strict: false });
    expect((await apps.list()).map(({ appId, secret }) => [appId, secret.length])).toEqual([
      ['ears', 128],
    ]);
    expect(await values.get({ appId: 'ears' }, ['token', 'color'])).toEqual([
      expect.objectContaining({ key: 'color', value: 'blue' }),
    ]);
    const bot = await context.get(TalkBotsService, { strict: false }).find('ears', 'bot');
    expect(bot?.secret).toHaveLength(64);
    expect(await gatefold('secrets:reset')).toContain(
      'The present secret key opens all sealed values.',
    );

    process.env['APP_SECRET'] = 'the secret of the app';
    await gatefold('app_api:app:secret', 'ears');
    delete process.env['APP_SECRET'];
    expect((await apps.find('ears'))?.secret).toBe('the secret of the app');
  });

  it('rejects the former key', async () => {
    await expect(service.inside(SecretKeyService).assertKeyIsRight()).rejects.toThrow(
      /is not the one/,
    );
  });
});

describe('app_api:app:secret', () => {
  it('rejects an unknown app and a missing secret', async () => {
    await expect(gatefold('app_api:app:secret', 'ears')).rejects.toThrow(/APP_SECRET/);
    process.env['APP_SECRET'] = 'x';
    await expect(gatefold('app_api:app:secret', 'nobody')).rejects.toThrow(/no external app/);
    delete process.env['APP_SECRET'];
  });
});

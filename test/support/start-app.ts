import type { Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SchedulerRegistry } from '@nestjs/schedule';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EX_APPS_SCHEDULE } from '../../src/app-api/apps/lifecycle/heartbeat.schedule.js';
import { TASK_LEASES_SCHEDULE } from '../../src/app-api/task-processing/queue/task-queue.service.js';
import { Config } from '../../src/common/config/config.js';
import { PublicAddress } from '../../src/common/config/public-address.js';
import { createApp } from '../../src/create-app.js';
import { Database } from '../../src/database/database.js';
import { FeedReadingPool } from '../../src/news/feed-parser/pool/reading-pool.js';
import { PasswordHash } from '../../src/platform/accounts/passwords/password-hash.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { loadConfig } from '../../src/settings.js';
import { filesStoreOfTheRun } from './an-object-store.js';
import { ApiClient, type Credentials } from './api-client.js';
import { useCheapPasswords } from './cheap-passwords.js';
import { forget, record } from './contracts/recorder.js';
import { temporaryFolder } from './temporary-folder.js';
import { createTestDatabase, SECRET_KEY, type TestDatabase } from './test-database.js';

export const ADMIN = { userId: 'admin', password: 'admin of the tests' };

/** A thread takes a quarter of a second to start, so all applications of a process share them. */
const readers = new FeedReadingPool();

export type TestUser = ApiClient & { readonly credentials: Credentials };

/** The whole service on a separate database, reached over HTTP. */
export interface TestApp {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly database: Database;
  /** A service of the running application, for what clients cannot do or see. */
  inside<Service>(token: abstract new (...args: never[]) => Service): Service;
  /** The database's clock, which stamps changes; Unix microseconds. */
  nowMicros(): Promise<number>;
  addUser(userId: string, password: string): Promise<void>;
  /** A client with the credentials of a new user with a generated name. */
  signIn(): Promise<TestUser>;
  /** The same with a given name. */
  signInOnce(userId: string): Promise<TestUser>;
  asAdmin(): TestUser;
  /** A client without credentials. */
  asStranger(): ApiClient;
  /** Makes the database unavailable to the running service. */
  loseDatabase(): Promise<void>;
  stop(): Promise<void>;
}

/** `TEST_DATABASE_POOLER` is the address, without a database, of a pooler before the server of the run. */
function throughPooler(url: string): Record<string, string> {
  const pooler = process.env['TEST_DATABASE_POOLER'];
  return pooler === undefined
    ? { DATABASE_URL: url }
    : { DATABASE_URL: pooler + new URL(url).pathname, DATABASE_DIRECT_URL: url };
}

function ofSomebodyElse(url: string): TestDatabase {
  return { url, address: { url }, drop: async () => {} };
}

/**
 * @param settings environment variables besides the defaults of tests; with `DATABASE_URL`, the caller
 *   drops the database
 */
export async function startApp(
  settings: Readonly<Record<string, string>> = {},
  customise: (app: NestExpressApplication) => void = () => {},
): Promise<TestApp> {
  const given = settings['DATABASE_URL'];
  const testDatabase = given === undefined ? await createTestDatabase() : ofSomebodyElse(given);
  const dataDir = await temporaryFolder('data');
  const app = await createApp(
    loadConfig({
      ...throughPooler(testDatabase.url),
      GATEFOLD_DATA_DIR: dataDir,
      GATEFOLD_SECRET_KEY: SECRET_KEY,
      GATEFOLD_PORT: '0',
      GATEFOLD_ADMIN_USER: ADMIN.userId,
      GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
      GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
      GATEFOLD_SCHEDULER: 'off',
      GATEFOLD_RATE_LIMITS: 'off',
      GATEFOLD_LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
      GATEFOLD_DATABASE_CONNECTIONS: '5',
      ...(settings['GATEFOLD_FILES_STORE'] === undefined && (await filesStoreOfTheRun())),
      ...(process.env['TEST_PARTS'] && { GATEFOLD_PARTS: process.env['TEST_PARTS'] }),
      ...settings,
    }),
  );
  const inside: TestApp['inside'] = (token) => app.get(token as Type, { strict: false });
  useCheapPasswords(inside(PasswordHash));
  const config = inside(Config);
  if (config.parts.has('reader')) {
    inside(FeedReadingPool).read = (document) => readers.read(document);
  }
  customise(app);
  await app.listen(0, '127.0.0.1');
  keepIdleConnections(app.getHttpServer() as Server);
  // Specs run the rounds themselves; scheduled ones would call the apps that they observe, and add
  // statements to those that they count.
  for (const name of [EX_APPS_SCHEDULE, TASK_LEASES_SCHEDULE]) {
    if (inside(SchedulerRegistry).doesExist('interval', name)) {
      inside(SchedulerRegistry).deleteInterval(name);
    }
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  record(url, app, inside(PublicAddress).path);
  const known = new Map<string, TestUser>();
  const addUser = (userId: string, password: string) =>
    inside(UsersService).add({ userId, password, displayName: userId, isAdmin: false });
  const signInOnce = async (userId: string) => {
    const password = `password of ${userId}`;
    const user = known.get(userId) ?? asUser(url, { userId, password });
    if (!known.has(userId)) {
      known.set(userId, user);
      await addUser(userId, password);
    }
    return user;
  };
  return {
    app,
    url,
    database: inside(Database),
    inside,
    async nowMicros() {
      const [row] = await inside(Database).query<{ micros: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros',
      );
      return row?.micros ?? 0;
    },
    addUser,
    signIn: () => signInOnce(`user-${known.size}`),
    signInOnce,
    asAdmin: () => asUser(url, ADMIN),
    asStranger: () => new ApiClient(url),
    loseDatabase: () => testDatabase.drop(),
    async stop() {
      forget(url);
      await app.close();
      await testDatabase.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Until the server closes. Client and service are one process: while it computes, neither sees that the
 * other closes an idle connection, and the client would use it again.
 */
function keepIdleConnections(server: Server): void {
  server.keepAliveTimeout = 0;
  const close = server.close.bind(server);
  server.close = (...done) => {
    Object.assign(server, { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 });
    return close(...done);
  };
}

function asUser(url: string, credentials: Credentials): TestUser {
  return Object.assign(new ApiClient(url, credentials), { credentials });
}

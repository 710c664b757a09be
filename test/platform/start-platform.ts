import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ScheduleModule } from '@nestjs/schedule';
import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { roomsWith } from '../../src/app.module.js';
import { Clock } from '../../src/common/clock.js';
import { CommonModule } from '../../src/common/common.module.js';
import type { Config } from '../../src/common/config/config.js';
import { ConfigModule } from '../../src/common/config/config.module.js';
import { EdgeRules } from '../../src/common/config/edge-rules.js';
import { NAMED_PARTS } from '../../src/common/config/parts.js';
import { PublicAddress } from '../../src/common/config/public-address.js';
import { OutgoingHttpModule } from '../../src/common/http/outgoing-http.module.js';
import { declaredBy } from '../../src/common/subjects/subject.js';
import { Database } from '../../src/database/database.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { applyHttpEdge } from '../../src/http-edge.js';
import { PasswordHash } from '../../src/platform/accounts/passwords/password-hash.service.js';
import { BrowserErrorFilter } from '../../src/platform/pages/error-pages/browser-error.filter.js';
import { loadConfig } from '../../src/settings.js';
import { ApiClient, type Credentials } from '../support/api-client.js';
import { useCheapPasswords } from '../support/cheap-passwords.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { createTestDatabase } from '../support/test-database.js';

/** A clock that tests can set. */
export class TestClock extends Clock {
  #now = new Date('2026-03-01T12:00:00Z');

  override now(): Date {
    return this.#now;
  }

  advanceSeconds(seconds: number): void {
    this.#now = new Date(this.#now.getTime() + seconds * 1000);
  }
}

/** One process of the platform without other rooms, on a shared database. */
export interface Platform {
  readonly url: string;
  readonly database: Database;
  get<Service>(token: abstract new (...args: never[]) => Service): Service;
  as(credentials?: Credentials): ApiClient;
  stop(): Promise<void>;
}

export interface PlatformOptions {
  /** By default a database of its own, which is dropped at the end. */
  readonly databaseUrl?: string;
  readonly clock?: TestClock;
  readonly settings?: Readonly<Record<string, string>>;
  /** Additional controllers of the test. */
  readonly controllers?: readonly Type[];
  readonly logger?: {
    log(line: string): void;
    warn(line: string): void;
    error(line: string): void;
  };
}

export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const own = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const dataDir = await temporaryFolder('data');
  const config = loadConfig({
    DATABASE_URL: options.databaseUrl ?? own?.url,
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_DATABASE_CONNECTIONS: '8',
    GATEFOLD_SECRET_KEY: 'only for the specs of the platform room',
    ...options.settings,
  });
  const app = await NestFactory.create<NestExpressApplication>(
    platformModules(config, options.controllers),
    {
      bodyParser: false,
      logger: options.logger ?? false,
      abortOnError: false,
      forceCloseConnections: true,
    },
  );
  useCheapPasswords(app.get(PasswordHash));
  setClock(app.get(Clock), options.clock ?? new TestClock());
  applyHttpEdge(app, config);
  app.useGlobalFilters(new BrowserErrorFilter(app.get(PublicAddress)));
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    database: app.get(Database),
    get: (token) => app.get(token as Type, { strict: false }),
    as: (credentials) => new ApiClient(url, credentials),
    async stop() {
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
      await own?.drop();
    },
  };
}

/** The platform without any part of its own name: no feeds, files, chat or external apps. */
export async function platformModules(
  config: Config,
  controllers: readonly Type[] = [],
): Promise<DynamicModule> {
  const named: ReadonlySet<string> = new Set(NAMED_PARTS);
  const rooms = await roomsWith(new Set([...config.parts].filter((part) => !named.has(part))));
  const { entities, edgeRules } = declaredBy(rooms);
  return {
    module: PlatformAlone,
    controllers: [...controllers],
    imports: [
      ConfigModule.with(config, new EdgeRules(edgeRules)),
      DatabaseModule.withEntities(entities),
      OutgoingHttpModule,
      ScheduleModule.forRoot(),
      CommonModule,
      ...rooms,
    ],
  };
}

class PlatformAlone {}

function setClock(clock: Clock, testClock: TestClock): void {
  clock.now = () => testClock.now();
}

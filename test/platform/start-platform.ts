import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { Clock } from '../../src/common/clock.js';
import { loadConfig, type Config } from '../../src/common/config/config.js';
import { ConfigModule } from '../../src/common/config/config.module.js';
import { PublicAddress } from '../../src/common/http/public-address.js';
import { BrowserErrorFilter } from '../../src/platform/pages/error-pages/browser-error.filter.js';
import { AppCredentials } from '../../src/common/ports/app-credentials.js';
import { UiContributions } from '../../src/common/ports/ui-contributions.js';
import { HealthModule } from '../../src/common/health/health.module.js';
import { MetricsModule } from '../../src/common/metrics/metrics.module.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { Database } from '../../src/database/database.js';
import { EDGE_RULES } from '../../src/edge-rules.js';
import { applyHttpEdge } from '../../src/http-edge.js';
import { PasswordHash } from '../../src/platform/sign-in/passwords/password-hash.js';
import { PLATFORM_ENTITIES } from '../../src/platform/platform.entities.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { ApiClient, type Credentials } from '../support/api-client.js';
import { useCheapPasswords } from '../support/cheap-passwords.js';
import { temporaryFolder } from '../support/temporary-folder.js';

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
  readonly databaseUrl: string;
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

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const dataDir = await temporaryFolder('data');
  const config = loadConfig({
    DATABASE_URL: options.databaseUrl,
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
    },
  };
}

/** The platform without any other room. */
export function platformModules(config: Config, controllers: readonly Type[] = []): DynamicModule {
  return {
    module: PlatformAlone,
    controllers: [...controllers],
    imports: [
      ConfigModule.with(config, EDGE_RULES),
      HealthModule,
      MetricsModule,
      DatabaseModule.withEntities(PLATFORM_ENTITIES),
      PlatformModule,
      NoExternalApps,
    ],
  };
}

class PlatformAlone {}

/** Replaces the gateway: there are no external apps. */
@Global()
@Module({
  providers: [
    {
      provide: AppCredentials,
      useValue: {
        verify: async () => null,
        noteRefusal: () => {},
        noteVersion: async () => {},
      } satisfies AppCredentials,
    },
    {
      provide: UiContributions,
      useValue: { menuFor: async () => [], page: async () => null } satisfies UiContributions,
    },
  ],
  exports: [AppCredentials, UiContributions],
})
class NoExternalApps {}

/** All services share one clock object, so that object follows the test's time. */
function setClock(clock: Clock, testClock: TestClock): void {
  clock.now = () => testClock.now();
}

import { MikroORM, type AnyEntity, type EntityName } from '@mikro-orm/postgresql';
import {
  Global,
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Counter } from 'prom-client';
import { Config } from '../common/config/config.js';
import { DiskSpace } from '../common/disk/disk-space.js';
import { Metrics } from '../common/metrics/metrics.js';
import { Readiness } from '../common/health/readiness.js';
import { StillOpen } from '../common/health/still-open.js';
import { RestoreHooks } from '../common/ports/restore-hooks.js';
import { DatabaseChecks } from './checks/database-checks.js';
import { ConnectionCheck } from './connection-check.js';
import { CountsAnnouncer } from './counts-announcer.js';
import { Database } from './database.js';
import { DatabaseMetrics } from './database-metrics.js';
import { DatabaseNotices } from './database-notices.js';
import { findRunningServer, findServer, type DatabaseServer } from './database-server.js';
import { JobQueue } from './job-queue.js';
import { closeConnection, openConnection } from './dedicated-connection.js';
import { migrate, type MigrateOptions } from './migrate.js';
import { directUrlOf, ormConfig, type DatabaseAddress } from './orm.config.js';
import { ServerWatch } from './server-watch.js';
import { WorkerWatch } from './worker-watch.js';
import { assertSameServer } from './session-check.js';
import { startFailure } from './start-failure.js';

/**
 * `migrated` as the service needs it; `as it is`, without migrating; `running`, without starting a
 * server either.
 */
export type DatabaseUse = 'migrated' | 'as it is' | 'running';

const MIGRATION_CONNECTIONS = 4;

const DATABASE_SERVER = Symbol('DATABASE_SERVER');

/**
 * Starts or connects to the database and migrates it. `app.module.ts` passes the entities of all
 * rooms, so that this module imports none.
 */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly orm: MikroORM,
    @Inject(DATABASE_SERVER) private readonly server: DatabaseServer,
    database: Database,
    jobs: JobQueue,
    readiness: Readiness,
    stillOpen: StillOpen,
    private readonly disk: DiskSpace,
    metrics: Metrics,
  ) {
    countRestarts(metrics, server);
    if (server.folder !== undefined) {
      disk.watch(server.folder);
    }
    stillOpen.counts('jobs', () => jobs.underWay);
    stillOpen.counts('connections of the pool', () => database.connections().used);
    readiness.requires(() => database.assertWritable());
  }

  static withEntities(
    entities: readonly EntityName<AnyEntity>[],
    use: DatabaseUse = 'migrated',
  ): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: DATABASE_SERVER,
          inject: [Config],
          useFactory: use === 'running' ? findRunningServer : findServer,
        },
        {
          provide: MikroORM,
          inject: [Config, DATABASE_SERVER],
          useFactory: (config: Config, server: DatabaseServer) =>
            connect(server, entities, config, use),
        },
        ConnectionCheck,
        CountsAnnouncer,
        Database,
        DatabaseChecks,
        DatabaseMetrics,
        DatabaseNotices,
        JobQueue,
        RestoreHooks,
        ServerWatch,
        WorkerWatch,
      ],
      exports: [ConnectionCheck, Database, DatabaseNotices, JobQueue, MikroORM, RestoreHooks],
    };
  }

  /** At the start, and periodically in case the reserve was used. */
  async onApplicationBootstrap(): Promise<void> {
    await this.keepDiskReserve();
  }

  @Cron('45 */5 * * * *', { name: 'database-ballast', waitForCompletion: true })
  async keepDiskReserve(): Promise<void> {
    if (!(await this.disk.checkLow())) {
      await this.server.keepDiskReserve?.().catch((error: Error) => {
        new Logger('Database').warn(`Keeping space for a full disk failed: ${error.message}`);
      });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.orm.close();
    await this.server.release();
  }
}

function countRestarts({ registry }: Metrics, { restarts }: DatabaseServer): void {
  if (restarts === undefined) {
    return;
  }
  const counter = new Counter({
    name: 'gatefold_database_restarts_total',
    help: 'Starts of the embedded database after an unexpected end.',
    registers: [],
    collect() {
      this.reset();
      this.inc(restarts());
    },
  });
  registry.registerMetric(counter);
}

function tellMigrations(names: readonly string[], tookMs: number): void {
  if (names.length > 0) {
    const many = `${names.length} ${names.length === 1 ? 'migration' : 'migrations'}`;
    const logger = new Logger('Database');
    logger.log(`Prepared the database, ${many} in ${(tookMs / 1000).toFixed(1)} s`);
    logger.debug(`Applied the migrations ${names.join(', ')}`);
  }
}

/** Around a pooler by transaction, which runs neither session locks nor statements that take long. */
async function migrateAt(
  address: DatabaseAddress,
  orm: MikroORM,
  options: MigrateOptions,
): Promise<string[]> {
  if (!('url' in address) || address.directUrl === undefined) {
    return migrate(orm, options);
  }
  const direct = await MikroORM.init(
    ormConfig({ url: address.directUrl }, [], MIGRATION_CONNECTIONS),
  );
  try {
    return await migrate(direct, options);
  } finally {
    await direct.close();
  }
}

async function connect(
  server: DatabaseServer,
  entities: readonly EntityName<AnyEntity>[],
  { databaseConnections, databaseWaitSeconds, statementLimits, allowNewerSchema }: Config,
  use: DatabaseUse,
): Promise<MikroORM> {
  let orm: MikroORM | undefined;
  try {
    orm = await MikroORM.init(
      ormConfig(
        server.address,
        entities,
        databaseConnections,
        databaseWaitSeconds,
        statementLimits,
      ),
    );
    if (use !== 'migrated') {
      await closeConnection(await openConnection(orm));
      return orm;
    }
    const began = Date.now();
    tellMigrations(await migrateAt(server.address, orm, { allowNewerSchema }), Date.now() - began);
    if (directUrlOf(orm) !== undefined) {
      await assertSameServer(orm);
    }
    return orm;
  } catch (error) {
    await orm?.close();
    await server.release();
    throw startFailure(error);
  }
}

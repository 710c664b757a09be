import { MikroORM } from '@mikro-orm/postgresql';
import {
  Global,
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CommonModule } from '../common/common.module.js';
import { Config } from '../common/config/config.js';
import { DiskSpace } from '../common/disk/disk-space.js';
import { Readiness } from '../common/health/readiness.js';
import { StillOpen } from '../common/health/still-open.js';
import { Metrics } from '../common/metrics/metrics.js';
import { DatabaseChecks } from './checks/database-checks.js';
import { connect, countRestarts, type DatabaseUse } from './connect.js';
import { ConnectionCheck } from './connections/connection-check.js';
import { DatabaseMetrics } from './database-metrics.js';
import { Database } from './database.js';
import type { Described } from './entity-of.js';
import { JobQueue } from './jobs/job-queue.js';
import { CountsAnnouncer } from './notices/counts-announcer.js';
import { DatabaseNotices } from './notices/notices.js';
import { Regularly } from './regularly.js';
import { findRunningServer, findServer, type DatabaseServer } from './server/database-server.js';
import { ServerWatch } from './silent-servers/server-watch.js';
import { WorkerWatch } from './silent-servers/worker-watch.js';
import { Topology } from './topology.js';

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
    entities: readonly Described[],
    use: DatabaseUse = 'migrated',
  ): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [CommonModule],
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
        ServerWatch,
        Topology,
        WorkerWatch,
      ],
      exports: [ConnectionCheck, Database, DatabaseNotices, JobQueue, MikroORM, Topology],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#keepDiskReserve();
  }

  /** The reserve may have been used. */
  @Regularly('database-ballast', 300)
  async tick(): Promise<void> {
    await this.#keepDiskReserve();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.orm.close();
    await this.server.release();
  }

  async #keepDiskReserve(): Promise<void> {
    if (!(await this.disk.checkLow())) {
      await this.server.keepDiskReserve?.().catch((error: Error) => {
        new Logger('Database').warn(`Keeping space for a full disk failed: ${error.message}`);
      });
    }
  }
}

import { MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Config } from '../common/config/config.js';
import { Metrics } from '../common/metrics/metrics.js';
import { closeConnection, openConnection } from './connections/dedicated-connection.js';
import { directUrlOf, ormConfig, type DatabaseAddress } from './connections/orm.config.js';
import { assertSameServer } from './connections/session-check.js';
import type { Described } from './entity-of.js';
import { migrate, type MigrateOptions } from './migrate.js';
import { type DatabaseServer } from './server/database-server.js';
import { startFailure } from './start-failure.js';

/**
 * `migrated` as the service needs it; `restored`: the same, for the end of a restore; `as it is`: without
 * migrating; `running`: without starting a server either.
 */
export type DatabaseUse = 'migrated' | 'restored' | 'as it is' | 'running';

const MIGRATION_CONNECTIONS = 4;

export function countRestarts({ registry }: Metrics, { restarts }: DatabaseServer): void {
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

/** Bypasses a transaction pooler, which supports neither session locks nor long statements. */
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

/** Opens the connections, and migrates if it is to. */
export async function connect(
  server: DatabaseServer,
  entities: readonly Described[],
  config: Config,
  use: DatabaseUse,
): Promise<MikroORM> {
  const { databaseConnections, databaseWaitSeconds, allowNewerSchema } = config;
  let orm: MikroORM | undefined;
  try {
    orm = await MikroORM.init(
      ormConfig(server.address, entities, databaseConnections, databaseWaitSeconds, config),
    );
    if (use === 'as it is' || use === 'running') {
      await closeConnection(await openConnection(orm));
      return orm;
    }
    const began = Date.now();
    const options = { allowNewerSchema, duringRestore: use === 'restored' };
    tellMigrations(await migrateAt(server.address, orm, options), Date.now() - began);
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

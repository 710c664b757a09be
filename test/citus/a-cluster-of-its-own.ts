import { afterAll } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { chmod, rm } from 'node:fs/promises';
import { Client } from 'pg';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { migrate } from '../../src/database/migrate.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { distributeDatabase } from '../support/test-database.js';
import {
  joinDatabase,
  joinWorkers,
  startCitusCluster,
  withDatabase,
  type CitusCluster,
} from './citus-cluster.js';

const DATABASE = 'gatefold';

/** What is committed survives the end of a process, and transactions in doubt are decided soon. */
const SETTINGS = ['synchronous_commit=on', 'citus.recover_2pc_interval=500ms'];

/** A cluster whose servers a spec may kill, with a distributed database. */
export interface OwnCluster extends CitusCluster {
  /** For `DATABASE_URL`. */
  readonly databaseUrl: string;
  /** Rows of a query of the database on the coordinator, or on a worker. */
  query<Row>(sql: string, params?: readonly unknown[], nodeUrl?: string): Promise<Row[]>;
  /** The port of the worker that has the rows with this value of the distribution column. */
  workerOf(table: 'reader' | 'article', id: number): Promise<number>;
  /** Adds a worker without any rows, as an operator does. */
  join(nodeUrl: string): Promise<void>;
}

/**
 * Stopped with the spec file.
 *
 * @param joined number of workers at the start
 * @param others number of workers that wait for `join`
 */
export async function aClusterOfItsOwn(joined: number, others = 0): Promise<OwnCluster> {
  const programs = process.env['TEST_CITUS_PROGRAMS'];
  if (programs === undefined) {
    throw new Error('Run it by npm run test:citus.');
  }
  const folder = await temporaryFolder('cluster');
  await chmod(folder, 0o755);
  const cluster = await startCitusCluster(programs, `${folder}/nodes`, joined + others, SETTINGS);
  afterAll(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const { coordinator, workers } = cluster;
  const databaseUrl = withDatabase(coordinator.url, DATABASE);
  const run = async <Row>(url: string, sql: string, params: readonly unknown[] = []) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql, [...params])).rows as Row[];
    } finally {
      await client.end();
    }
  };
  await run(coordinator.url, `create database ${DATABASE}`);
  const orm = await MikroORM.init(ormConfig({ url: databaseUrl }, [], 4));
  await migrate(orm);
  await orm.close();
  await joinDatabase(
    DATABASE,
    coordinator.url,
    workers.slice(0, joined).map(({ url }) => url),
  );
  await distributeDatabase(databaseUrl);
  return {
    ...cluster,
    databaseUrl,
    query: (sql, params, nodeUrl = databaseUrl) =>
      run(withDatabase(nodeUrl, DATABASE), sql, params),
    join: (url) => joinWorkers(DATABASE, coordinator.url, [url]),
    async workerOf(table, id) {
      const [shard] = await run<{ port: number }>(
        databaseUrl,
        `select nodeport as port from citus_shards
          where shardid = get_shard_id_for_distribution_column($1::regclass, $2::bigint)`,
        [table, id],
      );
      return shard?.port ?? 0;
    },
  };
}

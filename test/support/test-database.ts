import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { Client, type DatabaseError } from 'pg';
import type { DatabaseAddress } from '../../src/database/connections/orm.config.js';
import { DistributionRepository } from '../../src/news/distribution/distribution.repository.js';
import { dropWorkerDatabases, joinDatabase } from '../citus/citus-cluster.js';
import { PROCESS_SECONDS, until } from './until.js';

/** A separate database for a test, with the current schema and no rows. */
export interface TestDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  readonly address: DatabaseAddress;
  /**
   * Closes remaining connections, so it may be called before or after the application is closed.
   */
  drop(): Promise<void>;
}

/** The same for all processes on a database, as required. */
export const SECRET_KEY = 'the secret key of all processes of the tests';

/** Migrated once before the run; copying it takes a fraction of the time of a migration. */
export const TEMPLATE_DATABASE = 'gatefold_template';

const OBJECT_IN_USE = '55006';

/** Few, since every test creates them. */
const SHARDS = 4;

/** @param isDistributed on a Citus cluster, whether readers and articles are distributed over the workers */
export async function createTestDatabase(
  isDistributed = process.env['TEST_CITUS_DISTRIBUTE'] !== '0',
): Promise<TestDatabase> {
  const name = `gatefold_test_${randomBytes(8).toString('hex')}`;
  await withServer((server) => copyTemplate(server, name));
  const url = urlOfDatabase(name);
  const workers = citusWorkers();
  if (workers.length > 0) {
    await joinDatabase(name, url, workers);
    if (isDistributed) {
      await distributeDatabase(url);
    }
  }
  return {
    url,
    address: { url },
    drop: async () => {
      await dropDatabase(name);
      await dropWorkerDatabases(name, workers);
    },
  };
}

/** Addresses of the workers if the specs run on a Citus cluster; see test/citus/run.ts. */
function citusWorkers(): readonly string[] {
  return process.env['TEST_CITUS_WORKERS']?.split(' ') ?? [];
}

/** The address of a database on the server of the run. */
export function urlOfDatabase(name: string): string {
  const server = process.env['TEST_DATABASE_SERVER'];
  if (server === undefined) {
    throw new Error('There is no server for tests: run the spec through jest.');
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Ends its sessions first: while one is left, the drop waits in steps of 100 ms. */
export async function dropDatabase(name: string): Promise<void> {
  await withServer(async (server) => {
    const hasEnded = async () => {
      const { rowCount } = await server.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [name],
      );
      return rowCount === 0;
    };
    await until('the end of the sessions of a test database', hasEnded, PROCESS_SECONDS);
    await server.query(`drop database if exists "${name}" with (force)`);
  });
}

/** Runs a statement outside the test databases, for what cannot be done inside one. */
export async function queryServer(statement: string): Promise<void> {
  await withServer((server) => server.query(statement));
}

/**
 * PostgreSQL refuses to copy a database with open connections, those of other copies included. A copy of
 * the files takes a third of the time of a copy by its log.
 */
async function copyTemplate(server: Client, name: string): Promise<void> {
  const isCopied = () =>
    server
      .query(`create database "${name}" template "${TEMPLATE_DATABASE}" strategy file_copy`)
      .then(
        () => true,
        (error: DatabaseError) => {
          if (error.code !== OBJECT_IN_USE) {
            throw error;
          }
          return false;
        },
      );
  await until('the database that is copied', isCopied, PROCESS_SECONDS);
}

/** Spreads the tables of readers and of articles over the workers that the database has joined. */
export async function distributeDatabase(url: string): Promise<void> {
  const shards = { readers: SHARDS, articles: SHARDS };
  const client = await connect(url);
  await new DistributionRepository(client).distribute(shards);
  await client.end();
}

/** One connection for all specs of a process; opening one takes as long as copying the template. */
let shared: Promise<Client> | undefined;

async function withServer(work: (server: Client) => Promise<unknown>): Promise<void> {
  shared ??= connect(urlOfDatabase('postgres')).then((client) =>
    client.once('end', () => (shared = undefined)),
  );
  const server = await shared;
  const socket = server.connection.stream as Socket;
  socket.ref();
  try {
    await work(server);
  } finally {
    // Keeps no process alive whose specs have ended.
    socket.unref();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

import { chmod, rm } from 'node:fs/promises';
import { Client } from 'pg';
import { holdEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import {
  removeFoldersOfDeadProcesses,
  temporaryFolder,
} from '../../test/support/temporary-folder.js';
import { parentOf, processorMsOfTree, programOf } from './processes.js';

/** The PostgreSQL server of a run. */
export interface DatabaseServer {
  /** Name and version, for the heading of the figures. */
  readonly version: string;
  /** Address of a database on it. */
  urlOf(databaseName: string): string;
  /** Runs a statement in its database `postgres`. */
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /**
   * CPU time in milliseconds of all its processes so far; undefined for a server on another machine.
   */
  processorMs(): number | undefined;
  /**
   * Statements that clients of a database have run so far, `begin` and `commit` included; undefined
   * without pg_stat_statements.
   */
  statements(databaseName: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** An operator's settings, except for more connections, for several services. */
const SETTINGS = {
  max_connections: '300',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '10000',
};

/** @param external address of a server to use instead of an embedded one */
export async function startDatabaseServer(external: string | undefined): Promise<DatabaseServer> {
  const embedded = external === undefined ? await startEmbedded() : undefined;
  const address = embedded?.address ?? external ?? '';
  // The test helpers read it, too.
  process.env['TEST_DATABASE_SERVER'] = address;
  const client = new Client({ connectionString: withDatabase(address, 'postgres') });
  client.on('error', () => {});
  await client.connect();
  const query = async <Row>(sql: string, params: readonly unknown[] = []) =>
    (await client.query(sql, [...params])).rows as Row[];
  const [{ version = '', pid = 0 } = {}] = await query<{ version?: string; pid?: number }>(
    `select current_setting('server_version') as version, pg_backend_pid() as pid`,
  );
  const postmaster = programOf(pid)?.startsWith('postgres') ? parentOf(pid) : undefined;
  const counts = await query('create extension if not exists pg_stat_statements')
    .then(() => query('select from pg_stat_statements limit 1'))
    .then(() => true)
    .catch(() => false);
  return {
    version: `PostgreSQL ${version}`,
    urlOf: (name) => withDatabase(address, name),
    query,
    processorMs: () => (postmaster === undefined ? undefined : processorMsOfTree(postmaster)),
    async statements(databaseName) {
      if (!counts) {
        return undefined;
      }
      const [row] = await query<{ calls: string }>(
        `select coalesce(sum(calls), 0) as calls from pg_stat_statements
          where dbid = (select oid from pg_database where datname = $1)`,
        [databaseName],
      );
      return Number(row?.calls);
    },
    async stop() {
      await client.end();
      await embedded?.stop();
    },
  };
}

async function startEmbedded(): Promise<{ address: string; stop(): Promise<void> }> {
  await removeFoldersOfDeadProcesses();
  const dataDir = await temporaryFolder('bench-database');
  // Started by root, the server runs as another user, who needs access.
  await chmod(dataDir, 0o711);
  const server = await holdEmbeddedPostgres({ dataDir, log: () => {}, settings: SETTINGS });
  const { socketDir, user, dbName } = server.address;
  return {
    address: `postgresql://${user}@${encodeURIComponent(socketDir)}/${dbName}`,
    stop: async () => {
      await server.release();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

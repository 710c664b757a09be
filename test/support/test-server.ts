import { MikroORM } from '@mikro-orm/postgresql';
import { chmod, rm } from 'node:fs/promises';
import { holdEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { ormConfig } from '../../src/database/orm.config.js';
import { dropDatabase, TEMPLATE_DATABASE, urlOfDatabase } from './test-database.js';
import { removeFoldersOfDeadProcesses, temporaryFolder } from './temporary-folder.js';

/** A PostgreSQL server for a whole run of jest. */
export interface TestServer {
  stop(): Promise<void>;
}

declare global {
  /** Set before the run and used after it. */
  var testServer: TestServer | undefined;
}

/** No database of a test outlives the run, so nothing is lost by a power cut. */
const FAST_AND_FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};

/**
 * Starts an embedded server, unless `TEST_DATABASE_URL` names one to use instead, and makes the
 * migrated database that each test copies. The specs find the server in the environment.
 */
export async function startTestServer(): Promise<TestServer> {
  const external = process.env['TEST_DATABASE_URL'];
  const server = external ? { url: external, stop: async () => {} } : await startEmbedded();
  process.env['TEST_DATABASE_SERVER'] = server.url;
  await dropDatabase(TEMPLATE_DATABASE);
  const orm = await MikroORM.init(ormConfig({ url: urlOfDatabase(TEMPLATE_DATABASE) }, [], 4));
  await migrate(orm);
  await orm.close();
  return server;
}

async function startEmbedded(): Promise<TestServer & { readonly url: string }> {
  await removeFoldersOfDeadProcesses();
  const dataDir = await temporaryFolder('database');
  // Started by root, the server runs as another user, who has to get in.
  await chmod(dataDir, 0o711);
  const server = await holdEmbeddedPostgres({
    dataDir,
    log: () => {},
    settings: FAST_AND_FORGETFUL,
  });
  const { socketDir, user, dbName } = server.address;
  return {
    url: `postgresql://${user}@${encodeURIComponent(socketDir)}/${dbName}`,
    stop: async () => {
      await server.release();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

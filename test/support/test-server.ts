import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  holdEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/database/embedded/embedded-postgres.js';
import { removeFoldersOfDeadProcesses, temporaryFolder } from './temporary-folder.js';
import { dropDatabase, TEMPLATE_DATABASE, urlOfDatabase } from './test-database.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A PostgreSQL server for a whole run of jest. */
export interface TestServer {
  stop(): Promise<void>;
}

/** Test databases do not outlive the run, so durability is not needed. */
const FAST_AND_FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',
};

/** The stopped cluster of an earlier run with the template database; by the hash of its schema. */
const KEPT_CLUSTERS =
  process.env['TEST_CLUSTERS'] ??
  fileURLToPath(new URL('../../node_modules/.cache/clusters/', import.meta.url));

/** The inputs of a new cluster's content. */
const SCHEMA_SOURCES = [
  'package-lock.json',
  'src/database/{migrate,job-schema}.ts',
  'src/database/{functions,migrations}/*.ts',
  'test/support/test-server.ts',
];

/**
 * Starts an embedded server, unless `TEST_DATABASE_URL` names another one, and creates the migrated
 * database that each test copies. The specs find the server in the environment.
 */
export async function startTestServer(): Promise<TestServer> {
  const external = process.env['TEST_DATABASE_URL'];
  if (external) {
    process.env['TEST_DATABASE_SERVER'] = external;
    await makeTemplate();
    return { stop: async () => {} };
  }
  await removeFoldersOfDeadProcesses();
  const dataDir = await temporaryFolder('database');
  // Started by root, the server runs as another user, who needs access.
  await chmod(dataDir, 0o711);
  const kept = KEPT_CLUSTERS + (await hashOfSchema());
  if (existsSync(kept)) {
    await mkdir(path.dirname(clusterOf(dataDir)));
    copyFolder(kept, clusterOf(dataDir));
  } else {
    const first = await startEmbedded(dataDir);
    await makeTemplate();
    await first.release();
    await keepCluster(dataDir, kept);
  }
  const server = await startEmbedded(dataDir);
  return {
    stop: async () => {
      await server.release();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function startEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  const server = await holdEmbeddedPostgres({
    dataDir,
    log: () => {},
    settings: FAST_AND_FORGETFUL,
  });
  const { socketDir, user, dbName } = server.address;
  process.env['TEST_DATABASE_SERVER'] =
    `postgresql://${user}@${encodeURIComponent(socketDir)}/${dbName}`;
  return server;
}

/** As the service migrates it; without the rows of a first start. */
async function makeTemplate(): Promise<void> {
  const [{ NestFactory }, { AppModule }, { loadConfig }, { Database }, { JobQueue }] =
    await Promise.all([
      import('@nestjs/core'),
      import('../../src/app.module.js'),
      import('../../src/settings.js'),
      import('../../src/database/database.js'),
      import('../../src/database/jobs/job-queue.js'),
    ]);
  await dropDatabase(TEMPLATE_DATABASE);
  const config = loadConfig({ DATABASE_URL: urlOfDatabase(TEMPLATE_DATABASE) });
  const app = await NestFactory.create(AppModule.with(config), { logger: false });
  await app.get(JobQueue).createQueues();
  // Otherwise each start looks for unfinished migrations of pg-boss, and for jobs that wait for other jobs.
  await app.get(Database).query(
    `update job.version set bam_on = now() + interval '1 year',
                            flow_on = now() + interval '1 year'`,
  );
  await app.close();
}

/**
 * Deletes those of other schemas. The last step is a rename, since other runs may read at the same
 * time.
 */
async function keepCluster(dataDir: string, kept: string): Promise<void> {
  const draft = `${kept}.${process.pid}`;
  await rm(KEPT_CLUSTERS, { recursive: true, force: true });
  await mkdir(KEPT_CLUSTERS, { recursive: true });
  copyFolder(clusterOf(dataDir), draft);
  await rename(draft, kept).catch(() => {});
}

const clusterOf = (dataDir: string) => path.join(dataDir, 'postgres/data');

/** Keeps owners and modes, which PostgreSQL checks. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}

async function hashOfSchema(): Promise<string> {
  const hash = createHash('sha256').update(String(process.getuid?.()));
  const files = globSync(SCHEMA_SOURCES, { cwd: ROOT });
  for (const file of files.filter((name) => !name.endsWith('.spec.ts')).sort()) {
    hash.update(await readFile(path.join(ROOT, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

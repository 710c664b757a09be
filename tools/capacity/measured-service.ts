import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client, type ClientConfig } from 'pg';
import type { Config } from '../../src/common/config/config.js';
import { StartRefused } from '../../src/common/errors/start-refused.js';
import { findRunningPostgres } from '../../src/database/embedded/embedded-postgres.js';

export const ADMIN = 'capacity';

/** A service with data of its own, which disappear with it. */
export interface MeasuredService {
  readonly address: string;
  readonly adminPassword: string;
  /** A connection to its database. */
  readonly database: Client;
  /** Folder of the embedded database; undefined with another server. */
  readonly dataDir: string | undefined;
  stop(): Promise<void>;
}

/**
 * Starts a service on an empty database beside the configured one: on its server, or in a folder on its disk.
 *
 * @throws StartRefused
 */
export async function startMeasuredService(config: Config): Promise<MeasuredService> {
  const scratch = config.databaseUrl === undefined ? undefined : await createDatabase(config);
  const dataDir = await mkdtemp(path.join(config.dataDir, 'capacity-')).catch((error: Error) => {
    throw new StartRefused(`The data folder cannot be used: ${error.message}`);
  });
  const adminPassword = randomBytes(18).toString('base64url');
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      ...(scratch !== undefined && { DATABASE_URL: scratch.url }),
      GATEFOLD_DATA_DIR: dataDir,
      GATEFOLD_SECRET_KEY: randomBytes(32).toString('base64url'),
      GATEFOLD_ADMIN_USER: ADMIN,
      GATEFOLD_ADMIN_PASSWORD: adminPassword,
      GATEFOLD_PORT: '0',
      GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
      GATEFOLD_RATE_LIMITS: 'off',
      GATEFOLD_LOG_LEVEL: 'warn',
    },
  });
  const ended = once(child, 'close');
  const removeData = async (): Promise<void> => {
    await scratch?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const address = await Promise.race([addressIn(child.stdout), refusal(ended)]);
    const database = new Client(
      scratch === undefined ? await embeddedIn(dataDir) : { connectionString: scratch.url },
    );
    await database.connect();
    return {
      address,
      adminPassword,
      database,
      dataDir: scratch === undefined ? dataDir : undefined,
      async stop() {
        await database.end();
        child.kill('SIGTERM');
        await ended;
        await removeData();
      },
    };
  } catch (error) {
    child.kill('SIGTERM');
    await ended;
    await removeData();
    throw error;
  }
}

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: output });
  return new Promise((resolve) => {
    lines.on('line', (line) => {
      const address = /Gatefold listens at ([^\s"]+)/.exec(line)?.[1];
      if (address !== undefined) {
        resolve(address);
      }
    });
  });
}

async function refusal(ended: Promise<unknown>): Promise<never> {
  await ended;
  throw new StartRefused('The service for the measurement did not start.');
}

async function embeddedIn(dataDir: string): Promise<ClientConfig> {
  const found = await findRunningPostgres(dataDir);
  if (found === null || !('socketDir' in found.address)) {
    throw new StartRefused('The embedded database for the measurement is not running.');
  }
  const { socketDir, user, dbName } = found.address;
  return { host: socketDir, user, database: dbName };
}

interface ScratchDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

async function createDatabase({
  databaseUrl,
  databaseDirectUrl,
}: Config): Promise<ScratchDatabase> {
  const server = databaseDirectUrl ?? databaseUrl ?? '';
  const name = `gatefold_capacity_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${name}`).catch((error: Error) => {
    throw new StartRefused(
      `No database for the measurement: ${error.message}. The role of DATABASE_URL needs the right CREATEDB.`,
    );
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

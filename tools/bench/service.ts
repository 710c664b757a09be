import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import type { DatabaseServer } from './database-server.js';
import { memoryMibOfTree, processorMsOfTree } from './processes.js';
import type { Caller } from './requests.js';

/** Ten seconds after its start, the service collects what that has left: not the work of a scenario. */
export const AFTER_START_MS = 12_000;

export const NEWS_API = '/index.php/apps/news/api/v1-3';

const ADMIN = { userId: 'admin', password: 'admin of the benchmark' };

/** A running program with a database of its own. */
export interface MeasuredProgram {
  readonly name: string;
  readonly databaseName: string;
  /** Statements in its database that were the benchmark's own so far. */
  readonly ownStatements: number;
  /** CPU time in milliseconds used by its processes so far. */
  processorMs(): number;
  memoryMib(): number;
  /** The process that does its work. */
  readonly pid: number;
  /** Stops all its work until `resume`, so that another program is measured alone. */
  suspend(): void;
  resume(): void;
  databaseMib(): Promise<number>;
}

/** The service of one checkout, built and started like an operator would, on an empty database. */
export interface MeasuredService extends MeasuredProgram, Caller {
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /**
   * Ends the process and starts it anew, at another address.
   *
   * @returns milliseconds until it answers
   */
  restart(): Promise<number>;
  /** Environment of commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  stop(): Promise<void>;
}

/** Headers of HTTP Basic authentication. */
export function basicCredentials(userId: string, password: string): Record<string, string> {
  const encoded = Buffer.from(`${userId}:${password}`).toString('base64');
  return { authorization: `Basic ${encoded}` };
}

/**
 * @param checkout folder of a working copy whose packages are installed
 * @param settings environment variables, beside the ones of every benchmark
 */
export async function startService(
  server: DatabaseServer,
  name: string,
  checkout: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<MeasuredService> {
  const databaseName = `gatefold_bench_${randomBytes(6).toString('hex')}`;
  await server.query(`create database "${databaseName}"`);
  const databaseUrl = server.urlOf(databaseName);
  let running = await startProcess(checkout, databaseUrl, settings);
  await pause(AFTER_START_MS);
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let ownStatements = 0;
  const query = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> => {
    ownStatements += 1;
    return (await database.query(sql, [...params])).rows as Row[];
  };
  return {
    name,
    api: `${running.url}${NEWS_API}`,
    credentials: basicCredentials(ADMIN.userId, ADMIN.password),
    agent,
    databaseName,
    query,
    get ownStatements() {
      return ownStatements;
    },
    get pid() {
      return running.pid;
    },
    get env() {
      return running.env;
    },
    async restart() {
      await running.stop();
      const began = performance.now();
      running = await startProcess(checkout, databaseUrl, settings);
      await fetch(`${running.url}/status.php`);
      return performance.now() - began;
    },
    processorMs: () => processorMsOfTree(running.pid),
    memoryMib: () => memoryMibOfTree(running.pid),
    async databaseMib() {
      const [row] = await query<{ bytes: string }>(
        'select pg_database_size(current_database()) as bytes',
      );
      return Number(row?.bytes) / 1024 ** 2;
    },
    suspend() {
      // The service would close its side of these meanwhile.
      agent.destroy();
      process.kill(running.pid, 'SIGSTOP');
    },
    resume: () => process.kill(running.pid, 'SIGCONT'),
    async stop() {
      agent.destroy();
      await running.stop();
      await database.end();
      await server.query(`drop database if exists "${databaseName}" with (force)`);
    },
  };
}

const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}

/** Ends with this process, even if that is interrupted: a suspended one would stay forever. */
export function endsWithUs(child: ChildProcess): void {
  children.add(child);
  child.once('close', () => children.delete(child));
}

/** A process of the service on a database that may have others. */
export interface ServiceProcess {
  readonly pid: number;
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  stop(): Promise<void>;
}

/** Starts one; it listens when the promise resolves. */
export async function startProcess(
  checkout: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const dataDir = await temporaryFolder('bench');
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrl,
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_SECRET_KEY: 'the secret key of the benchmark alone',
    GATEFOLD_PORT: '0',
    GATEFOLD_ADMIN_USER: ADMIN.userId,
    GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
    GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
    GATEFOLD_SCHEDULER: 'off',
    GATEFOLD_RATE_LIMITS: 'off',
    GATEFOLD_LOG_LEVEL: 'warn',
    ...settings,
  };
  const child = spawn(process.execPath, [path.join(checkout, 'bin/gatefold.mjs'), 'serve'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  endsWithUs(child);
  const ended = once(child, 'close');
  const url = await Promise.race([
    addressOf(child.stdout),
    ended.then(() => {
      throw new Error(`The service in ${checkout} did not start. Was it built?`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    url,
    env,
    async stop() {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const address = /listens at ([^\s"]+)/.exec(line)?.[1];
    if (address !== undefined) {
      // Drains later output; a full pipe would block the service.
      output.resume();
      return address.replace(/\/$/, '');
    }
  }
  throw new Error('The service did not start.');
}

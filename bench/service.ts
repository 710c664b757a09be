import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { dropDatabase, queryServer, urlOfDatabase } from '../test/support/test-database.js';
import { temporaryFolder } from '../test/support/temporary-folder.js';

const ADMIN = { userId: 'admin', password: 'admin of the benchmark' };

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The service of one checkout, built and started like an operator would, on an empty database. */
export interface MeasuredService {
  readonly name: string;
  /** Without a trailing slash. */
  readonly url: string;
  /** The value of an `Authorization` header of an administrator. */
  readonly authorization: string;
  query<Row>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** CPU time used by the process so far. */
  cpuMs(): number;
  /** Resident memory. */
  memoryMib(): number;
  stop(): Promise<void>;
}

/** @param checkout folder of a working copy whose packages are installed */
export async function startService(name: string, checkout: string): Promise<MeasuredService> {
  const databaseName = `gatefold_bench_${randomBytes(6).toString('hex')}`;
  await queryServer(`create database "${databaseName}"`);
  const databaseUrl = urlOfDatabase(databaseName);
  const dataDir = await temporaryFolder('bench');
  const child = spawn(process.execPath, [path.join(checkout, 'bin/gatefold.mjs'), 'serve'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
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
      GATEFOLD_DATABASE_CONNECTIONS: '20',
    },
  });
  const url = await addressOf(child.stdout);
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const { userId, password } = ADMIN;
  return {
    name,
    url,
    authorization: `Basic ${Buffer.from(`${userId}:${password}`).toString('base64')}`,
    async query<Row>(sql: string, params: readonly unknown[] = []): Promise<Row[]> {
      return (await database.query(sql, [...params])).rows as Row[];
    },
    cpuMs: () => (cpuTicks(child.pid ?? 0) / TICKS_PER_SECOND) * 1000,
    memoryMib: () => residentKib(child.pid ?? 0) / 1024,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
      await database.end();
      await dropDatabase(databaseName);
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

/** User and system time of a process, see proc(5). */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

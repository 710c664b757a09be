import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { itLong } from '../support/long.js';
import { runCommand } from '../support/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import {
  createTestDatabase,
  queryServer,
  SECRET_KEY,
  type TestDatabase,
} from '../support/test-database.js';

const PROGRAM = ['--no-warnings', '--import', './test/support/run-typescript.mjs', 'src/main.ts'];

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await temporaryFolder('data');
});
afterAll(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true });
});

const bench = (databaseUrl: string, ...options: readonly string[]) =>
  runCommand(['bench:capacity', ...options], {
    DATABASE_URL: databaseUrl,
    GATEFOLD_DATA_DIR: dataDir,
  });

async function scratchDatabases(): Promise<unknown[]> {
  const client = new Client(database.url);
  await client.connect();
  const { rows } = await client.query(
    "select datname from pg_database where datname like 'gatefold_capacity_%'",
  );
  await client.end();
  return rows;
}

describe('gatefold bench:capacity', () => {
  itLong('measures the machine beside the data, and leaves nothing', async () => {
    const options = ['--feeds', '20', '--accounts', '3', '--seconds', '1', '--disk-gib', '10'];
    // It starts the service by its own program, so it has to be a process.
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [...PROGRAM, 'bench:capacity', ...options, '--json'],
      {
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: database.url,
          GATEFOLD_DATA_DIR: dataDir,
          GATEFOLD_SECRET_KEY: SECRET_KEY,
        },
      },
    );

    expect(stderr).toBe('');
    const { measured, users } = JSON.parse(stdout) as Record<
      'measured' | 'users',
      Record<string, number>
    >;
    expect(Object.values(measured).every((value) => value > 0)).toBe(true);
    expect(measured['bytesPerArticle']).toBeGreaterThan(500);
    expect(Object.values(users).every((value) => value > 0)).toBe(true);
    expect(await readdir(dataDir)).toEqual([]);
    expect(await scratchDatabases()).toEqual([]);
  });

  it('says which right the role needs', async () => {
    const role = `no_createdb_${process.pid}`;
    await queryServer(`create role ${role} login password 'none'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'none';

    const { code, complaints } = await bench(url.href);

    await queryServer(`drop role ${role}`);
    expect(code).toBe(1);
    expect(complaints).toContain('The role of DATABASE_URL needs the right CREATEDB.');
    expect(complaints).not.toContain('none@');
  });

  it.each(['0', '-3', 'many', '1.5'])('refuses %s feeds', async (feeds) => {
    const { code, complaints } = await bench(database.url, `--feeds=${feeds}`);

    expect(code).toBe(2);
    expect(complaints).toContain('It must be ');
  });
});

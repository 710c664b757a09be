import type { MikroORM } from '@mikro-orm/postgresql';
import { createWriteStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { GATEFOLD_VERSION } from '../common/version.js';
import {
  END_OF_ROWS,
  type BackupHeader,
  type BackupSummary,
  type BackupTable,
} from './backup-file.js';
import { JOB_SCHEMA } from './job-schema.js';
import { closeConnection, openConnection } from './dedicated-connection.js';

/**
 * Writes a consistent snapshot of the database to a new file. The service may be running.
 *
 * @returns number of rows by table
 * @throws Error with code EEXIST if the file exists
 */
export async function writeBackup(orm: MikroORM, file: string): Promise<BackupSummary['rows']> {
  const draft = `${file}.${process.pid}.part`;
  const client = await openConnection(orm, { application_name: 'gatefold backup' });
  try {
    await client.query('begin isolation level repeatable read, read only');
    const rows: BackupSummary['rows'] = {};
    await pipeline(
      Readable.from(contents(client, rows)),
      createGzip(),
      // The file contains all users' data and password hashes.
      createWriteStream(draft, { mode: 0o600, flags: 'wx' }),
    );
    await writeThrough(draft);
    // Unlike rename, link does not overwrite a file.
    await link(draft, file);
    await writeThrough(path.dirname(file));
    return rows;
  } finally {
    await rm(draft, { force: true });
    await closeConnection(client);
  }
}

async function* contents(client: Client, rows: BackupSummary['rows']): AsyncGenerator<Buffer> {
  yield asLine(await headerOf(client));
  for (const table of await tablesOf(client)) {
    yield asLine(table);
    const copy = client.query(
      copyTo(`copy (select ${table.columns.join(', ')} from ${table.table}) to stdout`),
    );
    yield* copy as AsyncIterable<Buffer>;
    rows[table.table] = copy.rowCount;
    yield Buffer.from(`${END_OF_ROWS}\n`);
  }
  yield asLine({ rows, sequences: await sequencesOf(client) } satisfies BackupSummary);
}

async function headerOf(client: Client): Promise<BackupHeader> {
  const migrations = await client.query<{ name: string }>('select name from migration order by id');
  return {
    format: 'gatefold backup 1',
    version: GATEFOLD_VERSION,
    createdAt: new Date().toISOString(),
    migrations: migrations.rows.map(({ name }) => name),
    jobSchema: await jobSchemaVersion(client),
  };
}

export async function jobSchemaVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `select version::int as version from ${JOB_SCHEMA}.version`,
  );
  return rows[0]?.version ?? 0;
}

/** Without partitions, which are read through their parent, and tables that migrations fill. */
async function tablesOf(client: Client): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable>(
    `select format('%I.%I', n.nspname, c.relname) as table,
            array_agg(quote_ident(a.attname) order by a.attnum) as columns
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid
      where n.nspname in (current_schema, $1) and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and (n.nspname, c.relname) not in ((current_schema, 'migration'), ($1, 'version'))
      group by n.nspname, c.relname order by n.nspname, c.relname`,
    [JOB_SCHEMA],
  );
  return rows;
}

async function sequencesOf(client: Client): Promise<BackupSummary['sequences']> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as value
       from pg_sequences
      where schemaname in (current_schema, $1) and last_value is not null`,
    [JOB_SCHEMA],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

function asLine(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

async function writeThrough(file: string): Promise<void> {
  const handle = await open(file);
  await handle.sync();
  await handle.close();
}

import type { MikroORM } from '@mikro-orm/postgresql';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DomainError } from '../common/errors/domain-error.js';
import { BackupHeader, BackupSummary, BackupTable, END_OF_ROWS, linesOf } from './backup-file.js';
import { JOB_SCHEMA } from './job-schema.js';
import { migrate, migrationNames } from './migrate.js';
import { closeConnection, openConnection } from './dedicated-connection.js';
import { jobSchemaVersion } from './write-backup.js';

type Lines = AsyncGenerator<Buffer, void, undefined>;

/** The file or the database is not suitable. The message names the remedy. */
class BackupRefused extends DomainError {
  readonly kind = 'invalid';
}

export interface Restored {
  readonly header: BackupHeader;
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  /** False when the jobs were skipped, because their schema has another version. */
  readonly hasJobs: boolean;
}

/**
 * Fills an empty database from a backup in one transaction. The schema is that of the backup; the next
 * start migrates it.
 *
 * @throws BackupRefused when the file is incomplete or of a newer version, or the database not empty
 */
export async function restoreBackup(orm: MikroORM, file: string): Promise<Restored> {
  const lines = linesOf(unzipped(file));
  try {
    const header = BackupHeader.safeParse(await nextJson(lines, file));
    if (!header.success) {
      throw notWhole(file);
    }
    await makeSchema(orm, header.data);
    return await fill(orm, header.data, lines, file);
  } finally {
    await lines.return();
  }
}

function unzipped(file: string): AsyncIterable<Buffer> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  // `pipe` does not forward errors.
  source.once('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

async function makeSchema(orm: MikroORM, { migrations, version }: BackupHeader): Promise<void> {
  const known = migrationNames(orm);
  const unknown = migrations.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new BackupRefused(
      `The backup is of a newer version of Gatefold (${version}; unknown: ${unknown.join(', ')}). ` +
        'Restore it with that version.',
    );
  }
  await migrate(orm, { only: migrations });
}

async function fill(
  orm: MikroORM,
  header: BackupHeader,
  lines: Lines,
  file: string,
): Promise<Restored> {
  const client = await openConnection(orm, { application_name: 'gatefold restore' });
  try {
    await client.query('begin');
    await assertEmpty(client, header);
    const hasJobs = (await jobSchemaVersion(client)) === header.jobSchema;
    const references = await dropReferences(client);
    const { rows, summary } = await copyTables(client, lines, file, hasJobs);
    for (const [name, value] of Object.entries(summary.sequences)) {
      await client.query('select setval(to_regclass($1), $2) where to_regclass($1) is not null', [
        name,
        value,
      ]);
    }
    for (const reference of references) {
      await client.query(reference);
    }
    assertComplete(rows, summary, file);
    await client.query('commit');
    return { header, rows, hasJobs };
  } finally {
    await closeConnection(client);
  }
}

/** Also refuses a schema with later migrations, which would not be applied to the restored rows. */
async function assertEmpty(client: Client, { migrations }: BackupHeader): Promise<void> {
  const { rows } = await client.query<{ used: boolean }>(
    `select exists (select from account)
         or exists (select from migration where name <> all ($1)) as used`,
    [migrations],
  );
  if (rows[0]?.used === true) {
    throw new BackupRefused(
      'The database is not empty. Restore a backup into an empty one: name another ' +
        'GATEFOLD_DATA_DIR or DATABASE_URL, and do not start the service there before.',
    );
  }
}

/**
 * Drops all foreign keys, since rows reference tables that are restored later. Recreating them at the
 * end checks all references.
 *
 * @returns the statements that recreate them
 */
async function dropReferences(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname,
                   pg_get_constraintdef(oid)) as add
       from pg_constraint
      where contype = 'f' and conparentid = 0
        and connamespace::regnamespace::text in (current_schema, $1)`,
    [JOB_SCHEMA],
  );
  for (const { drop } of rows) {
    await client.query(drop);
  }
  return rows.map(({ add }) => add);
}

async function copyTables(
  client: Client,
  lines: Lines,
  file: string,
  hasJobs: boolean,
): Promise<{ readonly rows: Record<string, number>; readonly summary: BackupSummary }> {
  const rows: Record<string, number> = {};
  for (;;) {
    const line = await nextJson(lines, file);
    const table = BackupTable.safeParse(line);
    if (!table.success) {
      const summary = BackupSummary.safeParse(line);
      if (!summary.success) {
        throw notWhole(file);
      }
      return { rows, summary: summary.data };
    }
    if (!hasJobs && table.data.table.startsWith(`${JOB_SCHEMA}.`)) {
      await drain(rowsOf(lines, file));
    } else {
      rows[table.data.table] = await copyTable(client, table.data, rowsOf(lines, file));
    }
  }
}

async function copyTable(
  client: Client,
  { table, columns }: BackupTable,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  // Migrations insert rows into some tables.
  await client.query(`truncate ${table}`);
  const copy = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(content), copy);
  return copy.rowCount;
}

async function* rowsOf(lines: Lines, file: string): AsyncGenerator<Buffer> {
  for (;;) {
    const line = await nextLine(lines, file);
    if (line.length === END_OF_ROWS.length + 1 && line.toString() === `${END_OF_ROWS}\n`) {
      return;
    }
    yield line;
  }
}

async function drain(content: AsyncIterable<Buffer>): Promise<void> {
  for await (const _row of content) {
    // Left out.
  }
}

function assertComplete(
  rows: Readonly<Record<string, number>>,
  summary: BackupSummary,
  file: string,
): void {
  const differing = Object.entries(rows).filter(([table, count]) => summary.rows[table] !== count);
  if (differing.length > 0) {
    throw notWhole(file);
  }
}

async function nextJson(lines: Lines, file: string): Promise<unknown> {
  const line = await nextLine(lines, file);
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}

async function nextLine(lines: Lines, file: string): Promise<Buffer> {
  try {
    const { value } = await lines.next();
    if (value !== undefined) {
      return value;
    }
  } catch (error) {
    throw isAboutGzip(error) ? notWhole(file) : error;
  }
  throw notWhole(file);
}

function notWhole(file: string): BackupRefused {
  return new BackupRefused(`${file} is not a complete backup of Gatefold; nothing was restored.`);
}

function isAboutGzip(error: unknown): boolean {
  return String((error as NodeJS.ErrnoException).code).startsWith('Z_');
}

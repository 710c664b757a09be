import type { MikroORM } from '@mikro-orm/postgresql';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { BackupContents } from '../../common/ports/backup-contents.js';
import { closeConnection, openConnection, runnerOf } from '../connections/dedicated-connection.js';
import { JOB_SCHEMA } from '../job-schema.js';
import { databaseExists, migrate, queriesOf } from '../migrate.js';
import { appliedMigrations } from '../migration-names.js';
import { otherProcesses } from '../other-processes.js';
import { noteUnfinishedRestore } from '../unfinished-restore.js';
import type { BackupEnd, BackupHeader, BackupSummary, BackupTable } from './backup-file.js';
import type { BackupReader } from './backup-reader.js';
import { BackupRefused } from './backup-refused.js';
import { assertKnown, assertSame } from './verify-backup.js';
import { jobSchemaVersion } from './write-backup.js';

/** Clients may have seen ids that were given out after the backup; none of them is used again. */
const IDS_LEFT_OUT = 1_000_000;

/** Names of programs that may be connected during a restore: this one, and the holder of the server. */
const OWN_CONNECTIONS = ['gatefold restore', 'gatefold holder', 'gatefold migrations'];

export interface Restored {
  readonly header: BackupHeader;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** False when the jobs were skipped, because their schema has another version. */
  readonly hasJobs: boolean;
}

interface RestoreOptions {
  /** Replaces the rows of a database in use, in the same transaction. */
  readonly replace?: boolean;
}

/**
 * Fills a database with the rows of a backup in one transaction. The schema is the backup's; the next start
 * migrates it. File contents follow in the backup: `restoreContents`. Until `noteFinishedRestore`, no
 * service starts on it.
 *
 * @throws BackupRefused when the backup is incomplete, of a newer version or too old, or the database in
 *   use
 */
export async function restoreBackup(
  orm: MikroORM,
  reader: BackupReader,
  { replace = false }: RestoreOptions = {},
): Promise<Restored> {
  const header = await reader.header();
  assertKnown(header);
  const inUse = await isInUse(orm, header);
  if (inUse && !replace) {
    throw new BackupRefused(
      'The database is not empty. Restore a backup into an empty one: name another ' +
        'GATEFOLD_DATA_DIR or DATABASE_URL, and do not start the service there before. Or replace ' +
        'everything in it: --replace.',
    );
  }
  if (!inUse) {
    await migrate(orm, { only: header.migrations, duringRestore: true });
  }
  const client = await openConnection(orm, { application_name: 'gatefold restore' });
  try {
    await client.query('begin');
    if (inUse) {
      await makeEmpty(orm, client, header);
    }
    const restored = await fill(client, header, reader);
    await noteUnfinishedRestore(runnerOf(client));
    await client.query('commit');
    return restored;
  } finally {
    await closeConnection(client);
  }
}

/**
 * Stores the contents of users' files that follow the rows.
 *
 * @returns null when the backup has none
 */
export async function restoreContents(
  header: BackupHeader,
  reader: BackupReader,
  contents: BackupContents | undefined,
): Promise<BackupEnd | null> {
  if (header.format === 'gatefold backup 1') {
    return null;
  }
  for (;;) {
    const next = await reader.contentOrEnd();
    if (!('content' in next)) {
      return header.hasContents ? next : null;
    }
    await contents?.write(next.content, reader.bytes(next.bytes));
  }
}

async function fill(client: Client, header: BackupHeader, reader: BackupReader): Promise<Restored> {
  const hasJobs = (await jobSchemaVersion(client)) === header.jobSchema;
  const references = await dropReferences(client);
  // Triggers would add rows for the restored ones.
  await switchTriggers(client, 'disable');
  const { rows, summary } = await copyTables(client, reader, hasJobs);
  await moveSequences(client, summary);
  await switchTriggers(client, 'enable');
  for (const reference of references) {
    await client.query(reference);
  }
  assertSame(rows, summary.rows, reader);
  return { header, rows, hasJobs };
}

/** Returns true for a schema with later migrations too, which would not be applied to the restored rows. */
async function isInUse(orm: MikroORM, { migrations }: BackupHeader): Promise<boolean> {
  if (!(await databaseExists(orm))) {
    return false;
  }
  const client = await openConnection(orm, { application_name: 'gatefold restore' });
  try {
    const { rows: found } = await client.query<{ hasTables: boolean }>(
      `select to_regclass('account') is not null as "hasTables"`,
    );
    if (found[0]?.hasTables !== true) {
      return false;
    }
    // oxlint-disable-next-line gatefold/table-owners -- a service is in use from its first account on
    const { rows } = await client.query('select 1 from account limit 1');
    const applied = (await appliedMigrations(runnerOf(client))) ?? [];
    return rows.length > 0 || applied.some((name) => !migrations.includes(name));
  } finally {
    await closeConnection(client);
  }
}

/** Recreates the schema, which is undone if the restore fails. */
async function makeEmpty(
  orm: MikroORM,
  client: Client,
  { migrations }: BackupHeader,
): Promise<void> {
  await assertNobodyConnected(client);
  await dropSchema(client);
  for (const query of await queriesOf(orm, migrations)) {
    await client.query(query);
  }
  await client.query('truncate migration');
  await client.query('insert into migration (name, executed_at) select unnest($1::text[]), now()', [
    migrations,
  ]);
}

async function assertNobodyConnected(client: Client): Promise<void> {
  if ((await otherProcesses(client, OWN_CONNECTIONS)).length > 0) {
    throw new BackupRefused(
      'Other processes of Gatefold use the database. Stop them before its data is replaced.',
    );
  }
}

/** Drops everything that migrations create. The table `migration` and the schema of jobs stay. */
async function dropSchema(client: Client): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(
    `with ours as (
       select 1 as step, format('drop table if exists %s cascade', c.oid::regclass) as drop
         from pg_class c
        where c.relnamespace = current_schema::regnamespace and c.relkind in ('r', 'p')
          and c.relname <> 'migration' and not c.relispartition
          and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
       union all
       select 2, format('drop function if exists %s cascade', p.oid::regprocedure)
         from pg_proc p
        where p.pronamespace = current_schema::regnamespace and p.prokind = 'f'
          and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e'))
     select drop from ours order by step`,
  );
  for (const { drop } of rows) {
    await client.query(drop);
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

async function switchTriggers(client: Client, to: 'enable' | 'disable'): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select distinct format('alter table %s %s trigger user', tgrelid::regclass, $1::text) as statement
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not tgisinternal and tgparentid = 0 and c.relnamespace = current_schema::regnamespace`,
    [to],
  );
  for (const { statement } of rows) {
    await client.query(statement);
  }
}

async function moveSequences(client: Client, { sequences }: BackupSummary): Promise<void> {
  await client.query(
    `select setval(to_regclass(s.name), least(s.value::bigint + case when s.name like $2 then 0 else $3 end,
                                              q.max_value))
       from json_each_text($1) s (name, value)
       join pg_sequences q on to_regclass(s.name) = to_regclass(format('%I.%I', q.schemaname, q.sequencename))`,
    [JSON.stringify(sequences), `${JOB_SCHEMA}.%`, IDS_LEFT_OUT],
  );
}

async function copyTables(
  client: Client,
  reader: BackupReader,
  hasJobs: boolean,
): Promise<{ readonly rows: Record<string, number>; readonly summary: BackupSummary }> {
  const rows: Record<string, number> = {};
  for (;;) {
    const next = await reader.tableOrSummary();
    if (!('table' in next)) {
      return { rows, summary: next };
    }
    if (!hasJobs && next.table.startsWith(`${JOB_SCHEMA}.`)) {
      await skip(reader.rows());
    } else {
      rows[next.table] = await copyTable(client, next, reader.rows());
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
  await pipeline(Readable.from(content, { objectMode: false }), copy);
  return copy.rowCount;
}

async function skip(content: AsyncIterable<Buffer>): Promise<void> {
  for await (const _chunk of content) {
    // Skipped.
  }
}

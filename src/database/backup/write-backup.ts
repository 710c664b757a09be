import type { MikroORM } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import { access, link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, type Gzip } from 'node:zlib';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { BackupContents } from '../../common/ports/backup-contents.js';
import { GATEFOLD_VERSION } from '../../common/version.js';
import { closeConnection, openConnection, runnerOf } from '../connections/dedicated-connection.js';
import { COPIED_ROWS, hasDistributedTables } from '../distributed-tables.js';
import { JOB_SCHEMA } from '../job-schema.js';
import { appliedMigrations } from '../migration-names.js';
import { otherProcesses } from '../other-processes.js';
import {
  BACKUP_FORMAT,
  END_OF_ROWS,
  type BackupContent,
  type BackupEnd,
  type BackupHeader,
  type BackupSummary,
  type BackupTable,
} from './backup-file.js';
import { BackupRefused } from './backup-refused.js';
import { CONTENTS_LOCK } from './contents-lock.js';
import type { SealedKey } from './sealed-key.js';

/** Rows: three times as fast as the default level, and a few per cent larger. */
const ROWS_LEVEL = 2;

/** Users' files are pictures, documents and archives, which are compressed already. */
const CONTENTS_LEVEL = constants.Z_NO_COMPRESSION;

/** Suffix of unfinished backups only. */
const DRAFT = '.gatefold-part';

/** A draft that nothing was written to for so long is of a backup that was killed. */
const ABANDONED_MS = 3_600_000;

export interface BackupParts {
  /** Absent: the database only. */
  readonly contents?: BackupContents;
  readonly keyFingerprint?: string;
  readonly key?: SealedKey;
  readonly signal?: AbortSignal;
}

/** Summary of a written backup. */
export interface Written {
  /** Rows by table. */
  readonly rows: BackupSummary['rows'];
  readonly contents: number;
  readonly contentBytes: number;
  /** Contents that the database knows but that were not found. */
  readonly missing: number;
}

/**
 * Writes a consistent snapshot to a new file, which has its name only when it is complete. The service
 * may be running, unless the database is distributed over several servers.
 *
 * @throws Error with code EEXIST if the file exists
 * @throws BackupRefused when the database is distributed, and the service is running
 */
export async function writeBackup(
  orm: MikroORM,
  file: string,
  parts: BackupParts = {},
): Promise<Written> {
  const draft = `${file}.${process.pid}${DRAFT}`;
  await refuseExisting(file);
  await removeAbandoned(path.dirname(file));
  try {
    // The file contains all users' data and password hashes.
    const handle = await open(draft, 'wx', 0o600);
    const written = await streamBackup(orm, handle.createWriteStream(), parts);
    await writeThrough(draft);
    await giveName(draft, file);
    await writeThrough(path.dirname(file));
    return written;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a backup to a stream. */
export async function streamBackup(
  orm: MikroORM,
  target: Writable,
  parts: BackupParts = {},
): Promise<Written> {
  const client = await openConnection(orm, { application_name: 'gatefold backup' });
  try {
    await assertOneSnapshot(client);
    await client.query('begin isolation level repeatable read, read only');
    await client.query('select pg_advisory_xact_lock_shared($1)', [CONTENTS_LOCK]);
    const written: Draft = { rows: {}, contents: 0, contentBytes: 0, missing: 0 };
    const gzip = createGzip({ level: ROWS_LEVEL, chunkSize: 256 * 1024 });
    await pipeline(
      Readable.from(everything(client, gzip, parts, written), { objectMode: false }),
      gzip,
      target,
      { signal: parts.signal },
    );
    return written;
  } finally {
    await closeConnection(client);
  }
}

/** Servers of a cluster have no common snapshot, so nothing may change while they are read. */
async function assertOneSnapshot(client: Client): Promise<void> {
  if (!(await hasDistributedTables(runnerOf(client)))) {
    return;
  }
  // The backup itself runs in an application with connections.
  const others = await otherProcesses(client, ['gatefold backup', 'gatefold']);
  if (others.length > 0) {
    throw new BackupRefused(
      'The database is distributed over several servers, which have no common state while the service ' +
        'runs. Stop all processes of Gatefold for this backup, or make one with the tools of the cluster ' +
        '(citus_create_restore_point).',
    );
  }
}

type Draft = { -readonly [Key in keyof Written]: Written[Key] };

async function* everything(
  client: Client,
  gzip: Gzip,
  parts: BackupParts,
  written: Draft,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of hashedParts(client, gzip, parts, written)) {
    hash.update(chunk);
    yield chunk;
  }
  const { contents, contentBytes, missing } = written;
  yield asLine({ contents, contentBytes, missing, sha256: hash.digest('hex') } satisfies BackupEnd);
}

async function* hashedParts(
  client: Client,
  gzip: Gzip,
  parts: BackupParts,
  written: Draft,
): AsyncGenerator<Buffer> {
  yield asLine(await headerOf(client, parts));
  for (const table of await tablesOf(client)) {
    yield asLine(table);
    const copy = client.query(
      copyTo(`copy (select ${table.columns.join(', ')} from ${table.table}) to stdout`),
    );
    yield* copy as AsyncIterable<Buffer>;
    written.rows[table.table] = copy.rowCount;
    yield Buffer.from(`${END_OF_ROWS}\n`);
  }
  const { rows } = written;
  yield asLine({ rows, sequences: await sequencesOf(client) } satisfies BackupSummary);
  if (parts.contents !== undefined) {
    await changeLevel(gzip, CONTENTS_LEVEL);
    yield* contentsOf(client, parts.contents, written);
  }
}

async function* contentsOf(
  client: Client,
  contents: BackupContents,
  written: Draft,
): AsyncGenerator<Buffer> {
  const snapshot = runnerOf(client);
  for await (const ids of contents.idsIn(snapshot)) {
    for (const id of ids) {
      const content = await contents.open(id);
      if (content === null) {
        written.missing += 1;
        continue;
      }
      yield asLine({ content: id, bytes: content.bytes } satisfies BackupContent);
      let left = content.bytes;
      for await (const chunk of content.read() as AsyncIterable<Buffer>) {
        left -= chunk.length;
        yield chunk;
      }
      if (left !== 0) {
        throw new Error(`The content ${id} in ${contents.place} changed while it was read.`);
      }
      written.contents += 1;
      written.contentBytes += content.bytes;
    }
  }
}

async function changeLevel(gzip: Gzip, level: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    (gzip as unknown as { params: Params }).params(level, constants.Z_DEFAULT_STRATEGY, done);
  });
}

/** Missing in the types of a Gzip. */
type Params = (level: number, strategy: number, done: (error?: Error | null) => void) => void;

async function headerOf(client: Client, parts: BackupParts): Promise<BackupHeader> {
  return {
    format: BACKUP_FORMAT,
    version: GATEFOLD_VERSION,
    createdAt: new Date().toISOString(),
    migrations: (await appliedMigrations(runnerOf(client))) ?? [],
    jobSchema: await jobSchemaVersion(client),
    keyFingerprint: parts.keyFingerprint,
    key: parts.key,
    hasContents: parts.contents !== undefined,
  };
}

export async function jobSchemaVersion(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `select version::int as version from ${JOB_SCHEMA}.version`,
  );
  return rows[0]?.version ?? 0;
}

/**
 * Omits partitions, which are read through their parent, tables that migrations fill, and copies of rows of
 * other tables.
 */
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
        and obj_description(c.oid) is distinct from $2
      group by n.nspname, c.relname order by n.nspname, c.relname`,
    [JOB_SCHEMA, COPIED_ROWS],
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

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) {
    throw Object.assign(new Error(`EEXIST: ${file} exists`), { code: 'EEXIST' });
  }
}

/** Decides by age: the folder may be shared with other hosts, whose processes are not visible here. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(DRAFT))) {
    const draft = path.join(folder, name);
    const found = await stat(draft).catch(() => null);
    if (found !== null && found.mtimeMs < Date.now() - ABANDONED_MS) {
      await rm(draft, { force: true });
    }
  }
}

/** Unlike rename, link does not overwrite a file; but not every file system has it. */
async function giveName(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) {
      throw error;
    }
    await rename(draft, file);
  }
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}

async function writeThrough(file: string): Promise<void> {
  const handle = await open(file);
  await handle.sync();
  await handle.close();
}

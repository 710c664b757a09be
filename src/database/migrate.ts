import type { MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { StartRefused } from '../common/errors/start-refused.js';
import { closeConnection, openConnection, runnerOf } from './connections/dedicated-connection.js';
import { assertSessionsAreOurs } from './connections/session-check.js';
import { databaseFault } from './database-unavailable.js';
import { hasDistributedTables } from './distributed-tables.js';
import { installJobSchema } from './job-schema.js';
import { appliedMigrations, recordBase, unknownOf, whyTooOld } from './migration-names.js';
import { MIGRATIONS } from './migrations/all.js';
import { RollingMigration } from './migrations/kinds.js';
import { otherProcesses } from './other-processes.js';
import { limitedAs } from './statement-limits.js';
import { faultOfRestore } from './unfinished-restore.js';

/** Arbitrary, but the same in every version: all processes must use the same lock. */
const MIGRATION_LOCK = 4_706_001;

const RETRY_MS = 200;

/** Time to wait for the migration of another process, and for tables that are in use. */
const WAIT_SECONDS = 600;

/** Interval of progress reports. */
const REPORT_MS = 30_000;

/** Name in the error of `takeLock`. */
const LOCK_HOLDER = { application_name: 'gatefold migrations' };

/** SQLSTATEs; the second of the latter when another session is creating the database. */
const NO_SUCH_DATABASE = '3D000';
const EXISTS_ALREADY: ReadonlySet<unknown> = new Set(['42P04', '23505']);

export interface MigrateOptions {
  /** Start on the schema of a newer version instead of refusing it. */
  readonly allowNewerSchema?: boolean;
  /** For the restore itself, whose rows may be of one that was not completed. */
  readonly duringRestore?: boolean;
  /** Timeout for the migration of another process. */
  readonly waitSeconds?: number;
  /** Interval of progress reports. */
  readonly reportMs?: number;
  /** Names of the migrations to run; default: all. */
  readonly only?: readonly string[];
}

/**
 * Migrates the database. Processes that start at the same time are serialised by a lock.
 *
 * @returns names of the migrations that ran
 * @throws StartRefused when the schema is newer than this version or too old, when a restore was not
 *   completed, when the database is read-only or behind a pooler that shares sessions, or when another
 *   process does not finish or would break
 */
export async function migrate(orm: MikroORM, options: MigrateOptions = {}): Promise<string[]> {
  return whileOthersWait(orm, options.waitSeconds ?? WAIT_SECONDS, async (lockHolder) => {
    await assertWritable(lockHolder);
    await assertUpgradable(lockHolder, options.allowNewerSchema ?? false);
    if (options.duringRestore !== true) {
      await assertRestored(lockHolder);
    }
    await recordBase(runnerOf(lockHolder));
    const pending = await pendingMigrations(orm, options.only);
    const names = pending.map(({ name }) => name);
    // One transaction unless they are rolling, so that a failed one leaves the schema as it was.
    const steps = (await areRolling(lockHolder, pending)) ? names.map((name) => [name]) : [names];
    return reportingProgress(lockHolder, options.reportMs ?? REPORT_MS, () =>
      limitedAs('migration', async () => {
        for (const step of steps) {
          await apply(orm, step, Date.now() + (options.waitSeconds ?? WAIT_SECONDS) * 1000);
        }
        await installJobSchema(await orm.em.getConnection().getNativeClient());
        return names;
      }),
    );
  });
}

type Pending = InstanceType<(typeof MIGRATIONS)[number]>;

async function pendingMigrations(orm: MikroORM, only?: readonly string[]): Promise<Pending[]> {
  const names = new Set((await orm.migrator.getPending()).map(({ name }) => name));
  return migrationsOf(orm).filter(({ name }) => names.has(name) && only?.includes(name) !== false);
}

function migrationsOf(orm: MikroORM): Pending[] {
  const list = orm.config.get('migrations').migrationsList as typeof MIGRATIONS;
  return list.map((Migration) => new Migration(orm.em.getDriver(), orm.config));
}

/** @throws StartRefused when they are not, and other processes serve */
async function areRolling(client: Client, pending: readonly Pending[]): Promise<boolean> {
  const isDistributed = await hasDistributedTables(runnerOf(client));
  const offline = pending.filter(
    (one) =>
      isDistributed ||
      !(one instanceof RollingMigration) ||
      pending.some(({ name }) => name === one.contracts),
  );
  // Each serving process has a connection for notices.
  if (offline.length > 0 && (await otherProcesses(client, [])).includes('gatefold notices')) {
    const why = offline.map((one) => ('offline' in one ? `${one.name} ${one.offline}` : one.name));
    throw new StartRefused(
      'Processes of the version before are serving, and this upgrade would break them ' +
        `(${why.join('; ')}). Stop all of them, then start this version.`,
    );
  }
  return offline.length === 0;
}

/** Uses one transaction, repeated while tables are in use; requests pass in between. */
async function apply(orm: MikroORM, names: string[], until: number, wait = 200): Promise<void> {
  try {
    await orm.migrator.up({ migrations: names });
  } catch (error) {
    if (databaseFault(error) !== 'locked') {
      throw error;
    }
    if (Date.now() > until) {
      const text =
        'Long transactions use the tables that this upgrade changes, for instance a backup';
      throw new StartRefused(`${text} (${names.join(', ')}). End them, and start again.`);
    }
    await pause(wait);
    await apply(orm, names, until, Math.min(2 * wait, 5000));
  }
}

/**
 * Runs work that changes the schema: processes that start meanwhile wait for it. Creates the database
 * unless it exists.
 *
 * @param work gets the connection with the lock, which is idle
 * @throws StartRefused behind a pooler that shares sessions, and when another process does not finish
 */
export async function whileOthersWait<Result>(
  orm: MikroORM,
  waitSeconds: number,
  work: (lockHolder: Client) => Promise<Result>,
): Promise<Result> {
  const lockHolder = await openOrCreateDatabase(orm);
  try {
    await assertSessionsAreOurs(orm, lockHolder);
    await takeLock(lockHolder, waitSeconds);
    return await work(lockHolder);
  } finally {
    // The lock ends with the session.
    await closeConnection(lockHolder);
  }
}

/** Several processes may create the database at the same time. */
async function openOrCreateDatabase(orm: MikroORM): Promise<Client> {
  const existing = await openExisting(orm);
  if (existing !== null) {
    return existing;
  }
  await createDatabase(orm);
  return openConnection(orm, LOCK_HOLDER);
}

/** Whether the server has the database. */
export async function databaseExists(orm: MikroORM): Promise<boolean> {
  const existing = await openExisting(orm);
  await (existing && closeConnection(existing));
  return existing !== null;
}

/** @returns null when the server does not have the database */
async function openExisting(orm: MikroORM): Promise<Client | null> {
  try {
    return await openConnection(orm, LOCK_HOLDER);
  } catch (error) {
    if (codeOf(error) !== NO_SUCH_DATABASE) {
      throw error;
    }
    return null;
  }
}

async function createDatabase(orm: MikroORM): Promise<void> {
  const client = await openConnection(orm, { database: 'postgres' });
  try {
    await client.query(`create database ${client.escapeIdentifier(orm.config.get('dbName'))}`);
  } catch (error) {
    if (!EXISTS_ALREADY.has(codeOf(error))) {
      throw error;
    }
  } finally {
    await closeConnection(client);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Polls: a statement that waits for the lock would block `create index concurrently` of others. */
async function takeLock(client: Client, waitSeconds: number): Promise<void> {
  const deadline = Date.now() + waitSeconds * 1000;
  let reportAt = 0;
  while (!(await tryLock(client))) {
    if (Date.now() >= reportAt) {
      new Logger('Database').log('Another process is migrating the database; waiting for it.');
      reportAt = Date.now() + REPORT_MS;
    }
    if (Date.now() > deadline) {
      throw new StartRefused(
        `Another process has been migrating the database for more than ${waitSeconds} s. Stop it, or ` +
          'end its session (application_name "gatefold migrations" in pg_stat_activity).',
      );
    }
    await pause(RETRY_MS);
  }
}

/** Logs the database's activity while `work` runs. @param observer an idle connection */
async function reportingProgress<Result>(
  observer: Client,
  everyMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const began = Date.now();
  let reporting = Promise.resolve();
  const timer = setInterval(() => {
    reporting = reporting.then(() => reportProgress(observer, began)).catch(() => {});
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await reporting;
  }
}

async function reportProgress(observer: Client, began: number): Promise<void> {
  const { rows } = await observer.query<{ statement: string; blockers: number[] }>(
    `select left(regexp_replace(query, '\\s+', ' ', 'g'), 120) as statement,
            pg_blocking_pids(pid) as blockers
       from pg_stat_activity
      where datname = current_database() and application_name = 'gatefold' and state = 'active'
      order by xact_start limit 1`,
  );
  const { statement = 'tables are in use by long transactions', blockers = [] } = rows[0] ?? {};
  const why =
    blockers.length === 0
      ? ''
      : `; it waits for the sessions ${blockers.join(', ')}, which pg_terminate_backend can end`;
  const seconds = Math.round((Date.now() - began) / 1000);
  new Logger('Database').log(`Still migrating after ${seconds} s: ${statement.trim()}${why}`);
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1) as locked',
    [MIGRATION_LOCK],
  );
  return rows[0]?.locked === true;
}

async function assertWritable(client: Client): Promise<void> {
  const { rows } = await client.query<{ readOnly: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as "readOnly"`,
  );
  if (rows[0]?.readOnly === true) {
    throw new StartRefused(
      'The database is read-only, as a standby server is: let DATABASE_URL name the primary.',
    );
  }
}

async function assertUpgradable(client: Client, isNewerAllowed: boolean): Promise<void> {
  const applied = (await appliedMigrations(runnerOf(client))) ?? [];
  const tooOld = whyTooOld(applied);
  if (tooOld !== null) {
    throw new StartRefused(`${tooOld.text} ${tooOld.advice}`);
  }
  const unknown = unknownOf(applied);
  if (unknown.length === 0) {
    return;
  }
  const text = `The database was migrated by a newer version of Gatefold (unknown: ${unknown.join(', ')}).`;
  if (!isNewerAllowed) {
    throw new StartRefused(
      `${text} Start that version, restore an older backup, or set GATEFOLD_ALLOW_NEWER_SCHEMA=on.`,
    );
  }
  new Logger('Database').warn(text);
}

/** Asked after the migrations: a restore that replaces them holds their table until its rows are there. */
async function assertRestored(client: Client): Promise<void> {
  const fault = await faultOfRestore(runnerOf(client));
  if (fault !== null) {
    throw new StartRefused(`${fault.text} ${fault.advice}`);
  }
}

/**
 * The statements of some migrations, for a caller that runs them in a transaction of its own.
 *
 * @param names of migrations of this version
 */
export async function queriesOf(orm: MikroORM, names: readonly string[]): Promise<string[]> {
  const wanted = migrationsOf(orm).filter(({ name }) => names.includes(name));
  for (const migration of wanted) {
    await migration.up();
  }
  return wanted.flatMap((migration) => migration.getQueries().map(String));
}

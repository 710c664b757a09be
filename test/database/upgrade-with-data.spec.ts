import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { SecretBox } from '../../src/common/secrets/secret-box.js';
import { runnerOf } from '../../src/database/connections/dedicated-connection.js';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { recordBase } from '../../src/database/migration-names.js';
import { BASE, MIGRATIONS } from '../../src/database/migrations/all.js';
import { RollingMigration } from '../../src/database/migrations/kinds.js';
import { loadConfig } from '../../src/settings.js';
import { createFormerDatabase } from '../support/catalogue.js';
import { OMITTED, REFERRING, TableFiller, type FixedValues } from '../support/fill-tables.js';
import { startApp } from '../support/start-app.js';
import { dropDatabase, SECRET_KEY, urlOfDatabase } from '../support/test-database.js';

/** Values that checks demand. */
const FIXED: FixedValues = {
  'installation.only_one': true,
  'secret_key.is_only': true,
  'processing_task.state': 'successful',
  'secret_key.fingerprint': new SecretBox(loadConfig({ GATEFOLD_SECRET_KEY: SECRET_KEY }))
    .fingerprint,
  'websub_lease.state': 'active',
  'subscription.update_mode': 1,
  'subscription.fetch_every_hours': 5,
  'ex_app_value.sensitive': false,
  'ex_app_value.value': 'value',
  'ex_app_value.value_sealed': OMITTED,
  'file_node.is_folder': (isFull) => !isFull,
  'file_node.name': (isFull) => (isFull ? 'name' : ''),
  'conversation.type': 2,
  'conversation.pair': OMITTED,
  'conversation_participant.participant_type': 3,
  'article_assistance.state': 'done',
  'app_password.scope': 'everything',
  'account_group.managed_by': 'oidc',
  'account_group_member.managed_by': 'oidc',
  'password_link.purpose': 'reset',
  'app_password.program': OMITTED,
  'app_password.sealed_token': OMITTED,
  'app_consent.state': 'granted',
  'app_consent.decided_at': new Date(1_700_000_000_000),
  'app_trust_answer.id': 1,
  'apps_listening.everyone': true,
  'automatic_choice.subscription_id': REFERRING,
  'automatic_choice.folder_id': OMITTED,
};

/** Tables that a migration replaces or empties, with the reason as a comment. */
const LOSES_ROWS: Readonly<Record<string, readonly string[]>> = {
  // Become tasks and files of the one queue; see one-task-queue.spec.ts.
  '0109-one-task-queue': ['ex_app_task', 'ex_app_task_piece'],
};

/** Comes after those of this version, so that one is tried at least. */
class Example extends RollingMigration {
  override name = '9999-example';
  override readonly locks = { account: 'access exclusive', ex_app: 'share row exclusive' };

  override up(): void {
    this.addSql('alter table account add column example int');
    this.addSql('create table example (app_id text references ex_app (app_id))');
  }
}
const LATER = [...MIGRATIONS.slice(BASE.length), Example];

/** Which declared lock keeps out the transactions that a lock waits for; rows are locked by `RowShareLock`. */
const NEEDED: Readonly<Record<string, string>> = {
  RowShareLock: 'exclusive',
  RowExclusiveLock: 'exclusive',
  ShareUpdateExclusiveLock: 'share row exclusive',
  ShareLock: 'share row exclusive',
  ShareRowExclusiveLock: 'share row exclusive',
  ExclusiveLock: 'exclusive',
  AccessExclusiveLock: 'access exclusive',
};
const WEAKEST_FIRST = ['share row exclusive', 'exclusive', 'access exclusive'];

const name = `gatefold_upgrade_${randomBytes(8).toString('hex')}`;
const url = urlOfDatabase(name);
let orm: MikroORM;
let client: Client;
beforeAll(async () => {
  await createFormerDatabase(name);
  const config = ormConfig({ url }, [], 4);
  orm = await MikroORM.init({
    ...config,
    migrations: { ...config.migrations, migrationsList: [...MIGRATIONS, Example] },
  });
  client = new Client(url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await orm.close();
  await dropDatabase(name);
});

/** Of tables that exist before, by its own statements; in a transaction that is rolled back. */
async function locksTakenBy(migration: RollingMigration): Promise<Record<string, string>> {
  await migration.up();
  const statements = Migration.prototype.getQueries.call(migration).map(String);
  const { rows: tables } = await client.query<{ oid: number }>(
    `select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  await client.query('begin');
  for (const statement of statements) {
    await client.query(statement);
  }
  const { rows } = await client.query<{ table: string; mode: string }>(
    `select relation::regclass::text as "table", mode from pg_locks
      where pid = pg_backend_pid() and relation = any($1::oid[])`,
    [tables.map(({ oid }) => oid)],
  );
  await client.query('rollback');
  const taken: Record<string, string> = {};
  for (const { table, mode } of rows) {
    const needed = NEEDED[mode];
    if (needed && WEAKEST_FIRST.indexOf(needed) > WEAKEST_FIRST.indexOf(taken[table] ?? '')) {
      taken[table] = needed;
    }
  }
  return taken;
}

it('each migration keeps the rows of every version before it, takes the locks that it names, and the result works', async () => {
  const filler = new TableFiller(client, FIXED);
  const lost: string[] = [];
  const declared: object[] = [];
  const taken: object[] = [];
  await recordBase(runnerOf(client));
  for (const Kind of LATER) {
    const one = new Kind(orm.em.getDriver(), orm.config);
    const migration = one.name;
    if (one instanceof RollingMigration) {
      declared.push({ migration, locks: one.locks });
      taken.push({ migration, locks: await locksTakenBy(one) });
    }
    const before = await filler.count();
    await orm.migrator.up({ migrations: [migration] });
    const after = await filler.count();
    lost.push(
      ...[...before]
        .filter(([table, rows]) => (after.get(table) ?? 0) < rows)
        .filter(([table]) => !(LOSES_ROWS[migration] ?? []).includes(table))
        .map(([table, rows]) => `${migration}: ${table} had ${rows}, has ${after.get(table)}`),
    );
    await filler.fill();
  }
  expect(lost).toEqual([]);
  expect(taken).toEqual(declared);
  const empty = [...(await filler.count())].filter(([, rows]) => rows === 0);
  expect(empty).toEqual([]);

  const app = await startApp({ DATABASE_URL: url, GATEFOLD_ALLOW_NEWER_SCHEMA: 'on' });
  try {
    expect((await app.asStranger().get('/health/live')).status).toBe(200);
    const user = await app.signIn();
    const folders = '/index.php/apps/news/api/v1-3/folders';
    expect((await user.post(folders, { name: 'New' })).status).toBe(200);
    expect((await user.get(folders)).text).toContain('New');
  } finally {
    await app.stop();
  }
});

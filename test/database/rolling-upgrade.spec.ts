import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { migrate } from '../../src/database/migrate.js';
import { BASE, MIGRATIONS } from '../../src/database/migrations/all.js';
import { RollingMigration } from '../../src/database/migrations/kinds.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const FOLDERS = '/index.php/apps/news/api/v1-3/folders';
const PROFILE = '/ocs/v2.php/cloud/user?format=json';

/** What breaks statements of the version before: of these, contractions and what runs offline. */
const BREAKS =
  /\bdrop (?:table|column|view|function|trigger)\b|\brename\b|\bset not null\b|\btype \w+ using\b|\badd column (?!.*\bdefault\b).*\bnot null\b|\badd (?:constraint|check|unique)\b|\bunique index\b/i;

class Expand extends RollingMigration {
  override name = '9991-expand';
  override readonly locks = { account: 'access exclusive', reader: 'access exclusive' };

  override up(): void {
    this.addSql('alter table account add column expanded int');
    this.addSql('alter table reader add column expanded int');
  }
}
class Contract extends RollingMigration {
  override name = '9992-contract';
  override readonly locks = { account: 'access exclusive' };
  override readonly contracts = '9991-expand';

  override up(): void {
    this.addSql('alter table account drop column expanded');
  }
}
class Offline extends Migration {
  override name = '9991-offline';
  readonly offline = 'copies all folders';

  override up(): void {
    this.addSql('alter table folder add column offline int');
  }
}
class Breaking extends Migration {
  override name = '9991-breaking';

  override up(): void {
    this.addSql('alter table folder rename to hidden');
  }
}

let database: TestDatabase;

/** The start of a process with further migrations. */
async function start(more: readonly unknown[], waitSeconds = 60): Promise<string[]> {
  const config = ormConfig({ url: database.url }, [], 4);
  const migrationsList = [...MIGRATIONS, ...more] as typeof MIGRATIONS;
  const orm = await MikroORM.init({
    ...config,
    migrations: { ...config.migrations, migrationsList },
  });
  try {
    // `Expand` is of no version.
    return await migrate(orm, { waitSeconds, allowNewerSchema: true });
  } finally {
    await orm.close();
  }
}

const expand = () => start([Expand]);

async function query<Row extends object>(sql: string): Promise<Row[]> {
  const client = await connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

async function connect(): Promise<Client> {
  const client = new Client(database.url);
  await client.connect();
  return client;
}

describe('a migration', () => {
  const driver = undefined as never;
  const ruled = [...MIGRATIONS.slice(BASE.length), Expand, Contract, Offline].map(
    (Kind): Migration & { name: string } => new Kind(driver, driver),
  );

  it('says whether processes of the version before may serve meanwhile, or why not', () => {
    const silent = ruled.filter((one) => !(one instanceof RollingMigration || 'offline' in one));

    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('that is rolling has nothing that breaks the version before, unless it contracts', async () => {
    const breaking: string[] = [];
    for (const one of ruled) {
      await one.up();
      if (one instanceof RollingMigration && one.contracts === undefined) {
        breaking.push(
          ...one
            .getQueries()
            .map(String)
            .filter((sql) => BREAKS.test(sql)),
        );
      }
    }

    expect(breaking).toEqual([]);
    expect('alter table a drop column b').toMatch(BREAKS);
    expect('alter table a add column b int not null').toMatch(BREAKS);
    expect('alter table a add column b int not null default 1').not.toMatch(BREAKS);
  });
});

describe('beside a process that serves, a migration', () => {
  let app: TestApp;
  let user: TestUser;
  beforeAll(async () => {
    database = await createTestDatabase(false);
    app = await startApp({ DATABASE_URL: database.url });
    user = await app.signIn();
    await user.post(FOLDERS, { name: 'Science' });
  });
  afterAll(async () => {
    await app.stop();
    await database.drop();
  });

  it('that is not rolling is refused with the reason in words, and changes nothing', async () => {
    await expect(start([Offline])).rejects.toThrow(
      'Processes of the version before are serving, and this upgrade would break them ' +
        '(9991-offline copies all folders). Stop all of them, then start this version.',
    );
    await expect(start([Breaking])).rejects.toThrow('(9991-breaking)');

    expect((await user.get(FOLDERS)).status).toBe(200);
  });

  it('that removes what was used until another pending one is refused', async () => {
    await expect(start([Expand, Contract])).rejects.toThrow('(9992-contract)');
  });

  it('that should not have run makes requests answer 503 with Retry-After', async () => {
    await query('alter table folder rename to hidden');
    const unforeseen = await user.get(FOLDERS);
    await query(`insert into migration (name) values ('9991-breaking')`);
    const upgraded = await user.get(FOLDERS);
    await query(
      `alter table hidden rename to folder; delete from migration where name like '999%'`,
    );

    expect([unforeseen.status, upgraded.status]).toEqual([500, 503]);
    expect(upgraded.text).toContain('The request was interrupted; try again.');
    expect(Number(upgraded.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('that wins a deadlock makes the request answer 503 with Retry-After', async () => {
    await query(`
      create function lose() returns trigger language plpgsql as $$
        begin raise exception 'deadlock detected' using errcode = '40P01'; end $$;
      create trigger lose before insert on folder execute function lose()`);
    const answer = await user.post(FOLDERS, { name: 'in a circle' });
    await query('drop function lose cascade');

    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('that is rolling runs while requests write, which all succeed', async () => {
    const run = { isOver: false };
    const statuses = new Set<number>();
    const writers = ['a', 'b'].map(async (writer) => {
      for (let n = 0; !run.isOver; n++) {
        statuses.add((await user.post(FOLDERS, { name: `${writer} ${n}` })).status);
        statuses.add((await user.get(PROFILE)).status);
      }
    });
    await until('the first writes', () => statuses.size > 0);

    const done = [await expand(), await start([Expand, Contract])];

    run.isOver = true;
    await Promise.all(writers);
    expect(done).toEqual([['9991-expand'], ['9992-contract']]);
    expect([...statuses]).toEqual([200]);
  });
});

describe('a rolling migration', () => {
  let writer: Client;
  beforeAll(async () => {
    database = await createTestDatabase(false);
    await query(`
      insert into account (user_id, display_name, password_hash) values ('ada', 'Ada', 'x');
      insert into reader (user_id, last_modified_micros) values ('ada', 1)`);
    writer = await connect();
  });
  afterAll(async () => {
    await writer.end();
    await database.drop();
  });

  const UPDATES = {
    account: `update account set display_name = 'Ada Lovelace'`,
    reader: 'update reader set last_modified_micros = 2',
  };
  const waits = async (table: string) =>
    (await query(`select from pg_locks where relation = '${table}'::regclass and not granted`))
      .length > 0;

  it('gives up after the timeout while a transaction uses its tables, and changes nothing', async () => {
    await writer.query(`begin; ${UPDATES.reader}`);

    await expect(start([Expand], 0)).rejects.toThrow(/Long transactions use.*\(9991-expand\)/);

    await writer.query('commit');
    const columns = await query(`select from pg_attribute where attname = 'expanded'`);
    expect(columns).toEqual([]);
  });

  it('lets a transaction end with which it waits in a circle, and runs afterwards', async () => {
    await writer.query(`begin; ${UPDATES.reader}`);
    const migrating = expand();
    await until('the migration to wait', () => waits('reader'));
    // It has locked the accounts.
    await writer.query(UPDATES.account);
    await writer.query('commit');

    expect(await migrating).toEqual(['9991-expand']);
    const [counted] = await query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    expect(counted).toEqual({ deadlocks: 0 });
  });
});

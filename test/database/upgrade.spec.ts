import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { schemaFinding } from '../../src/database/checks/schema-state.js';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { migrate } from '../../src/database/migrate.js';
import { MIGRATION_NAMES } from '../../src/database/migration-names.js';
import { BASE, MIGRATIONS } from '../../src/database/migrations/all.js';
import { catalogueOf, createFormerDatabase } from '../support/catalogue.js';
import { runCommand } from '../support/run-command.js';
import {
  createTestDatabase,
  dropDatabase,
  urlOfDatabase,
  type TestDatabase,
} from '../support/test-database.js';
import { within } from '../support/until.js';

let url: string;

async function withVersion<Result>(
  migrations: typeof MIGRATIONS,
  work: (orm: MikroORM) => Promise<Result>,
  options: Parameters<typeof migrate>[1] = {},
): Promise<Result> {
  const config = ormConfig({ url }, [], 4);
  const orm = await MikroORM.init({
    ...config,
    migrations: { ...config.migrations, migrationsList: migrations },
  });
  try {
    await migrate(orm, options);
    return await work(orm);
  } finally {
    await orm.close();
  }
}

describe('a migration', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    ({ url } = database);
  });
  afterEach(() => database.drop());

  class Good extends Migration {
    override name = '9998-good';

    override up(): void {
      this.addSql('create table good (n int)');
    }
  }
  class Bad extends Migration {
    override name = '9999-bad';

    override up(): void {
      this.addSql('alter table account add column bad int');
      this.addSql('update account set no_such_column = 1');
    }
  }

  it('that fails leaves the schema as it was, with those before it', async () => {
    await expect(withVersion([...MIGRATIONS, Good, Bad], async () => {})).rejects.toThrow(
      /no_such_column/,
    );

    const [found] = await withVersion(MIGRATIONS, (orm) =>
      orm.em.getConnection().execute<object[]>(
        `select to_regclass('good') as good,
                (select count(*)::int from pg_attribute where attname = 'bad') as columns,
                (select count(*)::int from migration where name like '999%') as migrations`,
      ),
    );
    expect(found).toEqual({ good: null, columns: 0, migrations: 0 });
  });

  it('that takes long says what it does, and which session it waits for', async () => {
    const other = new Client(url);
    await other.connect();
    await other.query('begin');
    await other.query('lock table account');
    class Waiting extends Migration {
      override name = '9998-waiting';

      override up(): void {
        this.addSql('alter table account add column waiting int');
      }
    }
    const said = Promise.withResolvers<string>();
    const spy = jest.spyOn(Logger.prototype, 'log').mockImplementation((text) => {
      if (String(text).includes('it waits for')) {
        said.resolve(String(text));
      }
    });

    const migrating = withVersion([...MIGRATIONS, Waiting], async () => {}, { reportMs: 20 });
    const line = await within('the line about what it waits for', said.promise);
    await other.query('rollback');
    await migrating;

    spy.mockRestore();
    await other.end();
    expect(line).toMatch(
      /^Still migrating after \d+ s: alter table account add column waiting int; it waits for the sessions \d+/,
    );
  });
});

describe('the base', () => {
  let database: TestDatabase;
  const former = `gatefold_former_${randomBytes(8).toString('hex')}`;
  const query = async (sql: string) => {
    const client = new Client(urlOfDatabase(former));
    await client.connect();
    const { rows } = await client.query<{ name: string }>(sql);
    await client.end();
    return rows.map(({ name }) => name);
  };
  const recorded = () => query('select name from migration order by id');
  const start = () => withVersion(MIGRATIONS, async () => {});

  beforeAll(async () => {
    database = await createTestDatabase(false);
    await createFormerDatabase(former);
    url = urlOfDatabase(former);
  });
  afterAll(async () => {
    await database.drop();
    await dropDatabase(former);
  });

  it('makes the schema of the migrations before it', async () => {
    const name = `${former}_base`;
    url = urlOfDatabase(name);
    try {
      await withVersion(BASE, async () => {});

      const made = await catalogueOf(url);
      expect(made.length).toBeGreaterThan(1000);
      expect(made).toEqual(await catalogueOf(urlOfDatabase(former)));
    } finally {
      url = urlOfDatabase(former);
      await dropDatabase(name);
    }
  });

  it('refuses a database that lacks the last of them, with the remedy, and changes nothing', async () => {
    await query("delete from migration where name = '0077-manners'");
    const before = await recorded();

    await expect(start()).rejects.toThrow(
      'The schema is older than this version can upgrade: its last migration is ' +
        '0076-what-makes-an-item, not 0077-manners. Start commit 3d4de602 of Gatefold on it once, then ' +
        'this version (docs/operations/upgrade.md).',
    );

    const status = await runCommand(['database:status'], { DATABASE_URL: url });
    expect(status.code).toBe(1);
    expect(status.output.toString()).toContain('Start commit 3d4de602');
    expect(schemaFinding(before)).toMatchObject({
      state: 'error',
      text: expect.stringContaining('0076'),
    });
    expect(await recorded()).toEqual(before);
    await query("insert into migration (name) values ('0077-manners')");
  });

  it('is recorded in a database with the last of them, of which nothing is forgotten', async () => {
    const before = await recorded();
    const status = await runCommand(['database:status'], { DATABASE_URL: url });

    await start();
    await start();

    const base = MIGRATION_NAMES.slice(0, BASE.length);
    expect(status.output.toString()).toContain(`Database: ${base.at(-1)}\n`);
    expect((await recorded()).slice(0, before.length + base.length)).toEqual([...before, ...base]);
  });
});

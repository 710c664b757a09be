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
import { migrate } from '../../src/database/migrate.js';
import { MIGRATIONS } from '../../src/database/migrations/all.js';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import {
  createTestDatabase,
  dropDatabase,
  urlOfDatabase,
  type TestDatabase,
} from '../support/test-database.js';
import { within } from '../support/until.js';

/** The last migration before files, conversations and sessions. */
const BEFORE = MIGRATIONS.findIndex(({ name }) => name === 'Migration0007Notifications') + 1;

const BEFORE_ARRIVALS = MIGRATIONS.findIndex(
  ({ name }) => name === 'Migration0033ArrivalAndLabels',
);

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

describe('a database of an earlier version', () => {
  const name = `gatefold_upgrade_${randomBytes(8).toString('hex')}`;
  beforeAll(async () => {
    url = urlOfDatabase(name);
    await withVersion(MIGRATIONS.slice(0, BEFORE), async (orm) => {
      await orm.em.getConnection().execute(`
        insert into account (user_id, display_name, password_hash) values ('ada', 'Ada', 'x');
        insert into ex_app (app_id, name, version, base_url, secret_sealed)
          values ('ears', 'Ears', '1.0.0', 'http://127.0.0.1:1', '');
        insert into ex_app (app_id, name, version, base_url, secret_sealed, status)
          values ('mute', 'Mute', '1.0.0', 'http://127.0.0.1:1', '',
                  '{"type": "install", "action": "", "error": "Heartbeat check failed"}');
        insert into ex_app_task (app_id, kind, provider_name, user_id, input, file, deadline_at)
          values ('ears', 'speech_to_text', 'ears', 'ada', '{}', 'recording', now()),
                 ('ears', 'translation', 'ears', 'ada', '{}', null, now());
        insert into notification (user_id, app_id, object_type, object_id, subject, message, link)
          values ('ada', 'ears', 'a', 'b', '{}', '{}', '');
        insert into gateway_failure (network, failed_at) values ('192.0.2.7', now());
      `);
    });
    await withVersion(MIGRATIONS.slice(0, BEFORE_ARRIVALS), async (orm) => {
      await orm.em.getConnection().execute(`
        insert into source (url, url_key) values ('a', 'a'), ('b', 'b');
        insert into reader (user_id, last_modified_micros) values ('ada', 9000000), ('bob', 9000000);
        insert into subscription (reader_id, source_id, url) values (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'a');
        insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                             pub_date_seconds, rtl, fetched_at)
          select 1, n::text, n::text::bytea, '', '', 1, 1, 0, false, to_timestamp(second)
            from (values (1, 3), (2, 5), (3, 1), (4, 7)) given (n, second);
        -- An item of an article that was fetched long before it, and one whose article was removed.
        insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread)
          values (1, 1, 1, 1, 8000000, true), (1, 2, 1, 2, 8000000, true), (1, 3, 2, 3, 8000000, true),
                 (1, 4, 2, 99, 4000000, false), (1, 6, 1, 4, 6500000, true),
                 (2, 1, 3, 3, 2000000, true), (2, 2, 3, 1, 2500000, true);
      `);
    });
  });
  afterAll(() => dropDatabase(name));

  it('is upgraded with all data', async () => {
    const kept = await withVersion(MIGRATIONS, (orm) =>
      orm.em.getConnection().execute<object[]>(`
        select t.kind, t.state, t.started_at = t.created_at as started,
               convert_from(p.bytes, 'UTF8') as recording,
               (select count(*)::int from account where email is null) as accounts,
               (select count(*)::int from notification) as notifications,
               (select status->>'type' from ex_app where app_id = 'mute') as mute,
               (select count(*)::int from gateway_failure where claim_hash = '') as failures
          from ex_app_task t left join ex_app_task_piece p on p.task_id = t.id order by t.id`),
    );

    const both = {
      state: 'running',
      started: true,
      accounts: 1,
      notifications: 1,
      mute: 'install failed',
      failures: 1,
    };
    expect(kept).toEqual([
      { kind: 'speech_to_text', recording: 'recording', ...both },
      { kind: 'translation', recording: null, ...both },
    ]);
  });

  it('gets arrivals of items that never fall as ids rise', async () => {
    const items = await withVersion(MIGRATIONS, (orm) =>
      orm.em.getConnection().execute<{ reader: number; id: number; arrived: number }[]>(`
        select reader_id::int as reader, id::int, arrived_micros::int as arrived from item
         order by reader_id, id`),
    );

    expect(items.map(({ reader, id, arrived }) => [reader, id, arrived])).toEqual([
      [1, 1, 3_000_000],
      [1, 2, 5_000_000],
      [1, 3, 5_000_000],
      [1, 4, 5_000_000],
      [1, 6, 6_500_000],
      [2, 1, 1_000_000],
      [2, 2, 2_500_000],
    ]);
  });
});

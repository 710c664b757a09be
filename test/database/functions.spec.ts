import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { createHash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { DATABASE_FUNCTIONS } from '../../src/database/functions/all.js';
import { APP_API_FUNCTIONS } from '../../src/database/functions/app-api.js';
import { statementsOf, tableOf } from '../../src/database/functions/database-function.js';
import { NEWS_FUNCTIONS } from '../../src/database/functions/news.js';
import { PLATFORM_FUNCTIONS } from '../../src/database/functions/platform.js';
import { migrate } from '../../src/database/migrate.js';
import { createFormerDatabase } from '../support/catalogue.js';
import { createTestDatabase, dropDatabase, urlOfDatabase } from '../support/test-database.js';

/** Each function and trigger by its name, as the database describes it. */
async function definitions(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select p.proname as name, pg_get_functiondef(p.oid) as definition
       from pg_proc p where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     union all
     select t.tgname, pg_get_triggerdef(t.oid)
       from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace
      order by 1`,
  );
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

const databases = [
  { which: 'a new database', create: async () => createTestDatabase(false) },
  {
    which: 'a database of the version before the base',
    create: async () => {
      const name = `gatefold_functions_${randomBytes(8).toString('hex')}`;
      await createFormerDatabase(name);
      const url = urlOfDatabase(name);
      const orm = await MikroORM.init(ormConfig({ url }, [], 4));
      await migrate(orm);
      await orm.close();
      return { url, drop: () => dropDatabase(name) };
    },
  },
];

describe.each(databases)('$which has, once it is migrated,', ({ create }) => {
  let database: Awaited<ReturnType<typeof create>>;
  let client: Client;
  let found: Map<string, string>;
  beforeAll(async () => {
    database = await create();
    client = new Client(database.url);
    await client.connect();
    found = await definitions(client);
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('the registered functions and triggers, and no others', () => {
    const registered = DATABASE_FUNCTIONS.flatMap(({ name, triggers = {}, onlyOn }) => [
      name,
      ...(onlyOn === 'several servers' ? [] : Object.keys(triggers)),
    ]);

    expect([...found.keys()].toSorted()).toEqual(registered.toSorted());
  });

  it('each of them as it is registered', async () => {
    await client.query('begin');
    for (const statement of DATABASE_FUNCTIONS.flatMap(statementsOf)) {
      await client.query(statement);
    }
    const registered = await definitions(client);
    await client.query('rollback');

    expect(found).toEqual(registered);
  });
});

describe('a registered function', () => {
  const sources = globSync('src/{news,app-api,platform}/**/*.ts').map((file) => ({
    room: file.split('/')[1],
    text: readFileSync(file, 'utf8'),
  }));
  const rooms = {
    platform: PLATFORM_FUNCTIONS,
    'app-api': APP_API_FUNCTIONS,
    news: NEWS_FUNCTIONS,
  };

  it('names tables of its room or of the platform, and its triggers are on those of its room', () => {
    const tables = sources.flatMap(({ room, text }) =>
      [...text.matchAll(/\bentityOf\('(\w+)'/g)].map(([, table = '']) => ({ room, table })),
    );
    const wrong = Object.entries(rooms).flatMap(([room, functions]) =>
      functions.flatMap(({ name, text, triggers = {} }) => {
        const words = new Set(text.replaceAll(/'[^']*'/g, '').match(/\w+/g));
        const used = tables.filter(({ table }) => words.has(table));
        const watched = new Set(Object.values(triggers).map(tableOf));
        return [
          ...used.filter((one) => one.room !== room && one.room !== 'platform'),
          ...tables.filter((one) => watched.has(one.table) && one.room !== room),
        ].map(({ table }) => `${name} of ${room}: ${table}`);
      }),
    );

    expect(tables.length).toBeGreaterThan(80);
    expect(wrong).toEqual([]);
  });

  it('names a reader that there is', () => {
    const names = new Set(DATABASE_FUNCTIONS.map(({ name }) => name));
    const missing = DATABASE_FUNCTIONS.filter(
      ({ readBy }) =>
        !names.has(readBy) && !sources.some(({ text }) => text.includes(`class ${readBy} `)),
    );

    expect(missing).toEqual([]);
  });

  it('has reached databases by the latest migration that applies any', () => {
    const latest = DATABASE_FUNCTIONS.map(({ appliedBy = '0108-functions' }) => appliedBy);
    const hash = createHash('sha256').update(DATABASE_FUNCTIONS.flatMap(statementsOf).join());

    // Another hash means that a function has changed. Name a new migration as its `appliedBy` first.
    expect([latest.toSorted().at(-1), hash.digest('hex').slice(0, 8)]).toEqual([
      '0133-locks-apart',
      'e25c6f20',
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { RowOfBytes } from '../../src/database/copy-query.js';
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

let testDatabase: TestDatabase;
let proxy: DatabaseProxy;
let app: TestApp;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await aDatabaseProxy(testDatabase.url);
  app = await startApp({ DATABASE_URL: proxy.url, GATEFOLD_DATABASE_CONNECTIONS: '4' });
});
afterAll(async () => {
  await app.stop();
  await proxy.close();
  await testDatabase.drop();
});

describe('a copy', () => {
  const LETTERS = 'x'.repeat(1000);
  const allOf = async (...copy: Parameters<typeof app.database.copy>) => {
    const rows: RowOfBytes[] = [];
    for await (const batch of app.database.copy(...copy)) {
      rows.push(...batch);
    }
    return rows;
  };
  const rowsOf = (count: number) =>
    allOf({
      sql: 'select to_json(n), $2 from generate_series(1, $1) as n',
      params: [count, LETTERS],
    });

  const copied = async (count: number) => (await rowsOf(count)).length;

  it.each([0, 1, 15, 2000])('of %d rows is complete', async (count) => {
    expect(await copied(count)).toBe(count);
  });

  it('has values as bytes and null', async () => {
    const rows = await allOf({
      sql: `select $1, null, '', $2::text, to_json($1::text)`,
      params: [`it's \\ "ü" $2`, -3],
    });

    const bytes = (value: string) => Buffer.from(value).toString('latin1');
    const text = `it's \\ "ü" $2`;
    expect(rows).toEqual([[bytes(text), null, '', '-3', bytes(JSON.stringify(text))]]);
  });

  it('has settings for itself alone', async () => {
    const sql = `select current_setting('work_mem')`;
    const [before] = await app.database.query<{ current_setting: string }>(sql);
    const settingOf = async (settings?: string) =>
      (await allOf({ sql, params: [] }, settings))[0]?.[0];

    expect(await settingOf('set local work_mem = 6400;')).toBe('6400kB');
    expect(await Promise.all([settingOf(), settingOf()])).toEqual(
      Array.from({ length: 2 }, () => before?.current_setting),
    );
  });

  it('refuses values that it cannot write', async () => {
    const copy = allOf({ sql: 'select $1', params: [1.5] });

    await expect(copy).rejects.toThrow('neither a text nor a whole number');
  });

  it('fails with the error of its statement, and the pool keeps its size', async () => {
    for (let failed = 0; failed < 3; failed++) {
      const wrong = allOf({
        sql: 'select 1 / (3 - n) from generate_series(1, 9) n',
        params: [],
      });
      await expect(wrong).rejects.toThrow('division by zero');
    }

    expect(await Promise.all([copied(15), copied(15), copied(15)])).toEqual([15, 15, 15]);
  });

  it('leaves its connection to others before its rows are taken', async () => {
    for await (const rows of app.database.copy({
      sql: 'select to_json(n), $1 from generate_series(1, 5000) as n',
      params: [LETTERS],
    })) {
      expect(rows.length).toBeGreaterThan(0);
      await until('an unused connection', () => app.database.connections().used === 0);
      break;
    }
  });

  it('fails if its connection is lost, and the pool keeps its size', async () => {
    // Not through the proxy.
    const observer = new Client({ connectionString: testDatabase.url });
    await observer.connect();
    for (let cut = 0; cut < 3; cut++) {
      const copying = allOf({ sql: 'select 1, pg_sleep(60)::text', params: [] });
      await until('the copy', async () => {
        const { rowCount } = await observer.query(
          `select from pg_stat_activity where query like '%copy (select 1, pg_sleep%'
              and state = 'active' and pid <> pg_backend_pid() and datname = current_database()`,
        );
        return rowCount === 1;
      });
      proxy.cut();
      await expect(copying).rejects.toThrow(/connection|database/i);
      await observer.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
          where query like '%pg_sleep%' and pid <> pg_backend_pid()`,
      );
    }
    await observer.end();

    expect(await Promise.all([copied(15), copied(15), copied(15)])).toEqual([15, 15, 15]);
  });
});

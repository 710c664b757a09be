import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { RowOfBytes } from '../../src/database/byte-rows.js';
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

describe('a list as bytes', () => {
  const LETTERS = 'x'.repeat(1000);
  const allOf = async (...list: Parameters<typeof app.database.readBytes>) => {
    const rows: RowOfBytes[] = [];
    for await (const batch of app.database.readBytes(...list)) {
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

  it.each(['kept', 'by-index'] as const)('has a plan (%s) for itself alone', async (plan) => {
    const sql = `select current_setting('enable_seqscan')`;
    const settingOf = async (...plans: 'kept'[]) => (await allOf({ sql, params: [] }, ...plans))[0];

    for (let n = 0; n < 3; n++) {
      expect(await allOf({ sql, params: [] }, plan)).toEqual([['off']]);
      expect(await Promise.all([settingOf(), settingOf()])).toEqual([['on'], ['on']]);
      expect(await app.database.query(sql)).toEqual([{ current_setting: 'on' }]);
    }
  });

  it('keeps its plan with its connection, and gives text back to other statements', async () => {
    const sql = 'select $1::text, to_json($2::bigint)';
    for (let n = 0; n < 3; n++) {
      expect(await allOf({ sql, params: ['ü', n] }, 'kept')).toEqual([['Ã¼', String(n)]]);
    }

    const rows = await app.database.queryTogether(
      Array.from({ length: 2 }, () => ({ sql: `select 'ü' as text`, params: [] })),
    );
    expect(rows).toEqual([[{ text: 'ü' }], [{ text: 'ü' }]]);
  });

  it('refuses values that it cannot write into a statement', async () => {
    const list = allOf({ sql: 'select $1', params: [1.5] }, 'by-index');

    await expect(list).rejects.toThrow('neither a text nor a whole number');
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
    for await (const rows of app.database.readBytes({
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
      const listing = allOf({ sql: `select '1', pg_sleep(60)::text`, params: [] });
      await until('the list', async () => {
        const { rowCount } = await observer.query(
          `select from pg_stat_activity where query like 'select ''1'', pg_sleep%'
              and state = 'active' and pid <> pg_backend_pid() and datname = current_database()`,
        );
        return rowCount === 1;
      });
      proxy.cut();
      await expect(listing).rejects.toThrow(/connection|database/i);
      await observer.query(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
          where query like '%pg_sleep%' and pid <> pg_backend_pid()`,
      );
    }
    await observer.end();

    expect(await Promise.all([copied(15), copied(15), copied(15)])).toEqual([15, 15, 15]);
  });
});

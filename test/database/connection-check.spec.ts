import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { ConnectionCheck } from '../../src/database/connections/connection-check.js';
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let proxy: DatabaseProxy;
let app: TestApp;
let warnings: unknown[];
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await aDatabaseProxy(database.url);
  app = await startApp({ DATABASE_URL: proxy.url, GATEFOLD_DATABASE_CONNECTIONS: '8' });
  app.app.useLogger({
    log: () => {},
    error: () => {},
    warn: (message: unknown) => warnings.push(message),
  });
});
afterAll(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});
beforeEach(() => {
  warnings = [];
});

it('logs nothing when all connections can be opened', async () => {
  await app.inside(ConnectionCheck).run();

  expect(warnings).toEqual([]);
});

it('logs the number of connections and the fitting setting when a pooler gives fewer', async () => {
  const check = app.inside(ConnectionCheck);
  check.withinMs = 250;
  proxy.limit(proxy.connections() + 6);

  // A busy machine opens the six in more time.
  await until('a check that opens six connections', async () => {
    warnings = [];
    check.withinMs *= 2;
    await check.run();
    return String(warnings[0]).startsWith('Only 6 ');
  });

  expect(warnings).toEqual([
    expect.stringMatching(/^Only 6 of the 9 connections .* GATEFOLD_DATABASE_CONNECTIONS=6;/),
  ]);
});

it('leaves live updates their connection, which is opened before the pool has grown', async () => {
  expect(
    await app.database.query(
      `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name = 'gatefold notices'`,
    ),
  ).toEqual([{ count: 1 }]);
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/start-app.js';
import { aDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let testDatabase: TestDatabase;
let proxy: DatabaseProxy;
let app: TestApp;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await aDatabaseProxy(testDatabase.url);
  // Two connections for streams.
  app = await startApp({ DATABASE_URL: proxy.url, GATEFOLD_DATABASE_CONNECTIONS: '4' });
});
afterAll(async () => {
  await app.stop();
  await proxy.close();
  await testDatabase.drop();
});

const numbers = () =>
  app.database.stream<{ n: number }>('select n from generate_series(1, 15) as n', [], 10);

async function readAll(onFirstRows: () => void = () => {}): Promise<number> {
  let count = 0;
  for await (const rows of numbers()) {
    if (count === 0) {
      onFirstRows();
    }
    count += rows.length;
  }
  return count;
}

// First, since its cuts reach the idle connections of other streams as well.
it('ends an abandoned stream although its connection is lost while it closes', async () => {
  for (let cut = 0; cut < 3; cut++) {
    for await (const rows of numbers()) {
      expect(rows).toHaveLength(10);
      proxy.cut();
      break;
    }
  }

  expect(await Promise.all([readAll(), readAll(), readAll()])).toEqual([15, 15, 15]);
});

it('fails a stream whose connection is lost between the last row and "ready for query"', async () => {
  await expect(readAll(() => proxy.cutAfterLastRow())).rejects.toThrow(/connection|database/i);
});

it('does not shrink the stream pool by such losses, and still shuts down', async () => {
  for (let cut = 0; cut < 3; cut++) {
    await expect(readAll(() => proxy.cutAfterLastRow())).rejects.toThrow(/connection/);
  }

  expect(await Promise.all([readAll(), readAll(), readAll()])).toEqual([15, 15, 15]);
});

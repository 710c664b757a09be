import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { seedItems } from '../../bench/seed-items.js';
import { Clock } from '../../src/common/clock.js';
import { NewsClient } from '../support/news-client.js';
import { startApp, type TestApp } from '../support/start-app.js';

/*
 * The statements that a request costs, authentication included. A round trip costs more than most of
 * them.
 */

let app: TestApp;
let news: NewsClient;
beforeAll(async () => {
  app = await startApp();
  const user = await app.signIn();
  await seedItems(app, user, 3, 10);
  news = new NewsClient({ baseUrl: app.url, credentials: user.credentials }, 'v1-3');
  const now = new Date();
  jest.spyOn(app.inside(Clock), 'now').mockReturnValue(now);
  // A login, and the client that is noted once.
  await news.changedItems(0);
  await news.feedList();
});
afterAll(() => app.stop());

/** SQL texts sent to the database during `work`, except those of the job queue. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  // MikroORM has a pool with a class of its own.
  const ofPool = await app.database.withPool(async (pool) => {
    const client = await pool.connect();
    client.release();
    return Object.getPrototypeOf(client) as Client;
  });
  const spies = [...new Set([Client.prototype, ofPool])].map((one) => jest.spyOn(one, 'query'));
  await work();
  const texts = spies.flatMap(({ mock }) => mock.calls.map(([given]) => textOf(given)));
  spies.forEach((spy) => spy.mockRestore());
  return texts.filter((sql) => !/pgboss|job/.test(sql));
}

function textOf(given: unknown): string {
  return typeof given === 'string' ? given : String((given as { text?: string }).text ?? 'cursor');
}

it.each([
  ['a poll without news', 2, () => news.changedItems(4_000_000_000)],
  // Waiting for writers, the state, and the items.
  ['a poll with news', 3, () => news.changedItems(0)],
  ['a list of feeds', 2, () => news.feedList()],
  // Begin, lock, change, commit: in one round trip.
  ['a flag of one item', 4, () => news.change('/items/1/read')],
  ['a flag of many items', 4, () => news.change('/items/star/multiple', { itemIds: [1, 2, 3] })],
  ['all items read', 4, () => news.change('/items/read', { newestItemId: 5 })],
])('%s costs %i statements', async (_what, count, request) => {
  const statements = await statementsOf(request);

  expect(statements).toHaveLength(count);
});

import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Clock } from '../../src/common/clock.js';
import { seedItems } from '../../tools/bench/seed-items.js';
import { NewsClient } from '../support/news-client.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { statementsOfRequests } from '../support/statements.js';

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
  // A login, the client that is noted once, and whether apps listen for events.
  await news.change('/items/9/read');
  await news.changedItems(0);
  await news.feedList();
});
afterAll(() => app.stop());

/** Statements during `work`, except those of the job queue. */
const statementsOf = async (work: () => Promise<unknown>) =>
  statementsOfRequests(app.database, work);

it.each([
  // With each synchronisation, whether groups give something else, in the same round trip.
  ['a poll without news', 3, () => news.changedItems(4_000_000_000)],
  // Groups, waiting for writers, the state, and the items.
  ['a poll with news', 4, () => news.changedItems(0)],
  ['a list of feeds', 3, () => news.feedList()],
  // Begin, lock, change, tell, commit: in one round trip.
  ['a flag of one item', 5, () => news.change('/items/1/read')],
  ['a flag of many items', 5, () => news.change('/items/star/multiple', { itemIds: [1, 2, 3] })],
  ['all items read', 5, () => news.change('/items/read', { newestItemId: 5 })],
])('%s costs %i statements', async (_what, count, request) => {
  const statements = await statementsOf(request);

  expect(statements).toHaveLength(count);
});

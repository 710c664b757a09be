import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { Clock } from '../../../src/common/clock.js';
import { seedItems } from '../../../tools/bench/seed-items.js';
import {
  decimalId,
  GoogleReaderClient,
  LABEL,
  READING_LIST,
  STATE,
} from '../../support/google-reader-client.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { statementsOfRequests } from '../../support/statements.js';

/* As in `../statements.spec.ts`. */

let app: TestApp;
let reader: GoogleReaderClient;
beforeAll(async () => {
  app = await startApp();
  const user = await app.signIn();
  await seedItems(app, user, 3, 10);
  reader = await GoogleReaderClient.of(user);
  const now = new Date();
  jest.spyOn(app.inside(Clock), 'now').mockReturnValue(now);
  // A login, the client that is noted once, and whether apps listen for events.
  await mark(9);
  await reader.ids(READING_LIST);
});
afterAll(() => app.stop());

const mark = (id: number) =>
  reader.post('edit-tag', [
    ['i', decimalId(id)],
    ['a', `${STATE}read`],
  ]);

const statementsOf = async (work: () => Promise<unknown>) =>
  statementsOfRequests(app.database, work);

it.each([
  // Groups, waiting for writers, the state, what the stream is, and its ids.
  ['ids of unread items', 5, () => reader.get(`stream/items/ids?xt=${STATE}read`)],
  // The items, and the names of feeds and folders.
  ['contents of ids', 2, () => reader.post('stream/items/contents', [['i', decimalId(1)]])],
  ['contents of a label', 9, () => reader.get(`stream/contents/${LABEL}Nothing`)],
  // Begin, lock, change, tell, commit: in one round trip.
  ['a flag', 5, () => mark(1)],
  // Groups twice: clients may ask for folders alone.
  ['the feeds', 5, () => reader.get('subscription/list')],
  // The feeds, folders, labels, arrivals, and saved searches.
  ['the unread counts', 8, () => reader.get('unread-count')],
])('%s cost %i statements', async (_what, count, request) => {
  expect(await statementsOf(request)).toHaveLength(count);
});

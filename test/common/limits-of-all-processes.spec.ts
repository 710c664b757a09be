import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COUNTS_VALID_MS, SharedCounts } from '../../src/common/http/shared-counts.js';
import { ApiClient } from '../support/api-client.js';
import { startFeedServer, type FeedServer } from '../support/feed-server.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const PREVIEW = '/index.php/apps/news/api/v1-3/feeds/preview';
const KEY = 'previews of feeds/ada';
const MOST = 4;

let database: TestDatabase;
let first: TestApp;
let second: TestApp | undefined;
let publisher: FeedServer;
let ada: TestUser;
beforeAll(async () => {
  database = await createTestDatabase();
  publisher = await startFeedServer();
  first = await aProcess();
  ada = await first.signInOnce('ada');
});
afterAll(async () => {
  await Promise.all([first.stop(), second?.stop(), publisher.close()]);
  await database.drop();
});

const aProcess = () => startApp({ DATABASE_URL: database.url, GATEFOLD_RATE_LIMITS: 'on' });

/** Started by the first test that needs it. */
const theSecond = async () => (second ??= await aProcess());

const countedBy = (app: TestApp) => app.inside(SharedCounts).count(KEY);

const untilCounted = (app: TestApp, many: number) =>
  until(`${many} previews, as a process counts them`, () => countedBy(app) === many);

/** Previews that wait for their publisher. */
function beginPreviews(app: TestApp, many: number, of: string) {
  const client = new ApiClient(app.url, ada.credentials);
  const releases = Array.from({ length: many }, (_, n) => publisher.hang(`/${of}-${n}.xml`));
  const answers = releases.map((_release, n) =>
    client.post(PREVIEW, { url: publisher.url(`/${of}-${n}.xml`) }),
  );
  return {
    async end() {
      releases.forEach((release) => release());
      return Promise.all(answers);
    },
  };
}

describe('The limit of concurrent requests of a user', () => {
  it('counts what was under way before a process started', async () => {
    const begun = beginPreviews(first, 2, 'earlier');
    await untilCounted(first, 2);
    const later = await theSecond();

    await until('previews, as a new process counts them', () => countedBy(later) > 0);

    expect(countedBy(later)).toBe(2);
    await begun.end();
    await untilCounted(later, 0);
  });

  it('counts those at other processes', async () => {
    const other = await theSecond();
    const begun = beginPreviews(first, MOST, 'first');
    await untilCounted(other, MOST);

    const refused = await new ApiClient(other.url, ada.credentials).post(PREVIEW, {
      url: publisher.url('/another.xml'),
    });

    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    await begun.end();
    await untilCounted(other, 0);
  });

  it('forgets a process that was killed', () => {
    const counts = new SharedCounts();
    let nowMs = 0;
    counts.now = () => nowMs;
    counts.hear('killed', { [KEY]: 3 }, true);
    counts.add(KEY, 1);
    expect(counts.count(KEY)).toBe(4);

    nowMs = COUNTS_VALID_MS;

    expect(counts.count(KEY)).toBe(1);
  });

  it('corrects at the next announcement what was lost', () => {
    const counts = new SharedCounts();
    counts.hear('other', { [KEY]: 3, more: 1 }, true);
    counts.hear('other', { [KEY]: 2 }, false);
    expect([counts.count(KEY), counts.count('more')]).toEqual([2, 1]);

    counts.hear('other', { more: 1 }, true);

    expect([counts.count(KEY), counts.count('more')]).toEqual([0, 1]);
  });
});

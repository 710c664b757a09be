import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { FetchHistoryRepository } from '../../src/news/sources/history/fetch-history.repository.js';
import { addDueSources } from '../support/due-sources.js';
import { explained } from '../support/explained.js';
import { rss } from '../support/feed-server.js';
import { itLong } from '../support/long.js';
import { NewsClient, ok } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

interface Bucket {
  readonly at: number;
  readonly fetches: number;
  readonly failed: number;
  readonly medianMs: number | null;
}

interface Series {
  readonly from: number;
  readonly to: number;
  readonly bucketSeconds: number;
  readonly completeSince: number;
  readonly buckets: readonly Bucket[];
}

interface Due {
  readonly now: number;
  readonly overdue: number;
  readonly due: readonly { readonly sourceId: number; readonly dueAt: number }[];
}

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let admin: NewsClient;
let path: string;
let specs = 0;

beforeAll(async () => {
  admin = new NewsClient(app.asAdmin(), 'v1-3');
});
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
  await app.database.query('delete from subscription');
  // A table where readers are distributed.
  await app.database.query('delete from follower');
  await app.database.query('delete from fetch_attempt');
});

const publish = (...entries: string[]) =>
  publisher.publish(
    path,
    rss({ title: path, link: publisher.url('/'), items: entries.map((title) => ({ title })) }),
  );

async function follow(): Promise<number> {
  publish('a');
  const feed = await news.subscribe(publisher.url(path));
  const [row] = await app.database.query<{ sourceId: number }>(
    'select source_id as "sourceId" from subscription where id = $1',
    [feed.id],
  );
  return row?.sourceId ?? 0;
}

interface Attempted {
  readonly at: number;
  readonly outcome?: string;
  readonly status?: number | null;
  readonly durationMs?: number | null;
  readonly newItems?: number;
}

async function attempted(sourceId: number, ...attempts: readonly Attempted[]): Promise<void> {
  for (const { at, outcome = 'read', status = 200, durationMs = 10, newItems = 0 } of attempts) {
    await app.database.query(
      `insert into fetch_attempt (source_id, at, outcome, status, duration_ms, new_items, decision, due_at)
       values ($1, to_timestamp($2), $3, $4, $5, $6, 'because', now())`,
      [sourceId, at, outcome, status, durationMs, newItems],
    );
  }
}

const series = (query: Record<string, number> = {}) =>
  ok<Series>(admin.get('/admin/statistics', query));
const due = () => ok<Due>(admin.get('/admin/due'));

describe('the statistics of fetches', () => {
  it('count fetches, failures and new items by bucket, including empty ones', async () => {
    const source = await follow();
    await app.database.query('delete from fetch_attempt');
    const from = 1_700_000_000;
    await attempted(
      source,
      { at: from - 1, newItems: 99 },
      { at: from, newItems: 3 },
      { at: from + 59.9, outcome: 'unchanged', status: 304 },
      { at: from + 120, outcome: 'failed', status: 503 },
      { at: from + 121, outcome: 'outage', status: null, durationMs: null },
      { at: from + 180, newItems: 99 },
    );

    const { buckets, ...span } = await series({ from, to: from + 180, bucketSeconds: 60 });

    expect(span).toMatchObject({ from, to: from + 180, bucketSeconds: 60 });
    expect(buckets).toMatchObject([
      { at: from, fetches: 2, unchanged: 1, failed: 0, newItems: 3 },
      { at: from + 60, fetches: 0, unchanged: 0, failed: 0, newItems: 0, medianMs: null },
      { at: from + 120, fetches: 2, unchanged: 0, failed: 2, newItems: 0 },
    ]);
  });

  it('report the median and the 95th percentile of durations', async () => {
    const source = await follow();
    const from = 1_700_000_000;
    await attempted(
      source,
      ...Array.from({ length: 101 }, (_, n) => ({ at: from, durationMs: n + 1 })),
      { at: from, status: null, durationMs: 60_000, outcome: 'failed' },
    );

    const { buckets } = await series({ from, to: from + 60, bucketSeconds: 60 });

    expect(buckets).toMatchObject([{ fetches: 102, medianMs: 51, percentile95Ms: 96 }]);
  });

  it('default to the last day by the hour, including now', async () => {
    await follow();

    const { buckets, from, to, completeSince } = await series();

    expect(buckets).toHaveLength(24);
    expect(to - from).toBe(86_400);
    expect(completeSince).toBeGreaterThanOrEqual(from - 1);
    expect(buckets.at(-1)).toMatchObject({ fetches: 1, newItems: 1 });
  });

  it('use the index on times', async () => {
    const source = await follow();
    const from = 1_700_000_000;
    await app.database.query(
      `insert into fetch_attempt (source_id, at, outcome, decision, due_at)
       select $1, to_timestamp($2 + n * 60), 'unchanged', 'because', now() from generate_series(1, 5000) n`,
      [source, from],
    );
    await app.database.query('analyze fetch_attempt');

    const span = { fromSeconds: from, toSeconds: from + 6000, bucketSeconds: 60 };
    const used = await explained(app.database, (runner) =>
      new FetchHistoryRepository(runner as Database).series(span),
    );

    expect(used).toContain('fetch_attempt_at_index');
  });

  it('refuse a span that is empty, too long or has too many buckets', async () => {
    const refused = async (query: Record<string, number | string>) =>
      (await admin.get('/admin/statistics', query)).status;

    expect(await refused({ from: 100, to: 100 })).toBe(422);
    expect(await refused({ from: 0, to: 32 * 86_400 })).toBe(422);
    expect(await refused({ from: 0, to: 86_400, bucketSeconds: 60 })).toBe(422);
    expect(await refused({ bucketSeconds: 1 })).toBe(422);
    expect(await refused({ from: 'yesterday' })).toBe(422);
    expect(await refused({ from: 10_000_000_000 })).toBe(422);
  });
});

describe('the list of due sources', () => {
  it('has every followed source in the order of its due date, with the reason', async () => {
    const later = await follow();
    path = `/${(specs += 1)}.xml`;
    const sooner = await follow();
    await app.database.query(
      "update source_schedule set due_at = now() - interval '1 minute' where source_id = $1",
      [sooner],
    );

    const list = await due();

    expect(list.overdue).toBe(1);
    expect(list.due).toMatchObject([
      { sourceId: sooner, followers: 1, errorsInRow: 0, host: '127.0.0.1', beingFetched: false },
      { sourceId: later, title: expect.stringContaining('.xml'), why: expect.any(String) },
    ]);
    expect(list.due[1]?.dueAt).toBeGreaterThan(list.now);
  });

  it('omits sources without followers, and shows no secrets of addresses', async () => {
    await follow();
    await app.database.query('delete from subscription');
    // A table where readers are distributed.
    await app.database.query('delete from follower');
    publish('a');
    await news.subscribe(`${publisher.url(path)}?token=secret`);

    const { text } = await admin.get('/admin/due');

    expect((await due()).due).toHaveLength(1);
    expect(text).not.toContain('secret');
  });

  itLong('lists at most two hundred', async () => {
    await follow();
    const { userId } = user.credentials;
    const urls = Array.from({ length: 250 }, (_, n) => `https://many.example/${n}`);
    await addDueSources(app, userId, urls);

    expect((await due()).due).toHaveLength(200);
  });
});

describe('the dearest sources', () => {
  interface Line {
    readonly sourceId: number;
    readonly workMs: number;
    readonly bytes: number;
  }
  const by = async (order: string) =>
    (await ok<{ sources: Line[] }>(admin.get('/admin/sources', { order }))).sources;

  it('are known by the time to read and store their documents, and by their bytes', async () => {
    const text = rss({
      title: path,
      items: Array.from({ length: 200 }, (_, n) => ({ title: `No. ${n}` })),
    });
    publisher.publish(path, text);
    await news.subscribe(publisher.url(path));

    const [fetched] = await by('work');

    expect(fetched).toMatchObject({ bytes: Buffer.byteLength(text) });
    expect(fetched?.workMs).toBeGreaterThan(0);
  });

  it('are listed first, of the last day only', async () => {
    const ids: number[] = [];
    for (const name of ['slow', 'large', 'former']) {
      path = `/${specs}-${name}.xml`;
      ids.push(await follow());
    }
    await app.database.query('delete from fetch_attempt');
    await app.database.query(
      `insert into fetch_attempt (source_id, at, outcome, work_ms, bytes, decision, due_at)
       select ids[place], now() - age, 'read', ms, bytes, '', now()
         from (select $1::bigint[] as ids) given,
              (values (1, interval '1 hour', 30, 10), (1, '2 hours', 30, null), (2, '1 hour', 7, 500),
                      (3, '25 hours', 9999, 9999)) as made (place, age, ms, bytes)`,
      [ids],
    );

    const lists = [await by('work'), await by('bytes')];

    expect(
      lists.map((lines) =>
        lines.map(({ sourceId, workMs, bytes }) => [ids.indexOf(sourceId), workMs, bytes]),
      ),
    ).toEqual([
      [
        [0, 60, 10],
        [1, 7, 500],
        [2, 0, 0],
      ],
      [
        [1, 7, 500],
        [0, 60, 10],
        [2, 0, 0],
      ],
    ]);
  });
});

describe('both', () => {
  it.each(['/admin/statistics', '/admin/due'])('%s is for administrators only', async (route) => {
    expect((await news.get(route)).status).toBe(403);
    expect((await new NewsClient(app.asStranger(), 'v1-3').get(route)).status).toBe(401);
  });
});

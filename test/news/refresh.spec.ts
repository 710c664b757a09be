import { beforeEach, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/common/clock.js';
import { RefreshService } from '../../src/news/refresh/refresh.service.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { ScheduleRepository } from '../../src/news/sources/schedule/schedule.repository.js';
import type { Lease } from '../../src/news/sources/schedule/schedule.sql.js';
import { rss } from '../support/feed-server.js';
import { LEVELS, NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';
import { within } from '../support/until.js';

interface RefreshJson {
  readonly feeds: number;
  readonly asked: number;
  readonly newItems: number;
  readonly failures: readonly { feedId: number; title: string; message: string }[];
  readonly fresh: number;
  readonly resting: number;
  readonly left: number;
}

const MOST_FEEDS = 4;
const MOST_PER_HOUR = 6;

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_REFRESH_FEEDS: String(MOST_FEEDS),
  GATEFOLD_REFRESH_FEEDS_PER_HOUR: String(MOST_PER_HOUR),
});
let user: TestUser;
let news: NewsClient;
let specs = 0;
let path: string;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
});

function publish(at: string, ...entries: string[]): void {
  const items = entries.map((title) => ({ title, guid: title }));
  publisher.publish(at, rss({ title: `Feed ${at}`, link: publisher.url('/'), items }));
}

/** A subscription whose last fetch was some minutes ago. */
async function follow(at = path, folderId: number | null = null): Promise<FeedJson> {
  publish(at, 'first');
  const feed = await news.subscribe(publisher.url(at), folderId);
  await makeStale(feed);
  return feed;
}

const makeStale = (feed: FeedJson) =>
  app.database.query(
    `update source set fetched_at = now() - interval '5 minutes'
       from subscription where subscription.id = $1 and source.id = source_id`,
    [feed.id],
  );

const sourceIdOf = async (feed: FeedJson) => {
  const [row] = await app.database.query<{ id: number }>(
    'select source_id as id from subscription where id = $1',
    [feed.id],
  );
  return row?.id ?? 0;
};

const refresh = (where: string, client = news) => ok<RefreshJson>(client.post(`${where}/refresh`));
const refreshFeed = (feed: FeedJson) => refresh(`/feeds/${feed.id}`);

describe.each(LEVELS)('POST feeds/{feedId}/refresh at %s', (level) => {
  it('fetches the feed and reports the result; the next synchronisation delivers it', async () => {
    const feed = await follow();
    publish(path, 'third', 'second', 'first');

    const report = await refresh(`/feeds/${feed.id}`, new NewsClient(user, level));

    expect(report).toEqual({
      feeds: 1,
      asked: 1,
      newItems: 2,
      newFeeds: 1,
      failures: [],
      fresh: 0,
      resting: 0,
      left: 0,
    });
    expect(titles(await news.items())).toEqual(['third', 'second', 'first']);
  });
});

describe('a refresh fetches', () => {
  it('every feed of the user, and none of others', async () => {
    await follow(`/a${path}`);
    await follow(`/b${path}`);
    const other = new NewsClient(await app.signIn(), 'v1-3');
    publish(`/other${path}`, 'first');
    await makeStale(await other.subscribe(publisher.url(`/other${path}`)));
    publish(`/a${path}`, 'new', 'first');

    const report = await refresh('/feeds');

    expect(report).toMatchObject({ feeds: 2, asked: 2, newItems: 1 });
    expect(publisher.requests(`/a${path}`)).toHaveLength(2);
    expect(publisher.requests(`/b${path}`)).toHaveLength(2);
    expect(publisher.requests(`/other${path}`)).toHaveLength(1);
  });

  it('a folder, or with 0 the feeds without one', async () => {
    const folder = await news.createFolder('Science');
    await follow(`/in${path}`, folder.id);
    await follow(`/out${path}`);

    expect(await refresh(`/folders/${folder.id}`)).toMatchObject({ feeds: 1, asked: 1 });
    expect(publisher.requests(`/out${path}`)).toHaveLength(1);
    expect(await refresh('/folders/0')).toMatchObject({ feeds: 1, asked: 1 });
    expect(publisher.requests(`/out${path}`)).toHaveLength(2);
  });

  it('nothing for an empty folder, and for a user without feeds', async () => {
    const folder = await news.createFolder('Empty');

    expect(await refresh(`/folders/${folder.id}`)).toMatchObject({ feeds: 0, asked: 0 });
    expect(await refresh('/feeds')).toMatchObject({ feeds: 0, asked: 0, newItems: 0 });
  });

  it('no feeds and folders of other users, and none without credentials', async () => {
    const feed = await follow();
    const folder = await news.createFolder('Mine');
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    const anonymous = new NewsClient({ baseUrl: app.url }, 'v1-3');

    expect(await stranger.post(`/feeds/${feed.id}/refresh`)).toMatchObject({
      status: 404,
      json: { message: `There is no feed ${feed.id}.` },
    });
    expect(await stranger.post(`/folders/${folder.id}/refresh`)).toMatchObject({ status: 404 });
    expect(await anonymous.post('/feeds/refresh')).toMatchObject({ status: 401 });
    expect(publisher.requests(path)).toHaveLength(1);
  });

  it('with progress line by line for a client that accepts it', async () => {
    await follow();
    publish(path, 'new', 'first');

    const { status, headers, text } = await news.call('POST', '/feeds/refresh', {
      headers: { accept: 'application/x-ndjson' },
    });

    const lines = text.trim().split('\n');
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ step: 'fetching', done: 0, total: 1 });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      step: 'fetched',
      asked: 1,
      newItems: 1,
    });
  });
});

describe('a feed that cannot be read', () => {
  it('is reported with its error, and does not stop the others', async () => {
    const broken = await follow(`/broken${path}`);
    await follow(`/good${path}`);
    publisher.fail(`/broken${path}`, 500);
    publish(`/good${path}`, 'new', 'first');

    const report = await refresh('/feeds');

    expect(report).toMatchObject({ asked: 2, newItems: 1 });
    expect(report.failures).toEqual([
      {
        feedId: broken.id,
        title: `Feed /broken${path}`,
        message: expect.stringContaining('500'),
      },
    ]);
    expect((await news.feed(broken.id)).updateErrorCount).toBe(1);
  });

  it('can be fetched by its user after a minute, although its next retry is hours away', async () => {
    const feed = await follow();
    publisher.fail(path, 500);
    await refreshFeed(feed);
    await makeStale(feed);
    publish(path, 'back', 'first');

    expect(await refreshFeed(feed)).toMatchObject({ asked: 1, newItems: 1, failures: [] });
    expect((await news.feed(feed.id)).updateErrorCount).toBe(0);
  });
});

describe('politeness', () => {
  it('skips feeds that were fetched less than a minute ago', async () => {
    const feed = await follow();
    await refreshFeed(feed);

    expect(await refreshFeed(feed)).toMatchObject({ feeds: 1, asked: 0, fresh: 1 });
    expect(publisher.requests(path)).toHaveLength(2);
  });

  it('skips a publisher that asked for a pause', async () => {
    const feed = await follow();
    publisher.fail(path, 429, { 'Retry-After': '3000' });
    expect((await refreshFeed(feed)).failures).toHaveLength(1);
    await makeStale(feed);

    expect(await refreshFeed(feed)).toMatchObject({ asked: 0, resting: 1, failures: [] });
    expect(publisher.requests(path)).toHaveLength(2);
  });

  it('skips every feed of a paused host', async () => {
    const feed = await follow();
    const schedule = app.inside(ScheduleRepository);
    const state = await schedule.stateOf(await sourceIdOf(feed));
    await schedule.pauseHost(state?.hostKey ?? '', 600);
    try {
      expect(await refreshFeed(feed)).toMatchObject({ asked: 0, resting: 1 });
    } finally {
      await app.database.query('update host_state set not_before = null');
    }
  });

  it('waits for a running fetch instead of starting another', async () => {
    const feed = await follow();
    const released = Promise.withResolvers<void>();
    const items = [{ title: 'new', guid: 'new' }];
    publisher.publish(path, rss({ title: 'Slow', items }), { delayUntil: released.promise });
    const underWay = app.inside(SourceRefresher).refreshNow(await sourceIdOf(feed));
    await publisher.whenAsked(path, 2);
    const schedule = app.inside(ScheduleRepository);
    const claim = schedule.claimWanted.bind(schedule);
    const claimed = new Promise<readonly Lease[]>((resolve) => {
      schedule.claimWanted = async (...wanted) => {
        const leases = await claim(...wanted);
        resolve(leases);
        return leases;
      };
    });

    const report = refreshFeed(feed);
    expect(await within('a claim of the refresh', claimed)).toEqual([]);
    Reflect.deleteProperty(schedule, 'claimWanted');
    released.resolve();

    expect(await report).toMatchObject({ asked: 1, newItems: 1, failures: [] });
    expect(await underWay).toEqual({ outcome: 'updated' });
    expect(publisher.requests(path)).toHaveLength(2);
  });

  it('joins a running refresh of the same feeds, and is refused for other feeds meanwhile', async () => {
    const feed = await follow();
    const other = await follow(`/other${path}`);
    const release = publisher.hang(path);
    const first = refreshFeed(feed);
    await publisher.whenAsked(path, 2);

    const second = refreshFeed(feed);
    const refused = await news.post(`/feeds/${other.id}/refresh`);
    release();

    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect(await second).toEqual(await first);
    expect(publisher.requests(path)).toHaveLength(2);
    expect(publisher.requests(`/other${path}`)).toHaveLength(1);
  });

  it('is limited to a number of feeds, longest unfetched first; the schedule fetches the rest', async () => {
    const feeds: FeedJson[] = [];
    for (let n = 0; n <= MOST_FEEDS; n += 1) {
      feeds.push(await follow(`/${n}${path}`));
    }
    await app.database.query(
      `update source set fetched_at = now() - interval '2 minutes'
         from subscription where subscription.id = $1 and source.id = source_id`,
      [feeds[1]?.id],
    );

    const report = await refresh('/feeds');

    expect(report).toMatchObject({ feeds: MOST_FEEDS + 1, asked: MOST_FEEDS, left: 1 });
    expect(publisher.requests(`/1${path}`)).toHaveLength(1);
    const { nextUpdateTime } = await news.feed(feeds[1]?.id ?? 0);
    expect((nextUpdateTime ?? Infinity) - Date.now() / 1000).toBeLessThan(65);
  });

  it('is limited to a number of feeds per user and hour', async () => {
    const feeds: FeedJson[] = [];
    for (let n = 0; n < MOST_FEEDS; n += 1) {
      feeds.push(await follow(`/${n}${path}`));
    }
    const clock = app.inside(Clock);
    const now = clock.now();
    clock.now = () => now;
    try {
      await refresh('/feeds');
      await Promise.all(feeds.map(makeStale));
      expect(await refresh('/feeds')).toMatchObject({ asked: 2, left: 2 });
      await Promise.all(feeds.map(makeStale));

      expect(await news.post('/feeds/refresh')).toMatchObject({
        status: 429,
        headers: { 'retry-after': '3600' },
        json: { message: expect.stringContaining('try again in 60 min') },
      });
      clock.now = () => new Date(now.getTime() + 3_600_000);
      expect(await refresh('/feeds')).toMatchObject({ asked: MOST_FEEDS });
    } finally {
      Reflect.deleteProperty(clock, 'now');
    }
  });
});

// Last: afterwards the service of this file accepts no refreshes.
describe('a service that stops during a refresh', () => {
  it('responds with the results so far, and leaves the rest to the schedule', async () => {
    const feed = await follow();
    publisher.hang(path);
    const report = refreshFeed(feed);
    await publisher.whenAsked(path, 2);

    await app.inside(RefreshService).beforeApplicationShutdown();

    expect(await report).toMatchObject({ asked: 0, left: 1 });
    const state = await app.inside(ScheduleRepository).stateOf(await sourceIdOf(feed));
    expect(state).toMatchObject({ leased: false });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FetchedFeed } from '../../src/news/sources/fetch/fetch-feed.service.js';
import { SourceRefresher } from '../../src/news/sources/refreshing/source-refresher.service.js';
import { ScheduleRepository } from '../../src/news/sources/schedule/schedule.repository.js';
import { SourcesRepository } from '../../src/news/sources/sources.repository.js';
import type { Source } from '../../src/news/sources/sources.sql.js';
import { addDueSources } from '../support/due-sources.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

const HOUR = 3600;
const DAY = 24 * HOUR;

let app: TestApp;
let publisher: FeedServer;
let user: TestUser;
let news: NewsClient;
let path: string;
let specs = 0;
/** By the clock of the database. */
let begunMicros: number;

beforeAll(async () => {
  [app, publisher] = await Promise.all([startApp(), startFeedServer()]);
});
afterAll(() => Promise.all([app.stop(), publisher.close()]));
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
  begunMicros = await app.nowMicros();
});

const publish = (at: string, title = 'item', options = {}) =>
  publisher.publish(
    at,
    rss({ title: at, link: publisher.url('/'), items: [{ title, guid: title }] }),
    options,
  );

const update = (feed: FeedJson) =>
  new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);

async function sourceOf(feed: FeedJson): Promise<Source> {
  const [row] = await app.database.query<{ id: number }>(
    'select source_id as id from subscription where id = $1',
    [feed.id],
  );
  const source = await app.inside(SourcesRepository).find(row?.id ?? 0);
  if (source === null) {
    throw new Error(`Feed ${feed.id} has no source`);
  }
  return source;
}

/** Counted from the beginning of the spec, so that the time that it takes itself is not missing. */
async function dueAfterSeconds(sourceId: number): Promise<number> {
  const [row] = await app.database.query<{ seconds: number }>(
    `select extract(epoch from due_at)::float8 - $2::float8 / 1e6 as seconds from source_schedule
      where source_id = $1 and lease_token is null`,
    [sourceId, begunMicros],
  );
  return row?.seconds ?? Number.NaN;
}

const restIsOver = async (feed: FeedJson) =>
  app.database.query('update source_schedule set due_at = now() where source_id = $1', [
    (await sourceOf(feed)).id,
  ]);

async function dueInSeconds(sourceId: number): Promise<number> {
  const [row] = await app.database.query<{ seconds: number }>(
    `select extract(epoch from due_at - now())::int as seconds from source_schedule
      where source_id = $1 and lease_token is null`,
    [sourceId],
  );
  return row?.seconds ?? Number.NaN;
}

describe('a publisher that answers 429', () => {
  const refused = (kind: 'rate-limited' | 'http', retryAfterSeconds: number): FetchedFeed => ({
    outcome: 'failed',
    kind,
    message: 'Not now.',
    retryAfterSeconds,
    document: null,
    status: kind === 'http' ? 503 : 429,
    caching: null,
    bytes: 0,
    contentType: null,
    durationMs: 1,
    redirects: [],
    permanentRedirectTo: null,
    hub: null,
    allowListed: false,
  });

  async function recordFor(host: string, fetched: FetchedFeed): Promise<[number, number]> {
    const { userId } = user.credentials;
    const urls = [`https://${host}/a.xml`, `https://${host}/b.xml`];
    const [asked = 0, other = 0] = await addDueSources(app, userId, urls);
    const lease = await app.inside(ScheduleRepository).claim(asked);
    const source = await app.inside(SourcesRepository).find(asked);
    if (lease === null || source === null) {
      throw new Error('The source is not there');
    }
    await app.inside(SourceRefresher).record(lease, source, fetched);
    return [asked, other];
  }

  it('pauses all its feeds after a 429, for the time in Retry-After', async () => {
    const [asked, other] = await recordFor('limited.example', refused('rate-limited', 1200));

    expect(await dueAfterSeconds(asked)).toBeGreaterThanOrEqual(1200);
    const { leases } = await claimDue();
    expect(leases.map(({ sourceId }) => sourceId)).not.toContain(other);
    expect(await dueAfterSeconds(other)).toBeGreaterThanOrEqual(1200);
  });

  it('pauses one feed after a 503, for the time in Retry-After', async () => {
    const [asked, other] = await recordFor('busy.example', refused('http', 1800));

    expect(await dueAfterSeconds(asked)).toBeGreaterThanOrEqual(1800);
    const { leases } = await claimDue();
    expect(leases.map(({ sourceId }) => sourceId)).toContain(other);
  });

  it('pauses only one feed if its host is allow-listed', async () => {
    publish(path);
    const feed = await news.subscribe(publisher.url(path));
    publisher.fail(path, 429, { 'Retry-After': '3000' });

    await update(feed);

    const { id } = await sourceOf(feed);
    expect(await dueAfterSeconds(id)).toBeGreaterThanOrEqual(3000);
    const state = await app.inside(ScheduleRepository).stateOf(id);
    expect(state).toMatchObject({ spaced: false, hostPausedUntilSeconds: null });
  });

  const claimDue = () =>
    app
      .inside(ScheduleRepository)
      .claimDue({ sources: 500, perHost: 500, held: [], gapMs: 0, horizonMs: 1000 });
});

describe('a feed that moved', () => {
  const moveTo = (target: string, status: 301 | 302) => publisher.redirect(path, target, status);
  const age = (seconds: number) =>
    app.database.query(
      'update source set moving_since = moving_since - make_interval(secs => $1)',
      [seconds],
    );
  const asked = (at: string) => publisher.requests(at).length;
  let target: string;
  let feed: FeedJson;
  beforeEach(async () => {
    target = `/moved${path}`;
    publish(path);
    feed = await news.subscribe(publisher.url(path));
    publish(target, 'moved');
  });

  it('is fetched from there after three sightings over a day, and keeps its address', async () => {
    moveTo(target, 301);
    await update(feed);
    await age(DAY + 1);
    await update(feed);
    await update(feed);
    const before = asked(path);

    await update(feed);

    expect(asked(path)).toBe(before);
    expect((await sourceOf(feed)).effectiveUrl).toBe(publisher.url(target));
    expect((await news.feed(feed.id)).url).toBe(publisher.url(path));
    expect(titles(await news.items())).toEqual(['moved', 'item']);
  });

  it('is fetched from its old address until the day is over', async () => {
    moveTo(target, 301);
    for (const _ of [1, 2, 3, 4]) {
      await update(feed);
    }

    expect((await sourceOf(feed)).effectiveUrl).toBeNull();
    expect(await sourceOf(feed)).toMatchObject({ movingSightings: 4 });
  });

  it('is always fetched from its old address when the redirect is temporary', async () => {
    moveTo(target, 302);
    for (const _ of [1, 2, 3, 4]) {
      await update(feed);
      await age(DAY + 1);
    }

    expect(await sourceOf(feed)).toMatchObject({ effectiveUrl: null, movingTo: null });
  });

  it('restarts the count when the redirect disappeared in between', async () => {
    moveTo(target, 301);
    await update(feed);
    await update(feed);
    publish(path, 'back');
    await update(feed);

    expect(await sourceOf(feed)).toMatchObject({ movingTo: null, movingSightings: 0 });
  });

  it('is fetched from its old address again after several failures at the new one', async () => {
    moveTo(target, 301);
    await update(feed);
    await age(DAY + 1);
    await update(feed);
    await update(feed);
    publisher.remove(target);
    publish(path, 'home again');

    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await update(feed);
    }

    expect((await sourceOf(feed)).effectiveUrl).toBeNull();
    expect(titles(await news.items())).toContain('home again');
  });
});

describe('a feed that fails', () => {
  it.each([404, 500])(
    'with status %i is not gone, and is tried again within a day',
    async (status) => {
      publish(path);
      const feed = await news.subscribe(publisher.url(path));
      publisher.fail(path, status);

      await update(feed);

      const source = await sourceOf(feed);
      expect([source.errorCount, source.goneSeconds]).toEqual([1, null]);
      expect((await news.feed(feed.id)).lastUpdateError).not.toMatch(/once a week/);
      expect(await dueInSeconds(source.id)).toBeLessThan(DAY);
    },
  );
});

describe('a feed that is permanently gone', () => {
  it('keeps its items, reports its state, and is checked once a week', async () => {
    publish(path);
    const feed = await news.subscribe(publisher.url(path));
    publisher.fail(path, 410);

    await update(feed);

    const gone = await news.feed(feed.id);
    expect(gone.updateErrorCount).toBe(1);
    expect(gone.lastUpdateError).toMatch(/permanently gone.*once a week/);
    expect(titles(await news.items())).toEqual(['item']);
    const source = await sourceOf(feed);
    expect(source.goneSeconds).toBeGreaterThan(0);
    const due = await dueInSeconds(source.id);
    expect(due).toBeGreaterThan(6 * DAY);
    expect(due).toBeLessThan(8 * DAY);

    publish(path, 'back');
    await restIsOver(feed);
    await update(feed);

    expect((await sourceOf(feed)).goneSeconds).toBeNull();
    expect(titles(await news.items())).toEqual(['back', 'item']);
  });
});

describe('a request for a feed whose publisher asked for a pause', () => {
  const asked = () => publisher.requests(path).length;

  it.each([
    ['429 with Retry-After', 429, { 'Retry-After': '86400' }],
    ['429', 429, {}],
    ['503 with Retry-After', 503, { 'Retry-After': '86400' }],
    ['410', 410, {}],
  ])('fetches nothing after %s, by an updater or a user', async (_, status, headers) => {
    publish(path);
    const feed = await news.subscribe(publisher.url(path));
    publisher.fail(path, status, headers);
    await update(feed);
    const before = asked();

    for (const _again of [1, 2, 3, 4, 5]) {
      const answer = await new NewsClient(app.asAdmin(), 'v1-3').get('/feeds/update', {
        userId: user.credentials.userId,
        feedId: feed.id,
      });
      expect([answer.status, answer.text]).toEqual([200, 'null']);
    }
    await app.database.query("update source set fetched_at = now() - interval '1 hour'");
    const refreshed = await ok(news.post(`/feeds/${feed.id}/refresh`));

    expect(asked()).toBe(before);
    expect(refreshed).toMatchObject({ asked: 0, resting: 1 });
    expect((await news.feed(feed.id)).updateErrorCount).toBe(1);

    publish(path, 'back');
    await restIsOver(feed);
    await update(feed);
    expect(titles(await news.items())).toEqual(['back', 'item']);
  });

  it('fetches nothing while the whole host rests, and delivers what others have fetched', async () => {
    publish(path);
    const feed = await news.subscribe(publisher.url(path));
    publish(path, 'new');
    await new NewsClient(await app.signIn(), 'v1-3').subscribe(publisher.url(path));
    await app.inside(ScheduleRepository).pauseHost('127.0.0.1', HOUR);
    const before = asked();

    await update(feed);

    expect(asked()).toBe(before);
    expect(titles(await news.items())).toEqual(['new', 'item']);
    await app.database.query('update host_state set not_before = null');
  });

  it('fetches at once after a failure without such a wish, and before the feed is due', async () => {
    publish(path);
    const feed = await news.subscribe(publisher.url(path));
    publisher.fail(path, 503);
    await update(feed);
    await update(feed);

    expect((await news.feed(feed.id)).updateErrorCount).toBe(2);
  });
});

describe('a feed that did not change', () => {
  it('is fetched without validators after thirty 304 responses in a row', async () => {
    publish(path, 'first', { etag: '"for ever"' });
    const feed = await news.subscribe(publisher.url(path));
    const { id } = await sourceOf(feed);
    await app.database.query('update source set not_modified_in_row = 29 where id = $1', [id]);
    // The publisher fails to change its ETag.
    publish(path, 'second', { etag: '"for ever"' });

    await update(feed);
    expect(titles(await news.items())).toEqual(['first']);
    await update(feed);

    expect(publisher.requests(path).at(-1)?.headers['if-none-match']).toBeUndefined();
    expect(titles(await news.items())).toEqual(['second', 'first']);
    expect(await sourceOf(feed)).toMatchObject({ notModifiedInRow: 0 });
  });

  it('is not fetched for the time that its last document requests', async () => {
    const slow = rss({ title: 'slow', items: [{ title: 'i' }], channelXml: '<ttl>600</ttl>' });
    publisher.publish(path, slow, { etag: '"v1"' });
    const feed = await news.subscribe(publisher.url(path));

    await update(feed);

    const { id, notModifiedInRow } = await sourceOf(feed);
    expect(notModifiedInRow).toBe(1);
    expect(await dueAfterSeconds(id)).toBeGreaterThanOrEqual(10 * HOUR);
  });
});

describe('internal errors', () => {
  it('while processing a feed count as an error of the feed, which is retried later', async () => {
    publish(path);
    const feed = await news.subscribe(publisher.url(path));
    const { id } = await sourceOf(feed);
    await app.database.query(
      "alter table article add constraint no_such_title check (title <> 'unstorable')",
    );
    publish(path, 'unstorable');

    await update(feed);
    await update(feed);

    const failing = await news.feed(feed.id);
    expect(failing.updateErrorCount).toBe(2);
    expect(failing.lastUpdateError).toMatch(/could not be stored/);
    expect(await dueInSeconds(id)).toBeGreaterThan(60);

    publish(path, 'storable');
    await update(feed);
    expect(titles(await news.items())).toEqual(['storable', 'item']);
    expect((await news.feed(feed.id)).updateErrorCount).toBe(0);
  });

  it('of the database leave the source due again soon, without an error of the feed', async () => {
    publish(path);
    const feed = await news.subscribe(publisher.url(path));
    const { id } = await sourceOf(feed);
    const article = { title: path, items: [{ title: 'new' }] };
    publisher.publish(path, rss(article));
    await app.database.query(
      `create function break_off() returns trigger language plpgsql as
         $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
    );
    await app.database.query(
      `create trigger break_off before update on source for each row
         when (new.rev > old.rev) execute function break_off()`,
    );

    await expect(app.inside(SourceRefresher).refreshNow(id)).rejects.toThrow(/connection/i);

    expect(await dueInSeconds(id)).toBeLessThanOrEqual(120);
    expect((await news.feed(feed.id)).updateErrorCount).toBe(0);
    await app.database.query('drop trigger break_off on source');
    await update(feed);
    expect(titles(await news.items())).toEqual(['new', 'item']);
  });
});

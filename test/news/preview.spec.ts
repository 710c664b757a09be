import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AddressReport } from '../../src/news/doctor/address-doctor.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type FeedJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

interface Preview {
  readonly url: string;
  readonly title: string;
  readonly link: string;
  readonly feedId: number | null;
  readonly feeds: readonly string[];
  readonly items: readonly { readonly title: string; readonly pubDate: number | null }[];
}

interface Status {
  readonly feedId: number;
  readonly health: string;
  readonly nextUpdateTime: number | null;
  readonly attempts: readonly { readonly outcome: string }[];
}

const { app, publisher } = await sharedService();
let user: TestUser;
let news: NewsClient;
let path: string;
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}`;
});

const at = (name: string) => publisher.url(`${path}/${name}`);

function publish(name: string, entries: number, title = `Feed ${name}`): string {
  const items = Array.from({ length: entries }, (_, n) => ({
    title: `entry ${n + 1}`,
    link: at(`entry-${n + 1}`),
    pubDate: new Date(Date.UTC(2026, 0, 20 - n)),
  }));
  publisher.publish(`${path}/${name}`, rss({ title, link: publisher.url('/'), items }));
  return at(name);
}

function publishPage(...names: string[]): string {
  const links = names.map(
    (name) => `<link rel="alternate" type="application/rss+xml" href="${name}">`,
  );
  publisher.publish(
    `${path}/page`,
    `<html><head>${links.join('')}</head><body>hello</body></html>`,
    {
      contentType: 'text/html',
    },
  );
  return at('page');
}

const preview = (url: string, client = news) => ok<Preview>(client.post('/feeds/preview', { url }));

describe('the preview of an address', () => {
  it('shows title, website and the first five entries of a feed, and subscribes to nothing', async () => {
    const url = publish('a', 7);

    const shown = await preview(` ${url} `);

    expect(shown).toMatchObject({
      url,
      title: 'Feed a',
      link: publisher.url('/'),
      feedId: null,
      feeds: [],
    });
    expect(shown.items).toEqual(
      [1, 2, 3, 4, 5].map((n) => ({
        title: `entry ${n}`,
        url: at(`entry-${n}`),
        pubDate: Date.UTC(2026, 0, 21 - n) / 1000,
      })),
    );
    expect((await news.feedList()).feeds).toEqual([]);
    const stored = await app.database.query('select 1 from source where url = $1', [url]);
    expect(stored).toEqual([]);
  });

  it('names all feeds of a web page and shows the first', async () => {
    publish('a', 1);
    publish('b', 1);

    expect(await preview(publishPage('a', 'b'))).toMatchObject({
      url: at('a'),
      title: 'Feed a',
      feeds: [at('a'), at('b')],
    });
  });

  it('skips feeds of a web page that cannot be read', async () => {
    publish('b', 1);

    expect(await preview(publishPage('broken', 'b'))).toMatchObject({ url: at('b') });
  });

  it('reports whether the user has the feed, and nothing of other users', async () => {
    const url = publish('a', 1);
    const feed = await news.subscribe(url);
    const other = new NewsClient(await app.signIn(), 'v1-3');

    publish('b', 1);
    publisher.redirect(`${path}/old`, url, 301);
    const page = publishPage('a', 'b', 'old');
    const followed = { feedId: feed.id };

    expect(await preview(url)).toMatchObject(followed);
    expect(await preview(at('old'))).toMatchObject(followed);
    expect(await preview(page)).toMatchObject({
      ...followed,
      namedFeeds: [followed, { url: at('b'), title: '', feedId: null }, { feedId: null }],
    });
    expect(await preview(url, other)).toMatchObject({ feedId: null });
    expect(await preview(page, other)).toMatchObject({
      namedFeeds: [1, 2, 3].map(() => ({ feedId: null })),
    });
  });

  it('is refused as a subscription is, by a page that tests browsers', async () => {
    const wall = '<!doctype html><title>Making sure you&#39;re not a bot!</title>';
    const [url, feedUrl] = [at('wall'), publish('a', 1)];
    publisher.publish(`${path}/wall`, wall, { contentType: 'text/html' });
    const message = expect.stringContaining('a test for browsers (a bot wall)');

    expect((await news.post('/feeds/preview', { url })).json).toEqual({ message });
    expect((await news.post('/feeds', { url })).json).toEqual({ message });
    const admin = new NewsClient(app.asAdmin(), 'v1-3');
    const { steps } = await ok<AddressReport>(admin.get('/doctor', { url }));
    expect(steps).toContainEqual({ step: 'document', ok: false, text: message });

    const feed = await news.subscribe(feedUrl);
    publisher.publish(`${path}/a`, wall, { contentType: 'text/html' });
    await admin.update(user.credentials.userId, feed.id);
    expect((await news.feed(feed.id)).lastUpdateError).toEqual(message);
    publisher.publish(`${path}/a`, wall.replace(/<title>.*/, 'An ordinary page'));
    await admin.update(user.credentials.userId, feed.id);
    expect((await news.feed(feed.id)).lastUpdateError).toContain('leads to a web page');
  });

  it('is refused with a reason if there is no feed', async () => {
    publisher.fail(`${path}/forbidden`, 403);
    publisher.publish(`${path}/text`, 'nothing', { contentType: 'text/plain' });
    const refused = async (url: unknown) => {
      const { status, json } = await news.post('/feeds/preview', { url });
      return [status, (json as { message: string }).message];
    };

    expect(await refused('ftp://x.example/')).toEqual([422, expect.stringContaining('http')]);
    expect(await refused(at('forbidden'))).toEqual([422, expect.stringContaining('403')]);
    expect(await refused(at('text'))).toEqual([422, expect.any(String)]);
    expect(await refused(publishPage())).toEqual([422, expect.stringContaining('names no feed')]);
    expect(await refused('http://[::ffff:10.0.0.1]/')).toEqual([
      422,
      expect.stringContaining('not on the public internet'),
    ]);
    expect(await refused(undefined)).toEqual([422, expect.stringContaining('"url"')]);
  });

  it('requires credentials', async () => {
    const answer = await new NewsClient(app.asStranger(), 'v1-3').post('/feeds/preview', {
      url: publish('a', 1),
    });

    expect(answer.status).toBe(401);
    expect(publisher.requests(`${path}/a`)).toEqual([]);
  });
});

describe('the status of a feed', () => {
  const admin = () => new NewsClient(app.asAdmin(), 'v1-3');
  const statusOf = (feed: FeedJson) => ok<Status>(news.get(`/feeds/${feed.id}/status`));

  it('shows its owner its health, the next fetch and the attempts', async () => {
    const feed = await news.subscribe(publish('a', 1));
    publisher.fail(`${path}/a`, 503);
    await admin().update(user.credentials.userId, feed.id);

    const status = await statusOf(feed);

    expect(status).toMatchObject({
      feedId: feed.id,
      health: 'failing',
      fetchedFrom: at('a'),
      nextUpdateTime: (await news.feed(feed.id)).nextUpdateTime,
      nextUpdateReason: expect.any(String),
      updateErrorCount: 1,
      lastUpdateError: expect.stringContaining('503'),
      pushed: false,
    });
    expect(status.attempts).toMatchObject([
      { outcome: 'failed', status: 503, newItems: 0 },
      { outcome: 'read', status: 200, newItems: 1 },
    ]);
  });

  it('shows neither other followers nor secrets of its address', async () => {
    const url = `${publish('a', 1)}?key=secret`;
    const feed = await news.subscribe(url.replace('http://', 'http://ada:hidden@'));

    const { text } = await news.get(`/feeds/${feed.id}/status`);

    expect(text).not.toContain('followers');
    expect(text).not.toMatch(/secret|hidden/);
  });

  it('is for the owner of the feed only', async () => {
    const feed = await news.subscribe(publish('a', 1));
    const other = new NewsClient(await app.signIn(), 'v1-3');
    const guest = new NewsClient(app.asStranger(), 'v1-3');

    expect((await other.get(`/feeds/${feed.id}/status`)).status).toBe(404);
    expect((await guest.get(`/feeds/${feed.id}/status`)).status).toBe(401);
  });
});

describe('the settings of a feed', () => {
  const change = (feed: FeedJson, json: object) =>
    news.call('PATCH', `/feeds/${feed.id}`, { json });

  it('take title, folder and everything else in one request', async () => {
    const folder = await news.createFolder('Science');
    const feed = await news.subscribe(publish('a', 1));

    await ok(
      change(feed, {
        title: ' Mine ',
        folderId: folder.id,
        ordering: 2,
        pinned: true,
        fullTextEnabled: true,
        updateMode: 1,
      }),
    );

    expect(await news.feed(feed.id)).toMatchObject({
      title: 'Mine',
      folderId: folder.id,
      ordering: 2,
      pinned: true,
      fullTextEnabled: true,
      updateMode: 1,
    });
  });

  it('keep their values when they are absent', async () => {
    const folder = await news.createFolder('Science');
    const feed = await news.subscribe(publish('a', 1), folder.id);
    await ok(change(feed, { title: 'Mine' }));

    await ok(change(feed, { pinned: true }));

    expect(await news.feed(feed.id)).toMatchObject({ title: 'Mine', folderId: folder.id });
  });

  it('move to the root with folderId null, and follow the publisher’s title with an empty one', async () => {
    const folder = await news.createFolder('Science');
    const feed = await news.subscribe(publish('a', 1), folder.id);
    await ok(change(feed, { title: 'Mine' }));

    await ok(change(feed, { folderId: null, title: '' }));

    expect(await news.feed(feed.id)).toMatchObject({ title: 'Feed a', folderId: null });
  });

  it('are all refused when one of them is wrong', async () => {
    const feed = await news.subscribe(publish('a', 1));
    const others = await new NewsClient(await app.signIn(), 'v1-3').createFolder('Theirs');

    expect((await change(feed, { pinned: true, folderId: others.id })).status).toBe(404);
    expect((await change(feed, { pinned: true, title: 'x'.repeat(1001) })).status).toBe(422);
    expect((await change(feed, { pinned: true, folderId: 'top' })).status).toBe(422);
    expect(await news.feed(feed.id)).toMatchObject({ pinned: false, folderId: null });
  });
});

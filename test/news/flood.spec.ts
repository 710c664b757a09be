import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { rss, type PublishOptions } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_LIMITS: 'new-articles-per-source-and-day=5',
  GATEFOLD_FETCH_TRANSFER_MIB: '1',
  GATEFOLD_FETCH_DOCUMENT_MIB: '1',
});

it('Of too many new entries in a day, the newest are stored, the others a day later.', async () => {
  const user = await app.signIn();
  const news = new NewsClient(user, 'v1-3');
  const admin = new NewsClient(app.asAdmin(), 'v1-3');
  const publish = (...numbers: number[]) =>
    publisher.publish(
      '/flood.xml',
      rss({
        title: 'Flood',
        link: publisher.url('/'),
        items: numbers.map((n) => ({
          title: `e${n}`,
          guid: `e${n}`,
          pubDate: new Date(Date.UTC(2026, 0, n)).toUTCString(),
        })),
      }),
      { etag: `"${numbers.join()}"` },
    );
  const stored = async () => titles(await news.items({ type: 3, getRead: true })).toSorted();
  const revision = () =>
    app.database.query(
      'select rev from source where id = (select source_id from follower where subscription_id = $1)',
      [feed.id],
    );

  publish(3, 2, 1);
  const feed = await news.subscribe(publisher.url('/flood.xml'));
  const update = () => admin.update(user.credentials.userId, feed.id);
  // The oldest first, as some publishers list them.
  publish(4, 5, 6, 7);
  await update();
  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e6', 'e7']);

  // The same document again, on the same day.
  const before = await revision();
  await update();
  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e6', 'e7']);
  expect(await revision()).toEqual(before);
  const [attempt] = await app.database.query<{ message: string }>(
    'select message from fetch_attempt order by id desc limit 1',
  );
  expect(attempt?.message).toMatch(/^2 new entries were postponed/);

  await app.database.query("update source set day_began_at = day_began_at - interval '1 day'");
  await update();
  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7']);
});

it('Postponed entries are distinguished from stored ones that share their link or have none.', async () => {
  const user = await app.signIn();
  const news = new NewsClient(user, 'v1-3');
  const items = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({
    title: `e${n}`,
    body: `body of e${n}`,
    pubDate: new Date(Date.UTC(2026, 0, n)),
    ...(n % 2 === 0 ? { link: 'https://publisher.example/shared' } : {}),
  }));
  const publish = (...listed: (typeof items)[number][]) =>
    publisher.publish('/shared.xml', rss({ title: 'Shared', items: listed }));
  const stored = async () => titles(await news.items({ type: 3, getRead: true })).toSorted();
  publish(...items.toReversed());
  const feed = await news.subscribe(publisher.url('/shared.xml'));
  const update = () =>
    new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);
  expect(await stored()).toEqual(['e4', 'e5', 'e6', 'e7', 'e8']);
  const before = await news.items();

  // Meanwhile two stored entries and a postponed one are edited.
  publish(...items.map((item) => (/[378]/.test(item.title) ? { ...item, body: 'edited' } : item)));
  await update();
  expect(await stored()).toEqual(['e4', 'e5', 'e6', 'e7', 'e8']);
  await app.database.query("update source set day_began_at = day_began_at - interval '1 day'");
  await update();
  await update();

  expect(await stored()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8']);
  const named = before.map(({ id, guid, title }) => expect.objectContaining({ id, guid, title }));
  expect(await news.items()).toEqual(expect.arrayContaining(named));
});

describe('A document beyond the limits of size', () => {
  const PAGE = 'Lorem ipsum '.repeat(25_000);
  const entry = (n: number) => ({ title: `e${n}`, guid: `e${n}`, body: PAGE });
  const MIB = 1024 * 1024;
  let news: NewsClient;
  let feed: FeedJson;

  const statusOf = () => ok<{ warning: string | null }>(news.get(`/feeds/${feed.id}/status`));
  const begin = async (path: string, document: string, options: PublishOptions = {}) => {
    const user = await app.signIn();
    const admin = new NewsClient(app.asAdmin(), 'v1-3');
    news = new NewsClient(user, 'v1-3');
    publisher.publish(path, document, options);
    feed = await news.subscribe(publisher.url(path));
    return () => admin.update(user.credentials.userId, feed.id);
  };
  const stored = async () => titles(await news.items({ type: 3, getRead: true })).toSorted();

  it('is read up to there, with a warning, and asked for again without validators', async () => {
    const podcast = (newest: number) =>
      rss({ title: 'Podcast', items: [3, 2, 1, 0].map((n) => entry(newest + n)) });
    expect(podcast(1).length).toBeGreaterThan(MIB);
    const update = await begin('/large', podcast(1), { etag: '"1"' });
    const first = await stored();
    const { warning } = await statusOf();
    await update();
    publisher.publish('/large', podcast(2), { etag: '"1"' });
    await update();

    expect(first).toEqual(['e2', 'e3', 'e4']);
    expect(warning).toBe(
      'The document is too large, so only its first 1 MiB were read (GATEFOLD_FETCH_TRANSFER_MIB, ' +
        'GATEFOLD_FETCH_DOCUMENT_MIB); if it lists the oldest items first, new ones are not seen.',
    );
    expect(await stored()).toEqual(['e2', 'e3', 'e4', 'e5']);
    for (const { headers } of publisher.requests('/large')) {
      expect(headers).not.toHaveProperty('if-none-match');
    }
    const [now] = (await news.feedList()).feeds;
    expect(now).toMatchObject({ updateErrorCount: 0, lastUpdateError: null });
  });

  it('is read so as JSON, and compressed', async () => {
    const items = [1, 2, 3, 4].map((n) => ({ id: `j${n}`, title: `j${n}`, content_html: PAGE }));
    await begin('/json', JSON.stringify({ title: 'JSON', items }), {
      contentType: 'application/json',
    });
    expect(await stored()).toEqual(['j1', 'j2', 'j3']);

    // Noise, since the text of an honest feed is not compressed to a hundredth.
    const noisy = [1, 2, 3].map((n) => ({
      ...entry(n),
      body: randomBytes(220_000).toString('hex'),
    }));
    const document = gzipSync(rss({ title: 'Packed', items: noisy }));
    publisher.publish('/packed', document, { headers: { 'Content-Encoding': 'gzip' } });
    feed = await news.subscribe(publisher.url('/packed'));
    expect(document.length).toBeLessThan(MIB);
    expect((await statusOf()).warning).toContain('too large');
    expect(await stored()).toEqual(['e1', 'e2', 'j1', 'j2', 'j3']);
  });

  it('is no feed if no entry ends before them, and not followed', async () => {
    const item = { ...entry(1), body: PAGE.repeat(4) };
    publisher.publish('/one', rss({ title: 'One', items: [item] }));
    news = new NewsClient(await app.signIn(), 'v1-3');

    expect((await news.post('/feeds', { url: publisher.url('/one') })).status).toBe(422);
    expect((await news.feedList()).feeds).toEqual([]);
  });
});

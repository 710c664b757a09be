import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

/** The part of a feed's status that is about partial documents. */
interface StatusJson {
  readonly health: string;
  readonly updateErrorCount: number;
  readonly lastUpdateError: string | null;
  readonly warning: string | null;
}

const { app, publisher } = await sharedService();
let user: TestUser;
let news: NewsClient;
let path: string;
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
});

const ITEMS: readonly RssItem[] = [
  { title: 'new', guid: 'guid:new', link: 'https://p.example/new', body: '<p>The new one</p>' },
  { title: 'old', guid: 'guid:old', link: 'https://p.example/old', body: '<p>The old one</p>' },
];

const document = (items: readonly RssItem[] = ITEMS): string => rss({ title: 'The feed', items });
const cutBehind = (text: string): string =>
  document().slice(0, document().indexOf(text) + text.length);

const statusOf = (feed: FeedJson) => ok<StatusJson>(news.get(`/feeds/${feed.id}/status`));
const update = (feed: FeedJson) =>
  new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);

describe('a truncated document', () => {
  it('adds its complete items only, and the status of the feed reports it', async () => {
    publisher.publish(path, cutBehind('<guid isPermaLink="false">guid:o'));
    const feed = await news.subscribe(publisher.url(path));

    expect(titles(await news.items())).toEqual(['new']);
    expect(await statusOf(feed)).toMatchObject({
      health: 'healthy',
      updateErrorCount: 0,
      lastUpdateError: null,
      warning: expect.stringContaining('ends before it is complete'),
    });
  });

  it('does not replace stored bodies and titles by incomplete ones', async () => {
    publisher.publish(path, document());
    const feed = await news.subscribe(publisher.url(path));
    const before = await news.items();
    publisher.publish(path, cutBehind('&lt;p&gt;The old'));
    await update(feed);

    expect(await news.items()).toEqual(before);
    expect((await statusOf(feed)).warning).not.toBeNull();
    expect((await news.feed(feed.id)).title).toBe('The feed');
  });

  it('still lists items that may have been cut off, also for new subscriptions', async () => {
    publisher.publish(path, document());
    const feed = await news.subscribe(publisher.url(path));
    publisher.publish(path, cutBehind('guid:o'));
    await update(feed);
    const later = new NewsClient(await app.signIn(), 'v1-3');
    await later.subscribe(publisher.url(path));
    const between = await later.items();
    publisher.publish(path, document());
    await update(feed);

    expect(titles(between)).toEqual(['new', 'old']);
    expect(await later.items()).toEqual(between);
    expect(titles(await news.items())).toEqual(['new', 'old']);
  });

  it('counts the oldest of the cut-off items as unlisted if there are too many', async () => {
    const items = Array.from({ length: 2_000 }, (_, i) => ({ title: `${i}`, guid: `${i}` }));
    publisher.publish(path, document(items));
    const feed = await news.subscribe(publisher.url(path));
    const longer = document([{ title: 'newest', guid: 'newest' }, ...items]);
    publisher.publish(path, longer.slice(0, longer.indexOf('<item>', longer.indexOf('newest'))));
    await update(feed);
    const later = new NewsClient(await app.signIn(), 'v1-3');
    await later.subscribe(publisher.url(path));

    const listed = titles(await later.items({ batchSize: -1 }));
    expect(listed).toHaveLength(2_000);
    expect(listed.slice(0, 2)).toEqual(['newest', '0']);
    expect(listed).not.toContain('1999');
    expect(await news.items({ batchSize: -1 })).toHaveLength(2_001);
  });

  it('counts the oldest as unlisted, too, if it adds none, and delivers it late', async () => {
    const items = Array.from({ length: 2_000 }, (_, i) => ({ title: `${i}`, guid: `${i}` }));
    const back = document(items.toReversed());
    publisher.publish(path, document(items));
    const feed = await news.subscribe(publisher.url(path));
    publisher.publish(path, document([{ title: 'newest', guid: 'newest' }, ...items.slice(0, -1)]));
    await update(feed);
    publisher.publish(path, back.slice(0, back.indexOf('<item>', back.indexOf('1999'))));
    await update(feed);
    const later = new NewsClient(await app.signIn(), 'v1-3');
    await later.subscribe(publisher.url(path));
    const between = titles(await later.items({ batchSize: -1 }));
    // Without this revision, a changed text of it would reach feeds that were added later.
    const unlisted = await app.database.query(
      `select article.title
         from article join subscription using (source_id)
        where subscription.id = $1 and article.title = '1998' and unlisted_rev > 0`,
      [feed.id],
    );
    publisher.publish(path, document(items));
    await update(feed);

    expect(unlisted).toEqual([{ title: '1998' }]);
    expect(between).toHaveLength(2_000);
    expect(between).not.toContain('1998');
    expect(titles(await later.items({ batchSize: 1 }))).toEqual(['1998']);
    expect(await news.items({ batchSize: -1 })).toHaveLength(2_001);
  });

  it('keeps the title of the feed if that was cut off', async () => {
    const whole = '<rss><channel><item><guid>1</guid></item><title>Late</title></channel></rss>';
    publisher.publish(path, whole);
    const feed = await news.subscribe(publisher.url(path));
    publisher.publish(path, whole.slice(0, whole.indexOf('ate</title>')));
    await update(feed);

    expect((await news.feed(feed.id)).title).toBe('Late');
  });

  it('is fetched again without its validators', async () => {
    publisher.publish(path, cutBehind('guid:o'), { etag: '"1"' });
    const feed = await news.subscribe(publisher.url(path));
    publisher.publish(path, document(), { etag: '"1"' });
    await update(feed);

    expect(publisher.requests(path).at(-1)?.headers).not.toHaveProperty('if-none-match');
    expect(titles(await news.items())).toEqual(['old', 'new']);
    expect((await statusOf(feed)).warning).toBeNull();
  });

  it('is reported to followers of the feed only', async () => {
    publisher.publish(path, cutBehind('guid:o'));
    const feed = await news.subscribe(publisher.url(path));
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    expect((await stranger.get(`/feeds/${feed.id}/status`)).status).toBe(404);
  });
});

describe('a document with too many items', () => {
  it('adds the newest, regardless of its order, and the status reports both numbers', async () => {
    const items = Array.from({ length: 2_500 }, (_, i) => ({
      title: `${i}`,
      guid: `${i}`,
      pubDate: new Date(i * 60_000),
    }));
    publisher.publish(path, document(items));
    const feed = await news.subscribe(publisher.url(path));
    const stored = titles(await news.items({ batchSize: -1 })).map(Number);

    expect(stored).toHaveLength(2_000);
    expect(Math.min(...stored)).toBe(500);
    expect(Math.max(...stored)).toBe(2_499);
    expect(await statusOf(feed)).toMatchObject({
      lastUpdateError: null,
      warning: '2000 of 2500 items of the document were kept: the newest.',
    });
  });
});

describe('a truncated response', () => {
  let server: Server;
  let cut: ((text: string) => [head: string, body: Buffer | string]) | null;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      const { socket } = response;
      const [head, body] = cut?.(document()) ?? [
        `Content-Length: ${document().length}\r\n`,
        document(),
      ];
      socket?.write(`HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n${head}\r\n`);
      socket?.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const half = (text: string): string => text.slice(0, text.indexOf('guid:old') + 6);
  const zipped = (text: string): Buffer => gzipSync(text, { level: 0 });

  it.each<[string, (text: string) => [string, Buffer | string], number]>([
    ['before its Content-Length', (text) => [`Content-Length: ${text.length}\r\n`, half(text)], 1],
    [
      'inside of its chunks',
      (text) => ['Transfer-Encoding: chunked\r\n', `${text.length.toString(16)}\r\n${half(text)}`],
      1,
    ],
    [
      'between its chunks',
      (text) => [
        'Transfer-Encoding: chunked\r\n',
        `${half(text).length.toString(16)}\r\n${half(text)}\r\n`,
      ],
      1,
    ],
    [
      'inside of its compression',
      (text) => ['Content-Encoding: gzip\r\n', zipped(text).subarray(0, half(text).length + 15)],
      0,
    ],
    ['without having told its length', (text) => ['', half(text)], 0],
  ])('%s: nothing of what is stored changes', async (_where, write, errors) => {
    cut = null;
    const { port } = server.address() as AddressInfo;
    const feed = await news.subscribe(`http://127.0.0.1:${port}${path}`);
    const before = await news.items();
    cut = write;
    await update(feed);

    expect(titles(before)).toEqual(['new', 'old']);
    expect(await news.items()).toEqual(before);
    const status = await statusOf(feed);
    expect(status.updateErrorCount).toBe(errors);
    expect(errors === 0 ? status.warning : status.lastUpdateError).toMatch(
      /before (?:it is|the answer was) complete/,
    );
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { GoogleReaderClient } from '../support/google-reader-client.js';
import { NewsClient, ok } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

/** What a subscription finds at the address of a web page. A preview finds the same. */

const { app } = await sharedService();
let publisher: FeedServer;
let user: TestUser;
let news: NewsClient;

beforeEach(async () => {
  publisher = await startFeedServer();
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
});
afterEach(() => publisher.close());

const FEED = rss({ title: 'The feed', items: [{ title: 'a', guid: 'a' }] });
const publishFeed = (path: string) => publisher.publish(path, FEED);
const publishPage = (path: string, html: string, headers: Record<string, string> = {}) =>
  publisher.publish(path, `<!doctype html><html>${html}</html>`, {
    contentType: 'text/html',
    headers,
  });
const refreshTo = (address: string) =>
  `<meta http-equiv="refresh" content="0; url=${publisher.url(address)}">`;

async function find(address: string): Promise<string> {
  const previewed = await ok<{ url: string }>(news.post('/feeds/preview', { url: address }));
  const feed = await news.subscribe(address);
  expect(feed.url).toBe(previewed.url);
  return feed.url;
}

async function refusal(url: string): Promise<string> {
  const answers = [await news.post('/feeds/preview', { url }), await news.post('/feeds', { url })];
  const [first, second] = answers.map(({ status, json }) => [
    status,
    (json as { message: string }).message,
  ]);
  expect(first).toEqual(second);
  expect(first?.[0]).toBe(422);
  return String(first?.[1]);
}

describe('the feed of a web page', () => {
  it('is one that it links to', async () => {
    publishPage('/', '<a href="/about">About</a> <a href="/news/rss.xml">RSS</a>');
    publishFeed('/news/rss.xml');

    expect(await find(publisher.url('/'))).toBe(publisher.url('/news/rss.xml'));
    expect(publisher.requests('/about')).toEqual([]);
  });

  it('is the one of its link element, if it has any', async () => {
    publishPage(
      '/',
      '<a href="/comments.rss">RSS</a><link rel="alternate" type="application/rss+xml" href="/named">',
    );
    publishFeed('/named');
    publishFeed('/comments.rss');

    expect(await find(publisher.url('/'))).toBe(publisher.url('/named'));
    publisher.remove('/named');
    await refusal(publisher.url('/?again'));
    expect(publisher.requests('/comments.rss')).toEqual([]);
    expect(publisher.requests('/feed')).toEqual([]);
  });

  it('is the one of its Link header', async () => {
    publishPage('/', '', {
      Link: '</style.css>; rel=preload, </main>; rel="alternate"; type="application/rss+xml"',
    });
    publishFeed('/main');

    expect(await find(publisher.url('/'))).toBe(publisher.url('/main'));
  });

  it.each(['/feed', '/rss.xml', '/atom.xml', '/index.xml', '/feed.xml', '/rss', '/feed/'])(
    'is in a usual place, like %s',
    async (place) => {
      publishPage('/', 'Hello');
      publishFeed(place);

      expect(await find(publisher.url('/'))).toBe(publisher.url(place));
    },
  );

  it('is in the directory of the page rather than at the root', async () => {
    publishPage('/~ada/home.html', 'Hello');
    publishFeed('/~ada/rss.xml');
    publishFeed('/rss.xml');

    expect(await find(publisher.url('/~ada/home.html'))).toBe(publisher.url('/~ada/rss.xml'));
  });

  it('is where the page sends browsers', async () => {
    publishPage('/', refreshTo('/blog/'));
    publishPage('/blog/', refreshTo('/blog/feed.php'));
    publishFeed('/blog/feed.php');

    expect(await find(publisher.url('/'))).toBe(publisher.url('/blog/feed.php'));
  });

  it('is not looked for at addresses that are not allowed', async () => {
    publishPage('/', '<meta http-equiv="refresh" content="0; url=http://10.0.0.1/">');

    expect(await refusal(publisher.url('/'))).toContain('names no feed');
  });
});

describe('the search', () => {
  it('ends after three redirects of pages and fourteen usual places', async () => {
    for (let n = 0; n < 6; n += 1) {
      publishPage(`/blog/${n}`, refreshTo(`/blog/${n + 1}`));
    }
    const url = publisher.url('/blog/0');

    expect((await news.post('/feeds', { url })).status).toBe(422);

    const asked = ['feed', 'rss.xml', 'atom.xml', 'index.xml', 'feed.xml', 'rss', 'feed/']
      .flatMap((place) => [`/blog/${place}`, `/${place}`])
      .map((path) => publisher.requests(path).length);
    expect(asked).toEqual(Array(14).fill(1));
    expect(publisher.requests('/blog/3')).toHaveLength(1);
    expect(publisher.requests('/blog/4')).toEqual([]);
  });

  it('ends when the server asks for a pause', async () => {
    publishPage('/', 'Hello');
    publisher.fail('/feed', 429);
    publishFeed('/rss.xml');

    expect(await refusal(publisher.url('/'))).toContain('names no feed');
    expect(publisher.requests('/rss.xml')).toEqual([]);
  });

  it('is not made for strangers', async () => {
    publishPage('/', 'Hello');
    const stranger = new NewsClient(app.asStranger(), 'v1-3');

    expect((await stranger.post('/feeds', { url: publisher.url('/') })).status).toBe(401);
    expect(publisher.requests('/')).toEqual([]);
  });
});

describe('an address', () => {
  const written = (): [string, string][] => {
    const host = `127.0.0.1:${publisher.port}`;
    return [
      [`${host}/a.xml`, '/a.xml'],
      [`feed://${host}/b.xml`, '/b.xml'],
      [`feed:http://${host}/c.xml`, '/c.xml'],
    ];
  };

  it('is taken without a scheme, and with that of feeds, by the News API', async () => {
    for (const [given, path] of written()) {
      publishFeed(path);
      expect(await find(given)).toBe(publisher.url(path));
    }
  });

  it('is taken so by the Google Reader API', async () => {
    const reader = await GoogleReaderClient.of(user);
    for (const [given, path] of written()) {
      publishFeed(path);
      const { json } = await reader.post('subscription/quickadd', [['quickadd', given]]);
      expect(json).toMatchObject({ numResults: 1 });
    }
    const { feeds } = await news.feedList();
    expect(feeds.map(({ url }) => url)).toEqual(written().map(([, path]) => publisher.url(path)));
  });

  it('is taken so from OPML, with https where there is no scheme', async () => {
    const body =
      '<opml version="2.0"><body><outline xmlUrl="feed:http://a.example/f"/>' +
      '<outline xmlUrl="feed://b.example/f"/><outline xmlUrl="c.example/f"/></body></opml>';
    await ok(
      news.call('POST', '/opml/import', { body, headers: { 'content-type': 'text/x-opml' } }),
    );

    const { feeds } = await news.feedList();
    expect(feeds.map(({ url }) => url).toSorted()).toEqual([
      'http://a.example/f',
      'http://b.example/f',
      'https://c.example/f',
    ]);
  });

  it('without a server at either scheme is refused with the reason', async () => {
    const { port } = publisher;
    await publisher.close();

    expect(await refusal(`127.0.0.1:${port}`)).toContain('refused the connection');
    publisher = await startFeedServer();
  });
});

import { HttpService } from '@nestjs/axios';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFeedServer, type FeedServer } from '../../../test/support/feed-server.js';
import { loadConfig } from '../../common/config/config.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';
import { SilentServers } from '../../common/http/silent-servers.js';
import { IconFinder } from './find-icon.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const GIF = Buffer.from('GIF89a and so on');
const ICO = Buffer.from('00000100010010100000010020006804', 'hex');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

describe('the icon of a feed', () => {
  const outgoing = new OutgoingHttp(
    new HttpService(),
    loadConfig({ GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' }),
    new SilentServers(),
  );
  const finder = new IconFinder(outgoing);
  let server: FeedServer;

  beforeEach(async () => {
    server = await startFeedServer();
  });

  afterEach(async () => {
    outgoing.onApplicationShutdown();
    await server.close();
  });

  const publishPage = (head: string): void =>
    server.publish('/', `<!doctype html><head>${head}</head>`, { contentType: 'text/html' });
  const publishImage = (path: string, bytes: Buffer, contentType = 'image/png'): void =>
    server.publish(path, bytes, { contentType });
  const find = (query: { iconUrl?: string; siteUrl?: string; feedUrl?: string } = {}) =>
    finder.find({
      iconUrl: query.iconUrl ?? null,
      siteUrl: query.siteUrl ?? null,
      feedUrl: query.feedUrl ?? server.url('/blog/feed.xml'),
    });

  it('is the one in the feed, without further requests', async () => {
    publishImage('/logo.png', PNG);

    const icon = await find({ iconUrl: server.url('/logo.png') });

    expect(icon).toEqual({ bytes: PNG, mime: 'image/png', url: server.url('/logo.png') });
    expect(server.requests('/')).toEqual([]);
  });

  it('comes from the website if that one cannot be downloaded', async () => {
    publishPage('<link rel="shortcut icon" href="/site.gif">');
    publishImage('/site.gif', GIF);

    const icon = await find({ iconUrl: server.url('/lost.png'), siteUrl: server.url('/') });

    expect(icon).toMatchObject({ mime: 'image/gif', url: server.url('/site.gif') });
  });

  it('falls back to /favicon.ico of the website', async () => {
    publishPage('<title>No icon</title>');
    publishImage('/favicon.ico', ICO);

    expect(await find({ siteUrl: server.url('/') })).toMatchObject({ mime: 'image/x-icon' });
  });

  it('falls back to /favicon.ico even if the website cannot be read', async () => {
    server.fail('/', 500);
    publishImage('/favicon.ico', ICO);

    expect(await find({ siteUrl: server.url('/') })).toMatchObject({ mime: 'image/x-icon' });
  });

  it("comes from the feed's server if there is no website, without sending its password", async () => {
    publishPage('');
    publishImage('/favicon.ico', ICO);

    const icon = await find({ feedUrl: server.url('/feed').replace('://', '://ada:secret@') });

    expect(icon?.url).toBe(server.url('/favicon.ico'));
    expect(server.requests('/')[0]?.headers.authorization).toBeUndefined();
    expect(server.requests('/favicon.ico')[0]?.headers.authorization).toBeUndefined();
  });

  it('follows redirects of the website', async () => {
    const elsewhere = await startFeedServer();
    server.redirect('/', elsewhere.url('/home/'));
    elsewhere.publish('/home/', '<link rel=icon href=icon.png>', { contentType: 'text/html' });
    elsewhere.publish('/home/icon.png', PNG);

    const icon = await find({ siteUrl: server.url('/') });

    expect(icon?.url).toBe(elsewhere.url('/home/icon.png'));
    await elsewhere.close();
  });

  it('is the smallest that is large enough, then a larger, then a smaller one', async () => {
    publishPage(`
      <link rel="apple-touch-icon" href="/phone">
      <link rel="icon" href="/unsized">
      <link rel="icon" href="/small" sizes="16x16">
      <link rel="icon" href="/huge" sizes="512x512">
      <link rel="icon" href="/good" sizes="48x48 64x64">`);
    const order = [];
    for (const path of ['/good', '/huge', '/small', '/unsized', '/phone']) {
      publishImage(path, PNG);
    }

    for (let left = 3; left > 0; left -= 1) {
      const icon = await find({ siteUrl: server.url('/') });
      const path = new URL(icon?.url ?? 'none:').pathname;
      order.push(path);
      server.remove(path);
    }

    expect(order).toEqual(['/good', '/huge', '/small']);
  });

  it('is an apple-touch-icon if no other works', async () => {
    publishPage('<link rel="apple-touch-icon" href="/phone"><link rel="icon" href="/lost">');
    publishImage('/phone', PNG);

    expect((await find({ siteUrl: server.url('/') }))?.url).toBe(server.url('/phone'));
  });

  it('is never SVG, which is not requested', async () => {
    publishPage(`<link rel=icon href="/a.svg"><link rel=icon type="image/svg+xml" href="/b">`);
    publishImage('/favicon.ico', ICO);

    const icon = await find({ siteUrl: server.url('/') });

    expect(icon?.url).toBe(server.url('/favicon.ico'));
    expect([...server.requests('/a.svg'), ...server.requests('/b')]).toEqual([]);
  });

  it.each([
    ['SVG that calls itself PNG', SVG],
    ['a web page', Buffer.from('<!doctype html><p>Not found')],
    ['nothing', Buffer.alloc(0)],
    ['more than a MiB', Buffer.concat([PNG, Buffer.alloc(1024 * 1024)])],
  ])('is not %s', async (_what, bytes) => {
    publishImage('/favicon.ico', bytes);

    expect(await find()).toBeNull();
  });

  it('gets its type from the bytes, not from the Content-Type', async () => {
    publishImage('/favicon.ico', PNG, 'text/html');

    expect((await find())?.mime).toBe('image/png');
  });

  it('is not the body of an error response', async () => {
    server.publish('/favicon.ico', PNG, { status: 404 });

    expect(await find()).toBeNull();
  });

  it('takes at most five requests, each address once', async () => {
    publishPage(
      ['/a', '/a', '/logo', '/b', '/c', '/d']
        .map((path) => `<link rel=icon href=${path}>`)
        .join(''),
    );

    const icon = await find({ iconUrl: server.url('/logo'), siteUrl: server.url('/') });

    const asked = ['/logo', '/a', '/b', '/c', '/d', '/favicon.ico'].map(
      (path) => server.requests(path).length,
    );
    expect(icon).toBeNull();
    expect(asked).toEqual([1, 1, 1, 0, 0, 1]);
  });

  it('is not fetched from private addresses', async () => {
    publishPage('<link rel=icon href="http://127.0.0.2:9/icon.png">');

    expect(await find({ iconUrl: 'http://10.0.0.1/x', siteUrl: server.url('/') })).toBeNull();
  });

  it('is not searched further after a shutdown begins', async () => {
    const release = server.hang('/slow');
    const stop = new AbortController();
    const reason = new Error('stopping');

    const search = finder.find({
      iconUrl: server.url('/slow'),
      siteUrl: null,
      feedUrl: server.url('/feed'),
      signal: stop.signal,
    });
    await server.whenAsked('/slow');
    stop.abort(reason);

    await expect(search).rejects.toBe(reason);
    release();
  });
});

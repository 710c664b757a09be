import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import { startFeedServer, type FeedServer } from '../../../../test/support/feed-server.js';
import { Clock } from '../../../common/clock.js';
import { readConfig } from '../../../common/config/config.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { SilentServers } from '../../../common/http/silent-servers.js';
import type { ScheduleRepository } from '../schedule/schedule.repository.js';
import { HostRests, IconFinder } from './find-icon.service.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const GIF = Buffer.from('GIF89a and so on');
const ICO = Buffer.from('00000100010010100000010020006804', 'hex');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

describe('the icon of a feed', () => {
  const outgoing = new OutgoingHttp(
    new HttpService(),
    readConfig({ GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' }, []),
    new SilentServers(),
  );
  const asked: string[] = [];
  const slots = {
    async takeSlot(hostKey: string) {
      asked.push(hostKey);
      return { hostKey, spaced: true, waitMs: 0 };
    },
    noteAnswer: async (_slot: object, { status }: { status: number | null }) => status === 429,
  };
  const finder = new IconFinder(outgoing, slots as unknown as ScheduleRepository, new Clock());
  const { signal } = new AbortController();
  let server: FeedServer;

  beforeEach(async () => {
    asked.length = 0;
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
  const find = (page = '/') => finder.ofSite(server.url(page), signal);

  it('is the one in the feed, without further requests', async () => {
    publishImage('/logo.png', PNG);

    const icon = await finder.at(server.url('/logo.png'), signal);

    expect(icon).toEqual({
      bytes: PNG,
      mime: 'image/png',
      url: server.url('/logo.png'),
      lifeSeconds: null,
    });
    expect(server.requests('/')).toEqual([]);
    expect(asked).toEqual(['127.0.0.1']);
  });

  it('lives as long as the server says', async () => {
    const ageOf = async (headers: Readonly<Record<string, string>>) => {
      server.publish('/logo.png', PNG, { headers });
      return (await finder.at(server.url('/logo.png'), signal))?.lifeSeconds;
    };

    expect(await ageOf({ 'Cache-Control': 'max-age=86400' })).toBe(86_400);
    const expires = new Date(Date.now() + 3_600_000).toUTCString();
    expect(await ageOf({ Expires: expires })).toBeGreaterThan(3500);
  });

  it('takes a slot of its host for each request, and none is made while the host rests', async () => {
    publishPage('<link rel="icon" href="http://127.0.0.2:9/icon.png">');
    await find();
    expect(asked).toEqual(['127.0.0.1', '127.0.0.2', '127.0.0.1']);

    server.fail('/', 429);
    await expect(find()).rejects.toBeInstanceOf(HostRests);
    expect(server.requests('/favicon.ico')).toHaveLength(1);
  });

  it('is not looked for at a second address if the server cannot be reached', async () => {
    server.drop('/');
    publishImage('/favicon.ico', ICO);

    expect(await find()).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it('is one that the website names', async () => {
    publishPage('<link rel="shortcut icon" href="/site.gif">');
    publishImage('/site.gif', GIF);

    expect(await find()).toMatchObject({ mime: 'image/gif', url: server.url('/site.gif') });
  });

  it('falls back to /favicon.ico of the website', async () => {
    publishPage('<title>No icon</title>');
    publishImage('/favicon.ico', ICO);

    expect(await find()).toMatchObject({ mime: 'image/x-icon' });
  });

  it('falls back to /favicon.ico even if the website cannot be read', async () => {
    server.fail('/', 500);
    publishImage('/favicon.ico', ICO);

    expect(await find()).toMatchObject({ mime: 'image/x-icon' });
  });

  it('follows redirects of the website', async () => {
    const elsewhere = await startFeedServer();
    server.redirect('/', elsewhere.url('/home/'));
    elsewhere.publish('/home/', '<link rel=icon href=icon.png>', { contentType: 'text/html' });
    elsewhere.publish('/home/icon.png', PNG);

    const icon = await find();

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
      const icon = await find();
      const path = new URL(icon?.url ?? 'none:').pathname;
      order.push(path);
      server.remove(path);
    }

    expect(order).toEqual(['/good', '/huge', '/small']);
  });

  it('is an apple-touch-icon if no other works', async () => {
    publishPage('<link rel="apple-touch-icon" href="/phone"><link rel="icon" href="/lost">');
    publishImage('/phone', PNG);

    expect((await find())?.url).toBe(server.url('/phone'));
  });

  it('is never SVG, which is not requested', async () => {
    publishPage(`<link rel=icon href="/a.svg"><link rel=icon type="image/svg+xml" href="/b">`);
    publishImage('/favicon.ico', ICO);

    const icon = await find();

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

    const icon = await find();

    const counts = ['/', '/logo', '/a', '/b', '/c', '/d', '/favicon.ico'].map(
      (path) => server.requests(path).length,
    );
    expect(icon).toBeNull();
    expect(counts).toEqual([1, 1, 1, 1, 0, 0, 1]);
  });

  it('is not fetched from private addresses', async () => {
    publishPage('<link rel=icon href="http://127.0.0.2:9/icon.png">');

    expect(await finder.at('http://10.0.0.1/x', signal)).toBeNull();
    expect(await find()).toBeNull();
  });

  it('is not searched further after a shutdown begins', async () => {
    const release = server.hang('/slow');
    const stop = new AbortController();
    const reason = new Error('stopping');

    const search = finder.at(server.url('/slow'), stop.signal);
    await server.whenAsked('/slow');
    stop.abort(reason);

    await expect(search).rejects.toBe(reason);
    release();
  });
});

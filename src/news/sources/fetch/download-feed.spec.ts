import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import { createHash } from 'node:crypto';
import { rss, startFeedServer, type FeedServer } from '../../../../test/support/feed-server.js';
import { readConfig } from '../../../common/config/config.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { SilentServers } from '../../../common/http/silent-servers.js';
import {
  downloadFeed,
  type DownloadedDocument,
  type FailedDownload,
  type FeedDownload,
  type FeedRequest,
} from './download-feed.js';

const NOW = Date.parse('2026-05-04T12:00:00Z') / 1000;
const DOCUMENT = rss({ title: 'Science', items: [{ title: 'A discovery', guid: 'a' }] });

describe('Downloading a feed', () => {
  const outgoing = new OutgoingHttp(
    new HttpService(),
    readConfig({ GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' }, []),
    new SilentServers(),
  );
  let server: FeedServer;
  let elsewhere: FeedServer;

  beforeAll(async () => {
    server = await startFeedServer();
    elsewhere = await startFeedServer();
  });

  afterAll(async () => {
    outgoing.onApplicationShutdown();
    await server.close();
    await elsewhere.close();
  });

  const download = (path: string, rest: Partial<FeedRequest> = {}): Promise<FeedDownload> =>
    downloadFeed(outgoing, { url: server.url(path), nowSeconds: NOW, ...rest });
  const document = async (path: string, rest?: Partial<FeedRequest>) =>
    expectDocument(await download(path, rest));
  const failure = async (path: string, rest?: Partial<FeedRequest>) =>
    expectFailure(await download(path, rest));

  describe('that exists', () => {
    it('returns the document and its validators', async () => {
      server.publish('/feed', DOCUMENT, {
        etag: 'W/"v1"',
        lastModified: 'Sat, 02 May 2026 10:00:00 GMT',
        headers: { 'Cache-Control': 'max-age=600', 'Content-Location': '/elsewhere/' },
      });

      const feed = await document('/feed');

      expect(Buffer.from(feed.bytes).toString()).toBe(DOCUMENT);
      expect(feed).toMatchObject({
        contentType: 'application/rss+xml; charset=utf-8',
        url: server.url('/feed'),
        base: server.url('/elsewhere/'),
        etag: 'W/"v1"',
        lastModified: 'Sat, 02 May 2026 10:00:00 GMT',
        permanentRedirectTo: null,
        allowListed: true,
      });
      expect(feed.caching.maxAgeSeconds).toBe(600);
      expect(feed.bodyHash).toEqual(createHash('sha256').update(DOCUMENT).digest());
    });

    it('prefers feed types in Accept, and is not conditional', async () => {
      server.publish('/fresh', DOCUMENT);

      await download('/fresh', { etag: null, lastModified: null });

      const [seen] = server.requests('/fresh');
      expect(seen?.headers.accept).toMatch(/^application\/atom\+xml, application\/rss\+xml/);
      expect(seen?.headers).not.toHaveProperty('if-none-match');
      expect(seen?.headers).not.toHaveProperty('if-modified-since');
    });

    it('reports missing validators as absent', async () => {
      server.publish('/half', DOCUMENT, { etag: '"v2"', contentType: null });

      const feed = await document('/half', { lastModified: 'Sat, 02 May 2026 10:00:00 GMT' });

      expect(feed).toMatchObject({ etag: '"v2"', lastModified: null, contentType: null });
    });
  });

  describe('that is unchanged', () => {
    it('sends both validators unchanged, and reports the 304', async () => {
      const etag = 'W/"odd, but ours"';
      const lastModified = 'Sat, 2 May 2026 10:00:00 +0000';
      server.publish('/same', DOCUMENT, { etag, lastModified });

      const answer = await download('/same', { etag, lastModified });

      expect(answer.outcome).toBe('not-modified');
      expect(server.requests('/same')[0]?.headers).toMatchObject({
        'if-none-match': etag,
        'if-modified-since': lastModified,
      });
    });

    it('works with one validator', async () => {
      server.publish('/dated', DOCUMENT, { lastModified: new Date('2026-05-02T10:00:00Z') });

      const answer = await download('/dated', { lastModified: 'Sat, 02 May 2026 10:00:00 GMT' });

      expect(answer).toMatchObject({ outcome: 'not-modified', url: server.url('/dated') });
    });

    it('treats an unrequested 304 as a server error', async () => {
      server.fail('/liar', 304);

      expect(await failure('/liar')).toMatchObject({ kind: 'http', status: 304 });
    });

    it('is detected by the hash if the server does not send 304', async () => {
      server.publish('/plain', DOCUMENT);

      const first = await document('/plain');
      const second = await document('/plain', { etag: '"unknown"' });

      expect(second.bodyHash).toEqual(first.bodyHash);
    });
  });

  describe('that moved', () => {
    it('permanently reports the new address', async () => {
      server.redirect('/old', '/newer', 301);
      server.redirect('/newer', elsewhere.url('/newest'), 308);
      elsewhere.publish('/newest', DOCUMENT);

      const feed = await document('/old');

      expect(feed.url).toBe(elsewhere.url('/newest'));
      expect(feed.permanentRedirectTo).toBe(elsewhere.url('/newest'));
    });

    it('temporarily keeps its address', async () => {
      server.redirect('/detour', '/aside', 302);
      server.redirect('/aside', '/final', 301);
      server.publish('/final', DOCUMENT);

      const feed = await document('/detour');

      expect(feed.url).toBe(server.url('/final'));
      expect(feed.permanentRedirectTo).toBeNull();
    });

    it('permanently and then temporarily reports the permanent address', async () => {
      server.redirect('/retired', '/hub', 301);
      server.redirect('/hub', '/mirror', 302);
      server.publish('/mirror', DOCUMENT);

      expect((await document('/retired')).permanentRedirectTo).toBe(server.url('/hub'));
    });

    it('reports the new address even if unchanged', async () => {
      server.redirect('/was', '/is', 301);
      server.publish('/is', DOCUMENT, { etag: '"v1"' });

      expect(await download('/was', { etag: '"v1"' })).toMatchObject({
        outcome: 'not-modified',
        permanentRedirectTo: server.url('/is'),
      });
    });

    it('sends its password to the same server only', async () => {
      server.redirect('/inside', '/room', 301);
      server.publish('/room', DOCUMENT);
      server.redirect('/outside', elsewhere.url('/street'), 301);
      elsewhere.publish('/street', DOCUMENT);
      const withPassword = (path: string) => server.url(path).replace('://', '://ada:secret@');

      const inside = await document('', { url: withPassword('/inside') });
      const outside = await document('', { url: withPassword('/outside') });

      expect(inside.permanentRedirectTo).toBe(withPassword('/room'));
      expect(inside.url).toBe(server.url('/room'));
      expect(outside.permanentRedirectTo).toBe(elsewhere.url('/street'));
    });
  });

  describe('that fails', () => {
    it.each([
      [401, 'http', 'requires a user name and password'],
      [403, 'http', 'refuses access'],
      [404, 'http', 'has nothing at this address'],
      [410, 'gone', 'permanently gone'],
      [429, 'rate-limited', 'asks for fewer requests'],
      [418, 'http', 'did not send the feed'],
      [500, 'http', 'has an internal problem'],
      [202, 'http', 'did not send the feed'],
      [206, 'http', 'did not send the feed'],
    ])('with status %i is a failure of the kind %s', async (status, kind, words) => {
      server.publish('/failing', DOCUMENT, { status });

      const failed = await failure('/failing');

      expect(failed).toMatchObject({ kind, status, retryAfterSeconds: null, allowListed: true });
      expect(failed.message).toContain(words);
      expect(failed.message).toContain(`The server at 127.0.0.1:${server.port} `);
    });

    it.each([
      [429, '120', 120],
      [503, 'Mon, 04 May 2026 13:00:00 GMT', 3600],
      [503, '31536000', 7 * 86_400],
    ])('with status %i and Retry-After: %s reports the pause', async (status, value, seconds) => {
      server.fail('/busy', status, { 'Retry-After': value });

      expect((await failure('/busy')).retryAfterSeconds).toBe(seconds);
    });

    it('by a timeout reports that', async () => {
      const release = server.hang('/slow');

      const failed = await failure('/slow', { timeoutSeconds: 0.1 });

      release();
      expect(failed).toMatchObject({ kind: 'timeout', status: null, allowListed: false });
    });

    it('is none because it is too large: the beginning is read', async () => {
      server.publish('/large', DOCUMENT);
      const beginning = { isCut: true, bytes: Buffer.from(DOCUMENT.slice(0, 10)) };

      expect(await document('/large', { maxWireBytes: 10 })).toMatchObject(beginning);
      expect(await document('/large', { maxDecodedBytes: 10 })).toMatchObject(beginning);
      expect(await document('/large')).toMatchObject({ isCut: false });
    });

    const WALL = /answered with a test for browsers .* ask the publisher to let feed readers/;
    const page = (head: string) => `<!DOCTYPE html><html><head>${head}</head><body>x</body></html>`;
    it.each([
      [403, '', { 'cf-mitigated': 'challenge' }],
      [202, '', { 'x-amzn-waf-action': 'challenge' }],
      [429, '', { 'x-vercel-mitigated': 'challenge' }],
      [503, '<title>Just a moment...</title>', {}],
      [403, '<title>Nur einen Moment…</title><script>window._cf_chl_opt={cType:"m"}</script>', {}],
      [403, '<title>Making sure you&#39;re not a bot!</title>', {}],
      [500, '<script id="anubis_challenge" type="application/json">{}</script>', {}],
      [403, '<title>DDoS-Guard</title>', {}],
      [403, '<title>Sucuri WebSite Firewall - Access Denied</title>', {}],
      [403, '<iframe src="/_Incapsula_Resource?SWUDNSAI=31&amp;xinfo=1"></iframe>', {}],
      [405, '<script>window.gokuProps = {"key":"x"};</script>', {}],
      [403, '<script src="https://ct.captcha-delivery.com/c.js"></script>', {}],
      [403, '<p>https://errors.edgesuite.net/18.2d</p>', {}],
    ])('by a bot wall is named so: %i %s', async (status, head, headers) => {
      server.publish('/wall', page(head), { status, contentType: 'text/html', headers });

      expect((await failure('/wall')).message).toMatch(WALL);
    });

    it.each([
      [403, 'Forbidden', { server: 'cloudflare', 'cf-ray': '1' }],
      [403, '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>', {}],
      [403, '<script src="/_Incapsula_Resource?SWJIYLWA=5074"></script>', {}],
      [404, 'Just a moment...', { 'x-amzn-waf-action': 'count' }],
      [503, '<title>Just a moment</title>', {}],
    ])('in an ordinary way is no bot wall: %i %s', async (status, head, headers) => {
      server.publish('/plain', page(head), { status, contentType: 'text/html', headers });

      expect((await failure('/plain')).message).toContain(`(status ${status})`);
    });

    it.each([
      ['not-allowed', 'http://127.0.0.2:9/'],
      ['unreadable', 'ftp://example.org/'],
      ['host-not-found', 'http://no-such-host.invalid/'],
    ])('is a failure of the kind %s at %s', async (kind, url) => {
      expect((await failure('', { url })).kind).toBe(kind);
    });

    it('because the connection broke is a network failure', async () => {
      server.drop('/dropped');

      expect((await failure('/dropped')).kind).toBe('network');
    });

    it('because of too many redirects or a damaged document reports that', async () => {
      server.redirect('/loop', '/loop');
      server.publish('/mangled', `\0${DOCUMENT}`, { headers: { 'Content-Encoding': 'gzip' } });

      expect((await failure('/loop')).kind).toBe('too-many-redirects');
      expect((await failure('/mangled')).kind).toBe('unreadable');
    });

    it('reports no secrets of the address', async () => {
      server.fail('/secret-path', 403);
      const url = server.url('/secret-path?key=token').replace('://', '://ada:pass-word@');

      const failed = await failure('', { url });

      expect(JSON.stringify(failed)).not.toMatch(/ada|pass-word|token|secret-path/);
    });
  });

  it('is aborted by a shutdown, which is not a failure', async () => {
    const release = server.hang('/stopping');
    const stop = new AbortController();
    const reason = new Error('stopping');

    const pending = download('/stopping', { signal: stop.signal });
    await server.whenAsked('/stopping');
    stop.abort(reason);

    await expect(pending).rejects.toBe(reason);
    release();
  });
});

function expectDocument(download: FeedDownload): DownloadedDocument {
  if (download.outcome === 'document') {
    return download;
  }
  throw new Error(`no document, but ${JSON.stringify(download)}`);
}

function expectFailure(download: FeedDownload): FailedDownload {
  if (download.outcome === 'failed') {
    return download;
  }
  throw new Error(`no failure, but ${download.outcome}`);
}

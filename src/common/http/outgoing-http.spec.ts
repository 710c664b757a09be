import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { createServer as createHttpsServer } from 'node:https';
import net, { Socket, type AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { startFeedServer, type FeedServer } from '../../../test/support/feed-server.js';
import { SELF_SIGNED } from '../../../test/support/self-signed.js';
import { until } from '../../../test/support/until.js';
import { readConfig } from '../config/config.js';
import { ConfigModule } from '../config/config.module.js';
import { EdgeRules } from '../config/edge-rules.js';
import {
  AddressNotAllowed,
  ConnectionFailed,
  HostNotFound,
  OutgoingHttpError,
  RequestTimedOut,
  ResponseTooLarge,
  ResponseUnreadable,
  TooManyRedirects,
  UnsupportedAddress,
} from './outgoing-errors.js';
import { OutgoingHttp, type OutgoingRequest } from './outgoing-http.js';
import { OutgoingHttpModule } from './outgoing-http.module.js';
import { SilentServers } from './silent-servers.js';

const MIB = 1024 * 1024;

describe('Outgoing HTTP', () => {
  const outgoing = allowing('127.0.0.1/32');
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

  const get = (path: string, rest: Partial<OutgoingRequest> = {}) =>
    outgoing.request({ url: server.url(path), ...rest });
  const failure = async (request: Promise<unknown>): Promise<OutgoingHttpError> => {
    const error = await request.then(
      () => new Error('the request succeeded'),
      (reason: unknown) => reason,
    );
    if (error instanceof OutgoingHttpError) {
      return error;
    }
    throw error;
  };

  describe('an answer', () => {
    it('brings status, headers and body of the server', async () => {
      server.publish('/hello', 'Grüße', { status: 404, headers: { 'X-Colour': 'green' } });

      const answer = await get('/hello');

      expect(answer.status).toBe(404);
      expect(answer.headers['x-colour']).toBe('green');
      expect(Buffer.from(answer.body).toString()).toBe('Grüße');
      expect(answer.url).toBe(server.url('/hello'));
      expect(answer.redirects).toEqual([]);
      expect(answer.durationMs).toBeGreaterThanOrEqual(0);
    });

    it('tells that the server is only reachable because it is listed', async () => {
      server.publish('/listed', 'x');

      expect((await get('/listed')).allowListed).toBe(true);
    });

    it.each([
      ['lines that end in LF', `HTTP/1.1 200 OK\nContent-Length: 5\nX-A: b\n\n<rss>`],
      [
        'pieces whose lines end in LF',
        'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n6\n</rss>\n0\n\n',
      ],
      [
        'a control character',
        `HTTP/1.1 200 OK\r\nX-A: \x1b[31mb\x00c\r\nContent-Length: 5\r\n\r\n<rss>`,
      ],
      [
        'a folded header',
        `HTTP/1.1 200 OK\r\nX-A: a\r\n  b\r\n\tc\r\nContent-Length:\r\n 5\r\n\r\n<rss>`,
      ],
      [
        'two lengths',
        `HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n0\r\n\r\n`,
      ],
      [
        'more than its length',
        `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n<rss>\r\nmore`,
      ],
      ['another version', `HTTP/1.2 200 OK\r\nContent-Length: 5\r\n\r\n<rss>`],
    ])('of a publisher is read as browsers do, with %s', async (_what, answer) => {
      const odd = await startRaw((socket) => {
        socket.once('data', () => socket.end(Buffer.from(answer, 'latin1')));
      });

      const { status, body, headers } = await outgoing.request({ url: odd.url, isLenient: true });

      expect(status).toBe(200);
      expect(Buffer.from(body).toString()).toMatch(/^<.?rss>$/);
      // oxlint-disable-next-line no-control-regex
      expect(JSON.stringify(headers)).not.toMatch(/\\[ubfnrt]|[\0-\x1f]/);
      await odd.close();
    });

    it('of a configured server is HTTP to the letter', async () => {
      const odd = await startRaw((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\nContent-Length: 2\n\nok'));
      });
      const request = { url: odd.url, addressPolicy: 'operator-configured' } as const;

      expect(await failure(outgoing.request(request))).toBeInstanceOf(ResponseUnreadable);
      await odd.close();
    });

    it('of two lengths is the last one of its connection', async () => {
      const twofold = await startRaw((socket) => {
        socket.on('data', () => {
          socket.write(
            'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n' +
              'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfake',
          );
        });
      });
      const read = async () => Buffer.from((await outgoing.request({ url: twofold.url })).body);

      expect([await read(), await read()].map(String)).toEqual(['ok', 'ok']);
      expect(twofold.connections()).toBe(2);
      await twofold.close();
    });

    it('to HEAD has no body, whatever its headers announce', async () => {
      server.publish('/head', zlib.gzipSync('x'.repeat(1000)), {
        headers: { 'Content-Encoding': 'gzip' },
      });

      const answer = await get('/head', { method: 'HEAD', maxWireBytes: 1 });

      expect(answer.status).toBe(200);
      expect(answer.body).toHaveLength(0);
    });
  });

  describe('a request', () => {
    it('says honestly who asks', async () => {
      server.publish('/agent', 'x');

      await get('/agent');

      const [seen] = server.requests('/agent');
      expect(seen?.headers['user-agent']).toMatch(/^Gatefold\/\d+\.\d+\.\d+ \(feed reader\)$/);
      expect(seen?.headers.authorization).toBeUndefined();
    });

    it.each([
      ['POST', 'text', '{"a":1}'],
      ['POST', 'a part of a buffer', new Uint8Array(Buffer.from('[{"a":1}]')).subarray(1, -1)],
      ['GET', 'text', '{"a":1}'],
      ['DELETE', 'text', '{"a":1}'],
    ] as const)(
      '%s carries the headers and the body it was given, %s',
      async (method, _what, body) => {
        const echo = await startEcho();

        const answer = await outgoing.request({
          url: `http://127.0.0.1:${echo.port}/`,
          method,
          headers: { 'Content-Type': 'application/json', 'X-Secret': 's' },
          body,
        });

        const text = Buffer.from(answer.body).toString();
        expect(text.startsWith(`${method} / HTTP/1.1`)).toBe(true);
        expect(text.toLowerCase()).toContain('content-length: 7\r');
        expect(text.toLowerCase()).toContain('content-type: application/json');
        expect(text.toLowerCase()).toContain('x-secret: s');
        expect(text).toMatch(/\{"a":1\}$/);
        await echo.close();
      },
    );

    it('turns user name and password of the address into Basic authorization', async () => {
      server.publish('/private', 'x');

      const answer = await outgoing.request({
        url: server.url('/private').replace('://', '://ada:p%40ss%C3%A9@'),
      });

      const [seen] = server.requests('/private');
      expect(seen?.headers.authorization).toBe(
        `Basic ${Buffer.from('ada:p@ssé').toString('base64')}`,
      );
      expect(answer.url).toBe(server.url('/private'));
    });

    it('takes no notice of proxies in the environment', async () => {
      server.publish('/direct', 'x');
      const before = { http: process.env.HTTP_PROXY, lower: process.env.http_proxy };
      process.env.HTTP_PROXY = elsewhere.url('/');
      process.env.http_proxy = elsewhere.url('/');

      const { status } = await get('/direct');

      restore('HTTP_PROXY', before.http);
      restore('http_proxy', before.lower);
      expect(status).toBe(200);
    });

    it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:text/plain,x', 'feed', ''])(
      'to %j is refused: only http and https are spoken',
      async (url) => {
        expect(await failure(outgoing.request({ url }))).toBeInstanceOf(UnsupportedAddress);
      },
    );
  });

  describe('the address policy', () => {
    const strict = allowing('');
    const spellings = ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f.1', '0177.0.0.1'];

    it.each([...spellings, '127.1', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '0.0.0.0'])(
      'keeps requests away from this machine as %s',
      async (host) => {
        const error = await failure(strict.request({ url: `http://${host}:${server.port}/inner` }));

        expect(error).toBeInstanceOf(AddressNotAllowed);
        expect(error.kind).toBe('invalid');
        expect(server.requests('/inner')).toEqual([]);
      },
    );

    it('tells the operator which setting opens the way', async () => {
      const error = await failure(strict.request({ url: 'http://169.254.169.254/latest?key=1' }));

      expect(error.message).toBe(
        'The server at 169.254.169.254 is not on the public internet. ' +
          'An administrator can allow its address with GATEFOLD_FETCH_ALLOW_PRIVATE.',
      );
    });

    it('is obeyed after a redirect', async () => {
      server.redirect('/lure', 'http://127.0.0.2:9/secret');

      expect(await failure(get('/lure'))).toBeInstanceOf(AddressNotAllowed);
    });

    it('is obeyed for https too', async () => {
      const error = await failure(strict.request({ url: 'https://localhost:9/' }));

      expect(error).toBeInstanceOf(AddressNotAllowed);
    });

    it('does not trip over exceptions of the other address family', async () => {
      const mixed = allowing('fd00::/8, 10.0.0.0/8');

      expect(await failure(mixed.request({ url: server.url('/x') }))).toBeInstanceOf(
        AddressNotAllowed,
      );
    });

    it('does not bind addresses that an administrator entered', async () => {
      server.publish('/external-app', 'ready');

      const answer = await strict.request({
        url: server.url('/external-app'),
        addressPolicy: 'operator-configured',
      });

      expect(Buffer.from(answer.body).toString()).toBe('ready');
      expect(answer.allowListed).toBe(false);
    });
  });

  describe('redirects', () => {
    it('are followed and told', async () => {
      server.redirect('/first', '/second', 301);
      server.redirect('/second', elsewhere.url('/third'), 302);
      elsewhere.publish('/third', 'arrived');

      const answer = await get('/first');

      expect(Buffer.from(answer.body).toString()).toBe('arrived');
      expect(answer.url).toBe(elsewhere.url('/third'));
      expect(answer.redirects).toEqual([
        { status: 301, from: server.url('/first'), to: server.url('/second') },
        { status: 302, from: server.url('/second'), to: elsewhere.url('/third') },
      ]);
    });

    it('keep cookies as browsers do: replaced, deleted, and sent to their host only', async () => {
      const other = await startFeedServer({ address: '127.0.0.2' });
      const login = `http://127.0.0.2:${other.port}/login`;
      const steps = new Map([
        ['/start', ['/again', 'visit=1; Path=/', 'own=3', 'plain', 'no\x01t=1; Path=/']],
        ['/again', ['/third', 'visit=2; Path=/', 'gone=1; Path=/', 'deep=1; Path=/elsewhere']],
        ['/third', [login, 'gone=; Max-Age=0; Path=/', 'all=1; Domain=example.org']],
        ['/back', ['/end', '__Host-x=1; Path=/', 'all=1; Domain=0.0.1']],
      ]);
      const seen: string[] = [];
      const asking = await startRaw((socket) => {
        socket.on('data', (chunk) => {
          const head = chunk.toString();
          const path = /^GET (\S+)/.exec(head)?.[1] ?? '';
          const [to, ...cookies] = steps.get(path) ?? [];
          seen.push(`${path} ${/cookie: (.*)\r/i.exec(head)?.[1] ?? ''}`);
          socket.end(
            to === undefined
              ? 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'
              : `HTTP/1.1 302 Found\r\nLocation: ${to}\r\n` +
                  cookies.map((cookie) => `Set-Cookie: ${cookie}\r\n`).join('') +
                  'Connection: close\r\n\r\n',
          );
        });
      });
      other.publish('/login', '', {
        status: 302,
        headers: {
          Location: `${asking.url}back`,
          'Set-Cookie': 'visit=9; Path=/; Domain=127.0.0.1',
        },
      });
      const there = allowing('127.0.0.0/8');

      await there.request({ url: `${asking.url}start`, headers: { cookie: 'own=2; mine=4' } });

      expect(seen).toEqual([
        '/start own=2; mine=4',
        '/again mine=4; visit=1; own=3; plain',
        '/third mine=4; visit=2; own=3; plain; gone=1',
        '/back mine=4; visit=2; own=3; plain',
        '/end mine=4; visit=2; own=3; plain',
      ]);
      expect(other.requests('/login')[0]?.headers).not.toHaveProperty('cookie');
      there.onApplicationShutdown();
      await asking.close();
      await other.close();
    });

    it('end after five', async () => {
      server.redirect('/circle', '/circle');

      const error = await failure(get('/circle'));

      expect(error).toBeInstanceOf(TooManyRedirects);
      expect(server.requests('/circle')).toHaveLength(6);
    });

    it('are answers like any other for a caller that wants none', async () => {
      server.redirect('/raw', '/elsewhere', 307);

      const answer = await get('/raw', { maxRedirects: 0 });

      expect(answer.status).toBe(307);
      expect(answer.headers.location).toBe('/elsewhere');
    });

    it('are followed without reading the body that comes with them', async () => {
      server.publish('/after', 'arrived');
      const chatty = await startRaw((socket) => {
        socket.write(`HTTP/1.1 302 Found\r\nLocation: ${server.url('/after')}\r\n\r\n`);
        const pour = (): void => {
          while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024))) {}
        };
        socket.on('drain', pour);
        pour();
      });

      const answer = await outgoing.request({ url: chatty.url });

      expect(Buffer.from(answer.body).toString()).toBe('arrived');
      await chatty.whenIdle();
      expect(chatty.open()).toBe(0);
      await chatty.close();
    });

    it('may name their target in UTF-8', async () => {
      const rude = await startRaw((socket) => {
        socket.end(`HTTP/1.1 301 Moved\r\nLocation: ${server.url('/')}größe\r\n\r\n`);
      });

      const { url } = await outgoing.request({ url: rude.url });

      expect(url).toBe(server.url('/gr%C3%B6%C3%9Fe'));
      await rude.close();
    });

    it('keep credentials within the origin', async () => {
      server.redirect('/here', '/there');
      server.publish('/there', 'x');

      await outgoing.request({ url: server.url('/here').replace('://', '://ada:secret@') });

      expect(server.requests('/there')[0]?.headers.authorization).toMatch(/^Basic /);
    });

    it('take no credential to another origin, in whatever header', async () => {
      server.redirect('/out', elsewhere.url('/caught'));
      elsewhere.publish('/caught', 'x');

      await outgoing.request({
        url: server.url('/out').replace('://', '://ada:secret@'),
        headers: {
          Cookie: 'session=1',
          'X-Api-Key': 'k',
          'Proxy-Authorization': 'Basic eA==',
          'If-None-Match': '"v1"',
        },
      });

      const seen = elsewhere.requests('/caught')[0]?.headers;
      expect(seen?.['if-none-match']).toBe('"v1"');
      expect(JSON.stringify(seen)).not.toMatch(/authorization|cookie|x-api-key/i);
    });

    it('cannot plant credentials of their own', async () => {
      server.redirect('/planted', elsewhere.url('/target').replace('://', '://eve:evil@'));
      elsewhere.publish('/target', 'x');

      const answer = await get('/planted');

      expect(elsewhere.requests('/target')[0]?.headers.authorization).toBeUndefined();
      expect(answer.url).toBe(elsewhere.url('/target'));
    });

    it.each(['file:///etc/passwd', 'javascript:alert(1)', 'gopher://127.0.0.1/'])(
      'to %s are refused',
      async (to) => {
        server.redirect('/scheme', to);

        expect(await failure(get('/scheme'))).toBeInstanceOf(UnsupportedAddress);
      },
    );

    it('to an address that is none are an unreadable answer', async () => {
      server.redirect('/broken', 'http://[');

      expect(await failure(get('/broken'))).toBeInstanceOf(ResponseUnreadable);
    });

    it.each([301, 302, 303, 307, 308] as const)('with %i leave a HEAD a HEAD', async (status) => {
      server.redirect(`/head/${status}`, `/headless/${status}`, status);

      await get(`/head/${status}`, { method: 'HEAD' });

      expect(server.requests(`/headless/${status}`).map(({ method }) => method)).toEqual(['HEAD']);
    });

    it.each([
      [303, 'GET', ''],
      [302, 'GET', ''],
      [307, 'POST', 'body'],
      [308, 'POST', 'body'],
    ] as const)('with %i make a POST go on as %s', async (status, method, body) => {
      const echo = await startEcho();
      server.redirect('/post', `http://127.0.0.1:${echo.port}/`, status);

      const answer = await get('/post', {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain' },
        body: 'body',
      });

      const text = Buffer.from(answer.body).toString();
      expect(/content-type: text\/plain/i.test(text)).toBe(method === 'POST');
      expect(text.split(' ')[0]).toBe(method);
      expect(text.split('\r\n\r\n')[1]).toBe(body);
      await echo.close();
    });
  });

  describe('compression', () => {
    const text = 'A sentence that repeats. '.repeat(100);

    it.each([
      ['gzip', zlib.gzipSync(text)],
      ['x-gzip', zlib.gzipSync(text)],
      ['deflate', zlib.deflateSync(text)],
      ['br', zlib.brotliCompressSync(text)],
      ['zstd', zlib.zstdCompressSync(text)],
      ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(text))],
      ['identity', Buffer.from(text)],
    ])('%s is undone', async (encoding, bytes) => {
      server.publish('/packed', bytes, { headers: { 'Content-Encoding': encoding } });

      expect(Buffer.from((await get('/packed')).body).toString()).toBe(text);
    });

    it('is asked for', async () => {
      server.publish('/asked', 'x');

      await get('/asked');

      expect(server.requests('/asked')[0]?.headers['accept-encoding']).toBe('gzip, br, zstd');
    });

    it.each<[string, string, Buffer]>([
      ['gzip', 'a line end behind it', Buffer.concat([zlib.gzipSync(text), Buffer.from('\r\n')])],
      ['gzip', 'a name', Buffer.concat([named(zlib.gzipSync(text)), Buffer.from('<!-- x -->')])],
      [
        'gzip',
        'two parts',
        Buffer.concat([text.slice(0, 9), text.slice(9)].map((part) => zlib.gzipSync(part))),
      ],
      ['gzip, gzip', 'one label too many', zlib.gzipSync(text)],
      ['deflate', 'no header', zlib.deflateRawSync(text)],
      [
        'br',
        'a line end behind it',
        Buffer.concat([zlib.brotliCompressSync(text), Buffer.from('\n')]),
      ],
      [
        'zstd',
        'a line end behind it',
        Buffer.concat([zlib.zstdCompressSync(text), Buffer.from('\n')]),
      ],
      ['gzip', 'plain text', Buffer.from(text)],
      ['deflate', 'plain text', Buffer.from(text)],
      ['zstd', 'plain text', Buffer.from(text)],
      ['gzip, br', 'plain text', Buffer.from(text)],
      ['br', 'plain text that passes for an end', Buffer.from(`\n${text}`)],
    ])('%s with %s is undone as browsers do', async (encoding, _with, bytes) => {
      server.publish('/odd', bytes, { headers: { 'Content-Encoding': encoding } });

      expect(
        Buffer.from((await get('/odd')).body)
          .toString()
          .trim(),
      ).toBe(text.trim());
    });

    it('without its trailer is forgiven for gzip', async () => {
      server.publish('/cut', zlib.gzipSync(text).subarray(0, -8), {
        headers: { 'Content-Encoding': 'gzip' },
      });

      expect(Buffer.from((await get('/cut')).body).toString()).toBe(text);
    });

    it.each(['none', 'UTF-8', 'identity, utf8'])(
      'that is none (%s) is no compression',
      async (encoding) => {
        server.publish('/odd', text, { headers: { 'Content-Encoding': encoding } });

        expect(Buffer.from((await get('/odd')).body).toString()).toBe(text);
      },
    );

    it('that is not announced is gzip for a lenient reader only', async () => {
      const zipped = zlib.gzipSync(text);
      server.publish('/silent', zipped);

      const body = async (isLenient: boolean) => (await get('/silent', { isLenient })).body;

      expect(Buffer.from(await body(true)).toString()).toBe(text);
      expect(Buffer.from(await body(false))).toEqual(zipped);
    });

    it('announced for a 304 without a body is no fault', async () => {
      server.publish('/unchanged', '', {
        etag: '"v1"',
        headers: { 'Content-Encoding': 'br' },
      });

      const answer = await get('/unchanged', { headers: { 'If-None-Match': '"v1"' } });

      expect(answer.status).toBe(304);
    });

    it.each([
      ['gzip', zlib.gzipSync(text).fill(7, 12, 40)],
      ['deflate', zlib.deflateSync(text).fill(7, 5, 40)],
      ['br', Buffer.from('not compressed\0 at all')],
      ['zstd', Buffer.from('not compressed\0 at all')],
      ['compress', 'x'],
      ['gzip, gzip, gzip', 'x'],
    ])('%s that is damaged or unknown is an unreadable answer: %#', async (encoding, document) => {
      server.publish('/damaged', document, { headers: { 'Content-Encoding': encoding } });

      expect(await failure(get('/damaged'))).toBeInstanceOf(ResponseUnreadable);
    });
  });

  describe('limits', () => {
    it('let a body of exactly the permitted size through', async () => {
      server.publish('/full', Buffer.alloc(MIB));

      const answer = await get('/full', { maxWireBytes: MIB, maxDecodedBytes: MIB });

      expect(answer.body).toHaveLength(MIB);
    });

    it('refuse a larger body by its announced length', async () => {
      server.publish('/announced', Buffer.alloc(2 * MIB));

      const error = await failure(get('/announced', { maxWireBytes: MIB }));

      expect(error).toBeInstanceOf(ResponseTooLarge);
      expect(error.message).toBe(`The server at 127.0.0.1:${server.port} sent more than 1 MiB.`);
    });

    it('stop a body without end', async () => {
      const endless = await startRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const pour = (): void => {
          while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024))) {}
        };
        socket.on('drain', pour);
        pour();
      });

      const error = await failure(outgoing.request({ url: endless.url }));

      expect(error).toBeInstanceOf(ResponseTooLarge);
      await endless.close();
    });

    it('count what comes over the wire apart from what it unpacks to', async () => {
      const noise = zlib.gzipSync(randomBytes(2 * MIB));
      const noisy = await startRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n');
        socket.end(noise);
      });

      const error = await failure(outgoing.request({ url: noisy.url, maxWireBytes: MIB }));

      expect(error.message).toContain('more than 1 MiB');
      await noisy.close();
    });

    it.each([
      ['gzip', () => zlib.gzipSync(Buffer.alloc(16 * MIB))],
      ['br', () => zlib.brotliCompressSync(Buffer.alloc(16 * MIB), FAST_BROTLI)],
      ['zstd', () => zlib.zstdCompressSync(Buffer.alloc(16 * MIB))],
      ['gzip, gzip', () => zlib.gzipSync(zlib.gzipSync(Buffer.alloc(16 * MIB)))],
    ] as const)('stop a %s bomb by its ratio long before its size', async (encoding, bomb) => {
      server.publish('/bomb', bomb(), { headers: { 'Content-Encoding': encoding } });

      const error = await failure(get('/bomb', { maxDecodedBytes: 16 * MIB }));

      expect(error).toBeInstanceOf(ResponseTooLarge);
      expect(error.message).toContain('suspiciously compressed');
    });

    it('hold for what comes out of an honest compression too', async () => {
      const text = Buffer.from(
        Array.from({ length: 60_000 }, (_, n) => `Line ${n} of a long report.\n`).join(''),
      );
      server.publish('/long', zlib.gzipSync(text), { headers: { 'Content-Encoding': 'gzip' } });

      const error = await failure(get('/long', { maxDecodedBytes: MIB }));

      expect(error.message).toContain('more than 1 MiB');
      expect((await get('/long')).body).toHaveLength(text.length);
    });

    it('refuse a zstd window that would take the memory of the program', async () => {
      const wide = zlib.zstdCompressSync(Buffer.alloc(20 * MIB, 'feed'), {
        params: { [zlib.constants.ZSTD_c_windowLog]: 27 },
      });
      server.publish('/wide', wide, { headers: { 'Content-Encoding': 'zstd' } });

      expect(await failure(get('/wide'))).toBeInstanceOf(ResponseUnreadable);
    });

    it.each(['identity', 'gzip', 'br', 'zstd'] as const)(
      'give a lenient reader the same beginning each time, of %s',
      async (encoding) => {
        const document = Buffer.from(randomBytes(MIB).toString('hex'));
        const sent = { identity: (b: Buffer) => b, ...COMPRESSIONS }[encoding](document);
        server.publish('/long', sent, { headers: { 'Content-Encoding': encoding } });
        const read = (limits: Partial<OutgoingRequest>) =>
          get('/long', { isLenient: true, ...limits });

        const [first, again] = [
          await read({ maxWireBytes: 500_000 }),
          await read({ maxWireBytes: 500_000 }),
        ];
        const decoded = await read({ maxDecodedBytes: 700_001 });

        expect([first.isCut, again.isCut, decoded.isCut]).toEqual([true, true, true]);
        expect(Buffer.compare(again.body, first.body)).toBe(0);
        expect(first.body.length).toBeGreaterThan(400_000);
        expect(Buffer.compare(decoded.body, document.subarray(0, 700_001))).toBe(0);
        const whole = await read({});
        expect([whole.isCut, document.equals(whole.body)]).toEqual([false, true]);
      },
    );

    it('end a lenient reading when they are reached, although the server waits', async () => {
      const halting = await startRaw((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(2 * MIB)}`);
      });
      const read = (limits: Partial<OutgoingRequest>) =>
        outgoing.request({ url: halting.url, isLenient: true, ...limits });

      expect((await read({ maxWireBytes: MIB })).body).toHaveLength(MIB);
      expect((await read({ maxDecodedBytes: MIB })).body).toHaveLength(MIB);
      await halting.close();
    });

    it('stop a gzip bomb that is not announced', async () => {
      server.publish('/hidden', zlib.gzipSync(Buffer.alloc(16 * MIB)));

      const error = await failure(get('/hidden', { isLenient: true }));

      expect(error.message).toContain('more than 10 MiB');
    });

    it('let headers of 20 KB through', async () => {
      server.publish('/headers', 'x', { headers: { 'X-Long': 'a'.repeat(20_000) } });

      expect((await get('/headers')).status).toBe(200);
    });

    it('refuse headers of more than 64 KiB', async () => {
      server.publish('/headers', 'x', { headers: { 'X-Long': 'a'.repeat(66_000) } });

      const error = await failure(get('/headers'));

      expect(error).toBeInstanceOf(ResponseTooLarge);
    });
  });

  describe('a place for the body', () => {
    it('is waited for before a body is read, and not for an answer without one', async () => {
      server.publish('/document', 'x', { etag: '"1"' });
      const asked: string[] = [];
      const beforeBody = async () => {
        asked.push('place');
      };

      const document = await get('/document', { beforeBody });
      const same = await get('/document', { beforeBody, headers: { 'if-none-match': '"1"' } });

      expect([document.status, document.body.length]).toEqual([200, 1]);
      expect([same.status, same.body.length]).toEqual([304, 0]);
      expect(asked).toEqual(['place']);
    });

    it('that is refused ends the request with the reason', async () => {
      server.publish('/document', 'x');
      const full = new Error('no place');

      const request = get('/document', { beforeBody: () => Promise.reject(full) });

      await expect(request).rejects.toBe(full);
    });
  });

  describe('the deadline', () => {
    const dripping = { timers: new Set<NodeJS.Timeout>() };
    afterEach(() => {
      dripping.timers.forEach((timer) => clearInterval(timer));
    });
    const drip = (socket: Socket, text: string): void => {
      dripping.timers.add(setInterval(() => socket.write(text), 10));
    };

    it('ends waiting for a silent server', async () => {
      const release = server.hang('/silent');

      const error = await failure(get('/silent?token=secret', { timeoutSeconds: 0.1 }));

      release();
      expect(error).toBeInstanceOf(RequestTimedOut);
      expect(error.message).toBe(
        `The server at 127.0.0.1:${server.port} did not answer within 0.1 s.`,
      );
    });

    it('says that there was no connection, if there was none in time', async () => {
      // As with a name server that is silent.
      const resolve = jest.spyOn(dns, 'lookup').mockImplementation(() => {});
      const client = allowing('127.0.0.1/32');

      const error = await failure(
        client.request({ url: 'http://silent.example/', timeoutSeconds: 0.1 }),
      );

      resolve.mockRestore();
      client.onApplicationShutdown();
      expect(error).toBeInstanceOf(ConnectionFailed);
      expect(error.message).toBe(
        'The server at silent.example could not be reached: it did not accept the connection.',
      );
    });

    it('counts a trickle of headers', async () => {
      const slow = await startRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, 'X-Drop: 1\r\n');
      });

      const error = await failure(outgoing.request({ url: slow.url, timeoutSeconds: 0.2 }));

      expect(error).toBeInstanceOf(RequestTimedOut);
      await slow.close();
    });

    it('counts a trickle of body', async () => {
      const slow = await startRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        drip(socket, 'x');
      });

      const error = await failure(outgoing.request({ url: slow.url, timeoutSeconds: 0.2 }));

      expect(error).toBeInstanceOf(RequestTimedOut);
      await slow.close();
    });

    it('spans all redirects together', async () => {
      const release = server.hang('/end');
      server.redirect('/start', '/end');

      const error = await failure(get('/start', { timeoutSeconds: 0.1 }));

      release();
      expect(error).toBeInstanceOf(RequestTimedOut);
    });

    it('gives way to the caller, who gets their own reason back', async () => {
      const release = server.hang('/stopped');
      const stop = new AbortController();
      const reason = new Error('shutting down');

      const request = get('/stopped', { signal: stop.signal });
      await server.whenAsked('/stopped');
      stop.abort(reason);

      await expect(request).rejects.toBe(reason);
      await expect(get('/stopped', { signal: stop.signal })).rejects.toBe(reason);
      expect(server.requests('/stopped')).toHaveLength(1);
      release();
    });
  });

  describe('a failure', () => {
    it('to find the server names it', async () => {
      const error = await failure(outgoing.request({ url: 'http://no-such-host.invalid/feed' }));

      expect(error).toBeInstanceOf(HostNotFound);
      expect(error.message).toContain('no-such-host.invalid');
    });

    it('to connect says why', async () => {
      const gone = await startFeedServer();
      await gone.close();

      const error = await failure(outgoing.request({ url: gone.url('/feed') }));

      expect(error).toBeInstanceOf(ConnectionFailed);
      expect(error.message).toBe(
        `The server at 127.0.0.1:${gone.port} could not be reached: it refused the connection.`,
      );
    });

    it('by a cut connection says so', async () => {
      server.drop('/cut-off');

      const error = await failure(get('/cut-off'));

      expect(error.message).toContain('closed the connection before the answer was complete');
    });

    it('by a body shorter than announced is a failure, not a document', async () => {
      const short = await startRaw((socket) => {
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this');
      });

      expect(await failure(outgoing.request({ url: short.url }))).toBeInstanceOf(ConnectionFailed);
      await short.close();
    });

    it('by a server that does not speak HTTP is an unreadable answer', async () => {
      const other = await startRaw((socket) => {
        socket.end('220 mail.example ESMTP\r\n');
      });

      expect(await failure(outgoing.request({ url: other.url }))).toBeInstanceOf(
        ResponseUnreadable,
      );
      await other.close();
    });

    it('to trust the certificate is a failure', async () => {
      const secure = createHttpsServer(SELF_SIGNED, (_request, response) => response.end('x'));
      await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
      const { port } = secure.address() as AddressInfo;

      const error = await failure(outgoing.request({ url: `https://127.0.0.1:${port}/` }));

      expect(error).toBeInstanceOf(ConnectionFailed);
      expect(error.message).toContain('its certificate is self-signed');
      secure.close();
    });

    it('never repeats what may be secret in the address', async () => {
      server.drop('/path-token');
      server.hang('/hung-token');
      const secret = (path: string): string =>
        server.url(`${path}?key=query-token`).replace('://', '://user-name:pass-word@');

      const errors = [
        await failure(outgoing.request({ url: secret('/path-token') })),
        await failure(outgoing.request({ url: secret('/hung-token'), timeoutSeconds: 0.05 })),
        await failure(allowing('').request({ url: secret('/x') })),
      ];

      for (const error of errors) {
        const everything = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
        expect(everything).not.toMatch(/user-name|pass-word|query-token|path-token|hung-token/);
      }
    });
  });

  describe('the user agent', () => {
    it.each([
      [undefined, 'feed reader'],
      ['https://reader.gatefold.net/news/', '+https://reader.gatefold.net/news'],
      ['https://ada:secret@bücher.net/?key=secret#x', '+https://xn--bcher-kva.net/'],
      ['https://[2001:4860:4860::8888]:8443', '+https://[2001:4860:4860::8888]:8443/'],
      ['http://reader.gatefold.net', 'feed reader'],
      ['https://reader', 'feed reader'],
      ['https://reader.corp.', 'feed reader'],
      ['https://reader.home.arpa', 'feed reader'],
      ['https://192.168.1.2', 'feed reader'],
      ['https://[fd00::1]', 'feed reader'],
    ])('of an installation at %s names %s', async (baseUrl, contact) => {
      const http = allowing('127.0.0.1/32', baseUrl ? { GATEFOLD_BASE_URL: baseUrl } : {});
      server.publish('/agent', 'x');

      await http.request({ url: server.url('/agent') });
      http.onApplicationShutdown();

      const agent = server.requests('/agent').at(-1)?.headers['user-agent'];
      expect(agent?.replace(/\/[\d.]+/, '')).toBe(`Gatefold (${contact})`);
    });
  });

  describe('connections', () => {
    it('are kept for the next request to the same server', async () => {
      const kept = await startKeepAlive();

      await outgoing.request({ url: kept.url });
      await outgoing.request({ url: kept.url });

      expect(kept.connections()).toBe(1);
      await kept.close();
    });

    it('that the server closed in the meantime cost no request', async () => {
      const fickle = await startRaw((socket) => {
        // Answers once, and hangs up only when the same connection is used again.
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
          socket.once('data', () => socket.destroy());
        });
      });

      const first = await outgoing.request({ url: fickle.url });
      const second = await outgoing.request({ url: fickle.url });

      expect([first.status, second.status]).toEqual([200, 200]);
      await fickle.close();
    });

    it('end with the program', async () => {
      const kept = await startKeepAlive();
      const module = await Test.createTestingModule({
        imports: [
          ConfigModule.with(
            readConfig({ GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' }, []),
            new EdgeRules([]),
          ),
          OutgoingHttpModule,
        ],
      }).compile();

      // Left alone, an idle connection would stay.
      const timeouts = jest.spyOn(Socket.prototype, 'setTimeout').mockReturnThis();
      await module.get(OutgoingHttp).request({ url: kept.url });
      expect(kept.open()).toBe(1);
      await module.close();
      await kept.whenIdle();

      expect(timeouts).toHaveBeenCalled();
      timeouts.mockRestore();
      await kept.close();
    });
  });
});

function allowing(cidrs: string, settings: Record<string, string> = {}): OutgoingHttp {
  return new OutgoingHttp(
    new HttpService(),
    readConfig({ GATEFOLD_FETCH_ALLOW_PRIVATE: cidrs, ...settings }, []),
    new SilentServers(),
  );
}

interface RawServer {
  readonly url: string;
  readonly port: number;
  connections(): number;
  open(): number;
  /** Resolves when no connection is open. */
  whenIdle(): Promise<void>;
  close(): Promise<void>;
}

async function startRaw(onConnection: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const raw = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  const { port } = raw.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    connections: () => connections,
    open: () => sockets.size,
    whenIdle: () => until('the end of all connections', () => sockets.size === 0),
    close: () =>
      new Promise((resolve) => {
        raw.close(() => resolve());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}

/** Answers every request on a connection that stays open. */
function startKeepAlive(): Promise<RawServer> {
  return startRaw((socket) => {
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
}

/** Answers with the request exactly as it came over the wire. */
function startEcho(): Promise<RawServer> {
  return startRaw((socket) => {
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString();
      const [head = '', body] = seen.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || Buffer.byteLength(body) < length) {
        return;
      }
      socket.end(
        `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(seen)}\r\nConnection: close\r\n\r\n${seen}`,
      );
    });
  });
}

/** With a name and a comment in the head of gzip. */
function named(zipped: Buffer): Buffer {
  zipped[3] = 8 + 16;
  const names = Buffer.from('feed.xml\0by hand\0');
  return Buffer.concat([zipped.subarray(0, 10), names, zipped.subarray(10)]);
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) {
    delete process.env[name];
  } else {
    process.env[name] = value;
  }
}

const COMPRESSIONS = {
  gzip: (bytes: Buffer) => zlib.gzipSync(bytes),
  br: (bytes: Buffer) => zlib.brotliCompressSync(bytes, FAST_BROTLI),
  zstd: (bytes: Buffer) => zlib.zstdCompressSync(bytes),
};
const FAST_BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };

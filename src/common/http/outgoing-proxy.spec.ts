import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import dns from 'node:dns/promises';
import { utimes, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { startForwardProxy, type ForwardProxy } from '../../../test/support/a-forward-proxy.js';
import { startFeedServer, type FeedServer } from '../../../test/support/feed-server.js';
import { SELF_SIGNED } from '../../../test/support/self-signed.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { readConfig } from '../config/config.js';
import { HostsFile } from './hosts-file.js';
import { OutgoingHttp, type OutgoingRequest } from './outgoing-http.js';
import { SilentServers } from './silent-servers.js';

const { addressesOf } = HostsFile.prototype;

let server: FeedServer;
let proxy: ForwardProxy;
const clients: OutgoingHttp[] = [];

beforeAll(async () => {
  server = await startFeedServer();
  server.publish('/feed', 'the feed');
});
beforeEach(async () => {
  proxy = await startForwardProxy(server.port);
});
afterEach(async () => {
  clients.splice(0).forEach((client) => client.onApplicationShutdown());
  await proxy.close();
});
afterAll(() => server.close());

function clientOf(address: string, more: Readonly<Record<string, string>> = {}): OutgoingHttp {
  const config = readConfig({ GATEFOLD_OUTGOING_PROXY: address, ...more }, []);
  const client = new OutgoingHttp(new HttpService(), config, new SilentServers());
  clients.push(client);
  return client;
}

/** Fetches through the proxy of the test. */
async function get(
  url: string,
  more: Readonly<Record<string, string>> = {},
  request: Partial<OutgoingRequest> = {},
): Promise<string> {
  const answer = await clientOf(proxy.url, more).request({ url, ...request });
  return `${answer.status} ${Buffer.from(answer.body).toString()}`;
}

const asked = () => proxy.requests.map(({ line }) => line);
const sentenceOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'it succeeded',
    (error: Error) => error.message,
  );

describe('A request by the outgoing proxy', () => {
  it('for http names the whole address, and the name is resolved by the proxy', async () => {
    expect(await get('http://feeds.invalid/feed?page=1#top')).toBe('200 the feed');
    expect(asked()).toEqual(['GET http://feeds.invalid/feed?page=1']);
    expect(proxy.requests[0]?.headers.host).toBe('feeds.invalid');
    expect(proxy.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('keeps its connection to the proxy for the next one to the same server', async () => {
    const client = clientOf(proxy.url);

    await client.request({ url: 'http://feeds.invalid/feed' });
    const { allowListed } = await client.request({ url: 'http://feeds.invalid/feed' });

    expect(asked()).toHaveLength(2);
    expect(proxy.connections).toBe(1);
    expect(allowListed).toBe(false);
  });

  it('follows redirects by the proxy, too', async () => {
    server.redirect('/moved', 'http://other.invalid/feed');

    expect(await get('http://feeds.invalid/moved')).toBe('200 the feed');
    expect(asked()).toEqual(['GET http://feeds.invalid/moved', 'GET http://other.invalid/feed']);
  });

  it('takes no notice of proxies in the environment', async () => {
    process.env.HTTP_PROXY = server.url('/');
    process.env.NO_PROXY = '*';
    try {
      expect(await get('http://feeds.invalid/feed')).toBe('200 the feed');
    } finally {
      delete process.env.HTTP_PROXY;
      delete process.env.NO_PROXY;
    }
    expect(asked()).toHaveLength(1);
  });
});

describe('A request for https by the outgoing proxy', () => {
  let secure: https.Server;
  let port: number;
  const trusted = tls.getCACertificates('default');

  beforeAll(async () => {
    secure = https.createServer(SELF_SIGNED, (_request, response) => response.end('sealed'));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    ({ port } = secure.address() as AddressInfo);
  });
  beforeEach(async () => {
    await proxy.close();
    proxy = await startForwardProxy(port);
  });
  afterEach(() => tls.setDefaultCACertificates(trusted));
  afterAll(() => new Promise((resolve) => secure.close(resolve)));

  /** Names without a dot are for operators only. */
  const configured = { addressPolicy: 'operator-configured' } as const;

  it('goes through a tunnel that ends at the server', async () => {
    tls.setDefaultCACertificates([...trusted, SELF_SIGNED.cert]);

    expect(await get('https://localhost/x?secret=1', {}, configured)).toBe('200 sealed');
    expect(asked()).toEqual(['CONNECT localhost:443']);
  });

  it('goes through a proxy that itself speaks TLS', async () => {
    await proxy.close();
    tls.setDefaultCACertificates([...trusted, SELF_SIGNED.cert]);
    proxy = await startForwardProxy(port, { withTls: true, login: 'ada:secret' });
    const address = proxy.url.replace('://', '://ada:secret@');

    const { body } = await clientOf(address).request({ url: 'https://localhost/', ...configured });

    expect(Buffer.from(body).toString()).toBe('sealed');
    expect(asked()).toEqual(['CONNECT localhost:443']);
  });

  it('checks the certificate of the server', async () => {
    const sentence = await sentenceOf(get('https://feeds.invalid/x'));

    expect(sentence).toBe(
      `The server at feeds.invalid (GATEFOLD_OUTGOING_PROXY ${proxy.host}) could not be reached: its certificate is self-signed.`,
    );
  });

  it('does not take the answer of the proxy for that of the server', async () => {
    proxy.refusal = 403;

    const sentence = await sentenceOf(get('https://feeds.invalid/x'));

    expect(sentence).toBe(
      `The server at feeds.invalid (GATEFOLD_OUTGOING_PROXY ${proxy.host}) answered with status 403.`,
    );
  });
});

describe('The credentials of the outgoing proxy', () => {
  const login = 'ada@corp:p:ss%é';

  beforeEach(async () => {
    await proxy.close();
    proxy = await startForwardProxy(server.port, { login });
  });

  it('go to the proxy, and not to servers', async () => {
    const address = proxy.url.replace('://', `://ada%40corp:${encodeURIComponent('p:ss%é')}@`);
    const before = server.requests('/feed').length;

    const { status } = await clientOf(address).request({ url: 'http://feeds.invalid/feed' });
    const sentence = await sentenceOf(clientOf(address).request({ url: 'https://feeds.invalid/' }));

    expect(status).toBe(200);
    expect(asked()).toEqual(['GET http://feeds.invalid/feed', 'CONNECT feeds.invalid:443']);
    // The proxy of the test removes them from http; the server does not speak TLS.
    expect(server.requests('/feed').slice(before)).toHaveLength(1);
    expect(sentence).toContain('feeds.invalid');
    expect(sentence).not.toMatch(/ada|p:ss|p%3A/);
  });

  it.each(['http://feeds.invalid/feed', 'https://feeds.invalid/feed'])(
    'are missed in words, for %s',
    async (url) => {
      const address = proxy.url.replace('://', '://ada:wrong-word@');

      expect(await sentenceOf(clientOf(address).request({ url }))).toBe(
        `The server at feeds.invalid (GATEFOLD_OUTGOING_PROXY ${proxy.host}) requires a user name and password, or rejects the given ones (status 407).`,
      );
    },
  );
});

describe('An outgoing proxy that does not serve', () => {
  const urls = ['http://feeds.invalid/feed', 'https://feeds.invalid/feed'];

  it.each(urls)('is named in the error, for %s', async (url) => {
    proxy.refusal = 502;

    expect(await sentenceOf(get(url))).toBe(
      `The server at feeds.invalid (GATEFOLD_OUTGOING_PROXY ${proxy.host}) answered with status 502.`,
    );
  });

  it.each(urls)('is named if it is not there, for %s', async (url) => {
    await proxy.close();

    expect(await sentenceOf(get(url))).toBe(
      `The server at feeds.invalid (GATEFOLD_OUTGOING_PROXY ${proxy.host}) could not be reached: it refused the connection.`,
    );
  });

  it.each(urls)('is named if it never answers, in the time of the request, for %s', async (url) => {
    proxy.refusal = 0;
    const startedAt = performance.now();

    expect(await sentenceOf(get(url, {}, { timeoutSeconds: 0.2 }))).toBe(
      `The server at feeds.invalid (GATEFOLD_OUTGOING_PROXY ${proxy.host}) did not answer within 0.2 s.`,
    );
    // CONNECT has 15 s.
    expect(performance.now() - startedAt).toBeLessThan(14_000);
  });

  it('leaves other errors of servers as they are', async () => {
    server.fail('/busy', 503, { 'retry-after': '60' });

    expect(await get('http://feeds.invalid/busy')).toMatch(/^503/);
  });
});

describe('Servers that the proxy is not asked for', () => {
  it.each([
    'http://127.0.0.1/',
    'http://10.1.2.3/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://169.254.169.254/latest',
    'http://localhost/',
    'http://localhost./',
    'http://any.localhost/',
    'http://localhost../',
    'http://redis/',
    'http://metadata.google.internal/',
    'http://printer.local/',
    'https://10.1.2.3/',
  ])('are those of private networks, such as %s', async (url) => {
    expect(await sentenceOf(get(url))).toMatch(/is not on the public internet/);
    expect(asked()).toEqual([]);
  });

  it('are private targets of redirects', async () => {
    server.redirect('/lure', 'http://169.254.169.254/latest');

    expect(await sentenceOf(get('http://feeds.invalid/lure'))).toMatch(
      /^The server at 169\.254\.169\.254 is not on the public internet/,
    );
    expect(asked()).toEqual(['GET http://feeds.invalid/lure']);
  });

  it('are exceptions, which are checked as without a proxy', async () => {
    const url = server.url('/feed');
    const allowed = { GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' };

    const refused = await sentenceOf(get(url, { GATEFOLD_OUTGOING_PROXY_EXCEPT: '127.0.0.0/8' }));
    const direct = await get(url, { ...allowed, GATEFOLD_OUTGOING_PROXY_EXCEPT: '127.0.0.0/8' });

    expect(refused).toMatch(/is not on the public internet/);
    expect(direct).toBe('200 the feed');
    expect(asked()).toEqual([]);
  });

  it.each([
    ['localhost', 'localhost', true],
    ['LOCALHOST', 'localhost', true],
    ['feeds.invalid', 'feeds.invalid', true],
    ['invalid', 'feeds.invalid', true],
    ['.invalid', 'feeds.invalid', true],
    ['*.invalid', 'feeds.invalid', true],
    ['10.0.0.0/8, 127.0.0.1', '127.0.0.1', true],
    ['::1/128', '[::1]', true],
    ['eeds.invalid', 'feeds.invalid', false],
    ['a.feeds.invalid', 'feeds.invalid', false],
  ])('are of %j: %s is %j', async (exceptions, host, isDirect) => {
    const settings = { GATEFOLD_OUTGOING_PROXY_EXCEPT: exceptions };

    await sentenceOf(get(`http://${host}:${server.port}/feed`, settings));

    expect(asked()).toHaveLength(isDirect ? 0 : 1);
  });

  it('are those of this installation', async () => {
    const request = { addressPolicy: 'operator-configured', direct: true } as const;

    expect(await get(server.url('/feed'), {}, request)).toBe('200 the feed');
    expect(asked()).toEqual([]);
  });

  it('are none that an administrator entered, which may be private', async () => {
    const request = { addressPolicy: 'operator-configured' } as const;

    expect(await get('http://10.1.2.3/feed', {}, request)).toBe('200 the feed');
    expect(asked()).toEqual(['GET http://10.1.2.3/feed']);
  });

  it('are not spaced like public ones if the operator listed them', async () => {
    const client = clientOf(proxy.url, { GATEFOLD_FETCH_ALLOW_PRIVATE: '10.1.2.3/32' });

    const { allowListed } = await client.request({ url: 'http://10.1.2.3/feed' });

    expect(allowListed).toBe(true);
  });
});

describe('A name of the hosts file', () => {
  it('is refused before the proxy learns of it, however it is written', async () => {
    const folder = await temporaryFolder('hosts');
    const file = path.join(folder, 'hosts');
    await writeFile(
      file,
      '# 192.0.2.1 wiki.example.org\n10.1.2.3\tWiki.example.org. wiki # ours\n',
    );
    const hosts = new HostsFile(file);
    jest
      .spyOn(HostsFile.prototype, 'addressesOf')
      .mockImplementation((name) => addressesOf.call(hosts, name));

    for (const url of ['http://wiki.example.org/', 'http://WIKI.example.org./', 'http://wiki/']) {
      expect(await sentenceOf(get(url))).toMatch(/is not on the public internet/);
    }
    expect(asked()).toEqual([]);
    await writeFile(file, '');
    await utimes(file, 1, 1);
    expect(await addressesOf.call(hosts, 'wiki.example.org')).toEqual([]);
    jest.restoreAllMocks();
  });
});

describe('A name that a name server of this machine knows', () => {
  const answer = (...addresses: string[]) =>
    jest
      .spyOn(dns.Resolver.prototype, 'resolve4')
      .mockImplementation(async () => addresses as never);
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([[['10.1.2.3']], [['203.0.113.7', '127.0.0.1']]])(
    'with the addresses %j is refused before the proxy learns of it',
    async (addresses) => {
      answer(...addresses);

      expect(await sentenceOf(get('http://feeds.invalid/feed'))).toMatch(
        /^The server at feeds\.invalid is not on the public internet/,
      );
      expect(asked()).toEqual([]);
    },
  );

  it('goes to the proxy with a public address, or one that the operator listed', async () => {
    answer('198.18.0.1');
    const listed = { GATEFOLD_FETCH_ALLOW_PRIVATE: '198.18.0.0/15' };

    const { allowListed } = await clientOf(proxy.url, listed).request({
      url: 'http://intern/feed',
    });
    answer('93.184.216.34');

    expect(allowListed).toBe(true);
    expect(await get('http://feeds.invalid/feed')).toBe('200 the feed');
    expect(asked()).toHaveLength(2);
  });

  it('is an exception if its address is', async () => {
    answer('10.1.2.3');

    await sentenceOf(
      get('http://feeds.invalid/feed', { GATEFOLD_OUTGOING_PROXY_EXCEPT: '10.0.0.0/8' }),
    );

    expect(asked()).toEqual([]);
  });
});

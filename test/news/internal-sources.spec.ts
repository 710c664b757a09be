import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPrivateKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getCACertificates, type TLSSocket } from 'node:tls';
import { Clock } from '../../src/common/clock.js';
import { InstallationChecks } from '../../src/common/ports/installation-checks.js';
import { CertificateNotices } from '../../src/news/reader/notices/certificate-notices.task.js';
import { startForwardProxy } from '../support/a-forward-proxy.js';
import { rss } from '../support/feed-server.js';
import { Groups } from '../support/group-folders.js';
import {
  NewsClient,
  ok,
  titles,
  type FeedJson,
  type FeedListJson,
} from '../support/news-client.js';
import { ADA, AUTHORITY, BOB, SERVER } from '../support/private-authority.js';
import { startApp, type TestUser } from '../support/start-app.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Feeds of an intranet, whose server has a certificate of a private authority and asks for one. */

interface Asked {
  readonly path: string;
  /** Common name in the certificate of the client. */
  readonly client: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: TLSSocket;
}

/** @param isStrict refuses clients without a certificate of the authority */
async function startServer(isStrict: boolean) {
  const asked: Asked[] = [];
  const redirects = new Map<string, string>();
  const tls = { ...SERVER, ca: AUTHORITY, requestCert: true, rejectUnauthorized: isStrict };
  const server = https.createServer(tls, (request, response) => {
    const socket = request.socket as TLSSocket;
    const client = socket.getPeerCertificate().subject?.CN?.toString();
    const { url = '', headers } = request;
    asked.push({ path: url, client, headers, socket });
    const location = redirects.get(url);
    if (location !== undefined) {
      response.writeHead(302, { location }).end();
    } else if (headers['if-none-match'] === '"1"') {
      response.writeHead(304).end();
    } else {
      const items = [{ title: `for ${client ?? 'nobody'} ${headers['x-key'] ?? ''}`.trim() }];
      response.writeHead(200, { 'content-type': 'application/rss+xml', etag: '"1"' });
      response.end(rss({ title: 'Intern', items }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    redirects,
    asked: (at: string) => asked.filter((one) => one.path === at),
    url: (at: string, host = 'localhost') => `https://${host}:${port}${at}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const folder = await temporaryFolder('authority');
const bundle = path.join(folder, 'authorities.pem');
await writeFile(bundle, `# ours\n${AUTHORITY}\n`);
const [strict, open] = [await startServer(true), await startServer(false)];
const settings = { GATEFOLD_CA_FILE: bundle, GATEFOLD_REFRESH_REST_SECONDS: '0' };
const app = await startApp(settings);
afterAll(async () => {
  await app.stop();
  strict.close();
  open.close();
});

const admin = new NewsClient(app.asAdmin(), 'v1-3');
const certificate = { certificate: ADA.cert, key: ADA.key };
let user: TestUser;
let news: NewsClient;
let others: NewsClient;
let at: string;
let specs = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  others = new NewsClient(await app.signIn(), 'v1-3');
  at = `/feed-${(specs += 1)}`;
});

const subscribe = async (url: string, access: object, client = news): Promise<FeedJson> => {
  const { feeds } = await ok<FeedListJson>(client.post('/feeds', { url, folderId: null, access }));
  return feeds[0] as FeedJson;
};
const refusalOf = async (access: object, url = open.url(at), client = news) => {
  const answer = await client.post('/feeds', { url, folderId: null, access });
  expect(answer.status).toBe(422);
  return (answer.json as { message: string }).message;
};
const fetchAgain = (feed: FeedJson, of = user) => admin.update(of.credentials.userId, feed.id);
const fetching = (feed: FeedJson, client = news) =>
  ok<Record<string, unknown>>(client.get(`/feeds/${feed.id}/fetching`));

const notificationsOf = async (one: TestUser) => {
  const { json } = await one.get('/ocs/v2.php/apps/notifications/api/v2/notifications', {
    headers: { 'OCS-APIRequest': 'true', accept: 'application/json' },
  });
  const { ocs } = json as { ocs: { data: { notification_id: number; subject: string }[] } };
  return ocs.data;
};

/** One value in DER. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const written = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...written]), value]);
}

/** An encrypted key whose salt has the beginning of parameters with one round, and which has more. */
function keyWithDecoy(rounds: number): string {
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  const salt = Buffer.concat([bytes('06092a864886f70d01050c3020040100020101'), Buffer.alloc(160)]);
  const more = der(0x02, Buffer.from([rounds >> 16, (rounds >> 8) & 255, rounds & 255]));
  const derivation = der(0x30, bytes('06092a864886f70d01050c'), der(0x30, der(0x04, salt), more));
  const cipher = der(0x30, bytes('060960864801650304012a'), der(0x04, Buffer.alloc(16)));
  const scheme = der(0x30, bytes('06092a864886f70d01050d'), der(0x30, derivation, cipher));
  const key = der(0x30, scheme, der(0x04, Buffer.alloc(144)));
  const lines = key.toString('base64').match(/.{1,64}/g) ?? [];
  const name = 'ENCRYPTED PRIVATE KEY';
  return `-----BEGIN ${name}-----\n${lines.join('\n')}\n-----END ${name}-----`;
}

describe('a client certificate', () => {
  it('opens a feed of a server that requires one, also when it is fetched again', async () => {
    const feed = await subscribe(strict.url(at), { certificate });
    await fetchAgain(feed);

    expect(strict.asked(at).map(({ client }) => client)).toEqual(strict.asked(at).map(() => 'ada'));
    expect(strict.asked(at).at(-1)?.headers).toMatchObject({ 'if-none-match': '"1"' });
    expect(titles(await news.items())).toEqual(['for ada']);
  });

  it('may have its key in the same text, and a passphrase, which is not stored', async () => {
    const together = { certificate: `${ADA.encryptedKey}\n${ADA.cert}`, passphrase: 'horse' };
    const feed = await subscribe(strict.url(at), { certificate: together });

    expect((await fetching(feed))['certificateEnds']).toBe(
      Date.parse('2125-06-23T14:03:51Z') / 1000,
    );
    expect((await news.items()).length).toBe(1);
  });

  it.each(['aes-128-cbc', 'aes-256-cbc', 'des-ede3-cbc'])(
    'may have a key that OpenSSL encrypted by %s',
    async (cipher) => {
      const options = { format: 'pem', cipher, passphrase: 'horse' } as const;
      const key = createPrivateKey(ADA.key);
      for (const type of ['pkcs8', 'sec1'] as const) {
        const written = key.export({ ...options, type }).toString();
        const given = { certificate: ADA.cert, key: written, passphrase: 'horse' };
        await subscribe(open.url(`${at}/${type}`), { certificate: given });
        expect(open.asked(`${at}/${type}`)[0]?.client).toBe('ada');
      }
    },
  );

  it('is asked for by a sentence where it is missing', async () => {
    expect(await refusalOf({}, strict.url(at))).toContain(
      'it requires a client certificate, or rejects the given one',
    );
  });

  it('makes a source of its own, which people with another one do not share', async () => {
    const url = open.url(at);
    await subscribe(url, { certificate });
    await subscribe(url, { certificate: { certificate: BOB.cert, key: BOB.key } }, others);
    await ok(news.post('/feeds/preview', { url, access: {} }));

    expect(titles(await news.items())).toEqual(['for ada']);
    expect(titles(await others.items())).toEqual(['for bob']);
    const clients = open.asked(at).map(({ client, socket }) => [client, socket] as const);
    for (const [client, socket] of clients) {
      expect(clients.filter(([, other]) => other === socket).map(([name]) => name)).toEqual(
        clients.filter(([, other]) => other === socket).map(() => client),
      );
    }
    expect(new Set(clients.map(([client]) => client))).toEqual(new Set(['ada', 'bob', undefined]));
  });

  it('and a stranger: nobody else learns that there is one, or removes it', async () => {
    const feed = await subscribe(open.url(at), { certificate });

    expect((await others.get(`/feeds/${feed.id}/fetching`)).status).toBe(404);
    const json = { access: { certificate: null } };
    expect((await others.call('PATCH', `/feeds/${feed.id}`, { json })).status).toBe(404);
  });

  it('goes through the outgoing proxy, and not to it', async () => {
    const proxy = await startForwardProxy(strict.port, { withTls: false });
    const behind = await startApp({ ...settings, GATEFOLD_OUTGOING_PROXY: proxy.url });
    const client = new NewsClient(await behind.signIn(), 'v1-3');

    await subscribe(strict.url(at), { certificate }, client);

    expect(proxy.requests.map(({ line }) => line)).toContain(`CONNECT localhost:${strict.port}`);
    expect(titles(await client.items())).toEqual(['for ada']);
    await behind.stop();
    await proxy.close();
  });

  it.each([
    ['that is none', { certificate: 'x', key: ADA.key }, 'one to 10 certificates in PEM form'],
    ['that is damaged', { certificate: ADA.cert.replace('MII', 'MIJ') }, 'cannot be read'],
    ['of another key', { certificate: ADA.cert, key: BOB.key }, 'that the key belongs to'],
    ['without a key', { certificate: ADA.cert }, 'must have a private key in PEM form'],
    [
      'with another passphrase',
      { certificate: ADA.cert, key: ADA.encryptedKey, passphrase: 'cow' },
      'or another passphrase',
    ],
    [
      'whose passphrase takes a second to try',
      { certificate: ADA.cert, key: ADA.slowKey, passphrase: 'horse' },
      'openssl pkcs8 -topk8 -iter 10000',
    ],
    [
      'whose salt says that it does not',
      { certificate: ADA.cert, key: keyWithDecoy(400_000), passphrase: 'horse' },
      'openssl pkcs8 -topk8 -iter 10000',
    ],
    [
      'that is encrypted in spite of its name',
      { certificate: ADA.cert, key: ADA.slowKey.replaceAll('ENCRYPTED ', ''), passphrase: 'horse' },
      'cannot be read',
    ],
    [
      'with a slow key inside a block of another name',
      {
        certificate: ADA.cert,
        key: `-----BEGIN X PRIVATE KEY-----\nAAAA\n-----END Y-----\n${ADA.slowKey}\n-----END X PRIVATE KEY-----`,
        passphrase: 'horse',
      },
      'openssl pkcs8 -topk8 -iter 10000',
    ],
    ['that is too long', { certificate: ADA.cert.repeat(60) }, 'at most 32768 characters'],
  ])('%s is refused at once, before anybody is asked', async (_what, wrong, sentence) => {
    expect(await refusalOf({ certificate: wrong })).toContain(sentence);
    expect(open.asked(at)).toEqual([]);
  });

  it('is not tried at an address that begins with http', async () => {
    const sentence = await refusalOf({ certificate }, open.url(at).replace('https', 'http'));

    expect(sentence).toContain('needs an address that begins with https://');
  });

  it('is announced a month before its end, weekly, and fails with a sentence after it', async () => {
    const feed = await subscribe(open.url(at), { certificate });
    const clock = app.inside(Clock);
    const told = async (day: string) => {
      clock.now = () => new Date(`${day}T12:00:00Z`);
      await app.inside(CertificateNotices).tell();
      return notificationsOf(user);
    };
    try {
      expect(await told('2125-05-23')).toEqual([]);
      const [first] = await told('2125-05-25');
      expect(first?.subject).toBe('The client certificate of “Intern” ends on 2125-06-23');
      expect(await told('2125-05-26')).toMatchObject([first]);
      const again = await told('2125-06-02');
      expect(again).toHaveLength(1);
      expect(again[0]?.notification_id).not.toBe(first?.notification_id);

      const before = open.asked(at).length;
      clock.now = () => new Date('2125-06-24T12:00:00Z');
      await fetchAgain(feed);
      expect(open.asked(at)).toHaveLength(before);
      expect((await news.feed(feed.id)).lastUpdateError).toBe(
        'The client certificate of this feed ended on 2125-06-23; enter a new one in the settings of the feed.',
      );
    } finally {
      Reflect.deleteProperty(clock, 'now');
    }
  });
});

/** Before the end of the certificates of these tests. */
async function tellAMonthBefore(): Promise<void> {
  const clock = app.inside(Clock);
  clock.now = () => new Date('2125-05-25T12:00:00Z');
  try {
    await app.inside(CertificateNotices).tell();
  } finally {
    Reflect.deleteProperty(clock, 'now');
  }
}

describe('the client certificate of a feed that is brought by a file', () => {
  it('is announced before its end, too', async () => {
    const access = JSON.stringify({ certificate }).replaceAll('"', '&quot;');
    const body = `<opml version="2.0" xmlns:gatefold="https://gatefold.org/opml"><body>
      <outline type="rss" text="Intern" xmlUrl="${open.url(at)}" gatefold:access="${access}"/></body></opml>`;
    const headers = { 'content-type': 'text/x-opml' };
    expect(await news.call('POST', '/opml/import', { body, headers })).toMatchObject({
      json: { imported: 1 },
    });
    await tellAMonthBefore();

    expect(await notificationsOf(user)).toMatchObject([
      { subject: expect.stringMatching(/^The client certificate of .* ends on 2125-06-23$/) },
    ]);
  });
});

describe('the client certificate of a feed in the folder of a group', () => {
  it('is announced to the editors, who can renew it, and not to other members', async () => {
    const groups = new Groups(app);
    const [editor, member] = [await app.signIn(), await app.signIn()];
    const group = `intern-${specs}`;
    await groups.create(group);
    const groupFolder = await groups.createFolder(group, 'Intern');
    await groups.add(groupFolder, open.url(at), { access: { certificate } });
    for (const { credentials } of [editor, member]) {
      await groups.enter(group, credentials.userId);
    }
    const editors = [editor.credentials.userId];
    await ok(groups.news.put(`/admin/group-folders/${groupFolder}/editors`, { editors }));
    for (const one of [editor, member]) {
      expect((await new NewsClient(one, 'v1-3').feedList()).feeds).toHaveLength(1);
    }
    await tellAMonthBefore();

    expect(await notificationsOf(editor)).toMatchObject([
      { subject: 'The client certificate of “Intern” ends on 2125-06-23' },
    ]);
    expect(await notificationsOf(member)).toEqual([]);
  });
});

describe('headers and a token of a feed', () => {
  const access = {
    token: 'abc.def',
    headers: { 'X-Key': 'k-secret', Accept: 'application/rss+xml' },
  };

  it('are sent with every fetch, and conditional requests work as before', async () => {
    const feed = await subscribe(open.url(at), access);
    await fetchAgain(feed);

    expect(open.asked(at).at(-1)?.headers).toMatchObject({
      authorization: 'Bearer abc.def',
      'x-key': 'k-secret',
      accept: 'application/rss+xml',
      'if-none-match': '"1"',
    });
    expect(titles(await news.items())).toEqual(['for nobody k-secret']);
  });

  it('are changed one by one, and shown by their names alone', async () => {
    const feed = await subscribe(open.url(at), access);
    const json = { access: { headers: { accept: null, 'X-Other': 'o' } } };
    await ok(news.call('PATCH', `/feeds/${feed.id}`, { json }));

    expect(await fetching(feed)).toMatchObject({
      hasToken: true,
      headers: ['x-key', 'x-other'],
      certificateEnds: null,
    });
    expect(open.asked(at).at(-1)?.headers).toMatchObject({ 'x-key': 'k-secret', 'x-other': 'o' });
    expect(open.asked(at).at(-1)?.headers.accept).toContain('application/atom+xml');
  });

  it('leave with the certificate at a redirect to another host, and do not come back', async () => {
    const feed = await subscribe(open.url(at), { ...access, certificate, cookie: 'session=1' });
    open.redirects.set(at, open.url(`${at}/away`, '127.0.0.2'));
    open.redirects.set(`${at}/away`, open.url(`${at}/back`));
    await fetchAgain(feed);

    for (const [{ client, headers } = { client: 'none', headers: {} }] of [
      open.asked(`${at}/away`),
      open.asked(`${at}/back`),
    ]) {
      expect(client).toBeUndefined();
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty('x-key');
      expect(headers.accept).not.toBe('application/rss+xml');
    }
    expect(open.asked(`${at}/away`)[0]?.headers).not.toHaveProperty('cookie');
    expect(open.asked(at).at(-1)?.client).toBe('ada');
  });

  it('are in no list, export, error or row of the database', async () => {
    const feed = await subscribe(open.url(at), { ...access, certificate });
    open.redirects.set(at, 'https://127.0.0.1:1/');
    await fetchAgain(feed);
    const shown = await Promise.all([
      news.get('/feeds'),
      news.get(`/feeds/${feed.id}/status`),
      news.get(`/feeds/${feed.id}/fetching`),
      news.get('/opml/export'),
      admin.get('/admin/sources', { limit: 200 }),
      admin.get('/doctor', { feedId: feed.id }),
    ]);
    const stored = await app.database.query('select source.*, source.access::text from source');
    const all = JSON.stringify([...shown.map(({ text }) => text), stored]);

    expect(all).toContain(String(feed.id));
    for (const secret of ['abc.def', 'k-secret', ADA.key.split('\n')[1] ?? '', 'CERTIFICATE---']) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  it.each([
    'Host',
    'Content-Length',
    'Connection',
    'Transfer-Encoding',
    'TE',
    'Upgrade',
    'Expect',
    'Proxy-Authorization',
    'If-None-Match',
    'Accept-Encoding',
    'Range',
    'X-Forwarded-For',
  ])('may not be %s, which the connection sets', async (name) => {
    expect(await refusalOf({ headers: { [name]: 'x' } })).toContain(
      `must not have the name ${name}: the connection sets it`,
    );
  });

  it.each([
    ['Cookie as a header', { headers: { Cookie: 'a=b' } }, 'it has a field of its own'],
    ['Authorization as a header', { headers: { Authorization: 'x' } }, 'it has a field of its own'],
    ['a name with a space', { headers: { 'a b': 'x' } }, 'it is no name of a header'],
    ['a line break', { headers: { 'x-a': 'a\r\nx-b: c' } }, 'must be one line of ASCII characters'],
    ['a long value', { headers: { 'x-a': 'x'.repeat(4097) } }, 'at most 4096 characters'],
    [
      'six headers',
      { headers: { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' } },
      'at most 5 headers',
    ],
    ['a token with a space', { token: 'a b' }, 'must be ASCII characters without a space'],
    ['a long token', { token: 'x'.repeat(4097) }, 'at most 4096 characters'],
    [
      'a token and a user name',
      { token: 'x', userName: 'ada' },
      'either a user name and a password, or a token',
    ],
  ])('are refused with a sentence: %s', async (_what, wrong, sentence) => {
    expect(await refusalOf(wrong)).toContain(sentence);
    expect(open.asked(at)).toEqual([]);
  });
});

it('A library that connects by itself trusts the private authorities, beside the built-in ones', async () => {
  expect((await fetch(open.url('/library'))).status).toBe(200);
  expect(getCACertificates('default').length).toBeGreaterThan(100);
});

it('The doctor names the bundle of private authorities, and what ends soon', async () => {
  const clock = app.inside(Clock);
  const findings = async () => {
    const subjects = await app.inside(InstallationChecks).run();
    const authorities = subjects.find(({ subject }) => subject === 'Private authorities');
    // The machine may have NODE_EXTRA_CA_CERTS.
    return authorities?.findings.filter(({ text }) => /^GATEFOLD|Test authority/.test(text));
  };
  const named = {
    state: 'ok',
    text: `GATEFOLD_CA_FILE names ${bundle} with 1 certificate of authorities.`,
  };
  expect(await findings()).toEqual([named]);
  clock.now = () => new Date('2126-10-30T12:00:00Z');
  expect(await findings()).toMatchObject([
    named,
    { state: 'warning', text: expect.stringContaining('CN=Test authority ends on 2126-11') },
  ]);
  Reflect.deleteProperty(clock, 'now');
});

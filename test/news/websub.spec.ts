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
import { Logger } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Config } from '../../src/common/config/config.js';
import { callbackRoot, WebSubService } from '../../src/news/sources/websub/websub.service.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss, startFeedServer, type FeedServer } from '../support/feed-server.js';
import { NewsClient, titles, type FeedJson } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

/** Public address of the service in these specs; nothing listens there. */
const BASE_URL = 'https://feeds.gatefold.org/reader';

const SETTINGS = {
  GATEFOLD_BASE_URL: BASE_URL,
  GATEFOLD_SECRET_KEY: 'only for these specs, long enough',
};

interface AskedOfHub {
  readonly callback: string;
  readonly mode: string;
  readonly topic: string;
  readonly secret: string | null;
}

let app: TestApp;
let publisher: FeedServer;
let hub: Server;
let asked: AskedOfHub[] = [];
let hubStatus = 202;
let user: TestUser;
let news: NewsClient;
let path: string;
let specs = 0;

beforeAll(async () => {
  hub = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const form = new URLSearchParams(body);
      asked.push({
        callback: form.get('hub.callback') ?? '',
        mode: form.get('hub.mode') ?? '',
        topic: form.get('hub.topic') ?? '',
        secret: form.get('hub.secret'),
      });
      response.writeHead(hubStatus).end();
    });
  });
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  [app, publisher] = await Promise.all([startApp(SETTINGS), startFeedServer()]);
});
afterAll(async () => {
  await Promise.all([app.stop(), publisher.close()]);
  hub.close();
  hub.closeAllConnections();
});
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
});
afterEach(async () => {
  asked = [];
  hubStatus = 202;
  await app.database.query('delete from websub_lease');
});

const takeSteps = () => app.inside(UpdateCycle).keepHouse();
const makeDue = () => app.database.query('update websub_lease set next_step_at = now()');

function publish(...entries: string[]): void {
  const { port } = hub.address() as AddressInfo;
  const channelXml =
    `<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="hub" href="http://127.0.0.1:${port}/"/>` +
    `<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="${publisher.url(path)}"/>`;
  const items = entries.map((title) => ({ title }));
  publisher.publish(path, rss({ title: 'f', link: publisher.url('/'), items, channelXml }));
}

async function subscribe(): Promise<{ feed: FeedJson; request: AskedOfHub }> {
  publish('first');
  const feed = await news.subscribe(publisher.url(path));
  await takeSteps();
  const [request] = asked;
  if (request === undefined) {
    throw new Error('The hub was not asked');
  }
  return { feed, request };
}

/** The hub's request to a callback, sent to the address where the service really listens. */
const atCallback = (request: AskedOfHub) => request.callback.replace(BASE_URL, '');

const verify = (request: AskedOfHub, changes: Record<string, string> = {}) =>
  app.asStranger().get(atCallback(request), {
    query: {
      'hub.mode': request.mode,
      'hub.topic': request.topic,
      'hub.challenge': 'a challenge',
      'hub.lease_seconds': '864000',
      ...changes,
    },
  });

function call(request: AskedOfHub, body: string, secret = request.secret ?? '') {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return app.asStranger().call('POST', atCallback(request), {
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature': signature },
  });
}

const states = async () =>
  (await app.database.query<{ state: string }>('select state from websub_lease')).map(
    ({ state }) => state,
  );

describe('WebSub', () => {
  it('subscribes at the hub of a feed, and confirms the verification', async () => {
    const { request } = await subscribe();

    expect(request).toMatchObject({ mode: 'subscribe', topic: publisher.url(path) });
    expect(request.callback).toMatch(/^https:\/\/feeds\.gatefold\.org\/reader\/websub\/[\w-]{32}$/);
    expect(request.secret).toMatch(/^[0-9a-f]{64}$/);

    const answer = await verify(request);

    expect([answer.status, answer.text]).toEqual([200, 'a challenge']);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(await states()).toEqual(['active']);
  });

  it('stores no secret in plain text', async () => {
    const { request } = await subscribe();

    const rows = await app.database.query<{ row: string; secret: string | null }>(
      `select websub_lease::text as row, encode(secret_sealed, 'escape') as sealed, secret
         from websub_lease`,
    );

    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(request.secret);
    expect(rows[0]?.secret).toBeNull();
  });

  it('reads plain-text secrets of an older version, and encrypts them', async () => {
    const { request } = await subscribe();
    await verify(request);
    await app.database.query('update websub_lease set secret = $1, secret_sealed = null', [
      'f'.repeat(64),
    ]);
    const older = await startApp({
      ...SETTINGS,
      DATABASE_URL: app.inside(Config).databaseUrl ?? '',
    });
    await older.inside(WebSubService).takeSteps();
    await older.stop();

    expect(await app.database.query('select secret from websub_lease')).toEqual([{ secret: null }]);
    expect((await call(request, 'body', 'f'.repeat(64))).status).toBe(202);
    const [lease] = await app.database.query<{ called: boolean }>(
      'select last_call_at is not null as called from websub_lease',
    );
    expect(lease).toEqual({ called: true });
  });

  it('sends the hub a new secret if the key of the installation has changed', async () => {
    await subscribe();
    await app.database.query(
      "update websub_lease set secret_sealed = decode('01020304', 'hex'), next_step_at = now()",
    );

    await takeSteps();

    const [before, after] = asked;
    expect(after?.secret).toMatch(/^[0-9a-f]{64}$/);
    expect(after?.secret).not.toBe(before?.secret);
  });

  it('confirms only its own requests', async () => {
    const { request } = await subscribe();

    expect((await verify(request, { 'hub.topic': 'https://else.example/' })).status).toBe(404);
    expect((await verify(request, { 'hub.mode': 'unsubscribe' })).status).toBe(404);
    const elsewhere = { ...request, callback: `${BASE_URL}/websub/guessed` };
    expect((await verify(elsewhere)).status).toBe(404);
    expect((await call(elsewhere, '{}')).status).toBe(404);
    expect(await states()).toEqual(['asked']);
  });

  it('fetches at once when the hub sends a notification, regardless of its body', async () => {
    const { feed, request } = await subscribe();
    await verify(request);
    publish('second', 'first');
    await app.database.query("update source set fetched_at = fetched_at - interval '5 minutes'");

    const answer = await call(request, '{"items": "as the hub pleases"}');
    await app.inside(UpdateCycle).fetchDue();

    expect(answer.status).toBe(202);
    expect(titles(await news.items({ type: 0, id: feed.id }))).toEqual(['second', 'first']);
  });

  it('ignores notifications without a valid signature, and logs the first of many', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const { feed, request } = await subscribe();
    await verify(request);
    await app.database.query("update source set fetched_at = fetched_at - interval '5 minutes'");
    const requests = publisher.requests(path).length;

    const answers = [
      await call(request, 'body', 'another secret'),
      await app.asStranger().call('POST', atCallback(request), { body: 'unsigned' }),
    ];
    await app.inside(UpdateCycle).fetchDue();

    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const lines = warn.mock.calls.filter(([line]) => String(line).includes('valid signature'));
    warn.mockRestore();
    expect(lines).toHaveLength(1);
    expect(publisher.requests(path)).toHaveLength(requests);
    expect((await news.feed(feed.id)).nextUpdateTime).toBeGreaterThan(Date.now() / 1000 + 300);
  });

  it('continues to poll, at the maximum interval', async () => {
    const { feed, request } = await subscribe();
    await verify(request);
    publish('second', 'first');

    await new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);

    const waitSeconds = ((await news.feed(feed.id)).nextUpdateTime ?? 0) - Date.now() / 1000;
    expect(waitSeconds).toBeGreaterThan(3000);
    expect(waitSeconds).toBeLessThan(2 * 86_400);
  });

  it('renews its lease before it expires', async () => {
    const { request } = await subscribe();
    await verify(request, { 'hub.lease_seconds': '1000' });
    const [lease] = await app.database.query<{ renewIn: number; expiresIn: number }>(
      `select extract(epoch from next_step_at - now())::int as "renewIn",
              extract(epoch from expires_at - now())::int as "expiresIn" from websub_lease`,
    );
    expect(lease?.renewIn).toBeLessThan(lease?.expiresIn ?? 0);

    await makeDue();
    await takeSteps();

    expect(asked.map(({ mode }) => mode)).toEqual(['subscribe', 'subscribe']);
    expect(asked[1]?.callback).toBe(request.callback);
    expect(await states()).toEqual(['active']);
  });

  it('retries later if the hub refuses', async () => {
    hubStatus = 500;
    await subscribe();
    expect(await states()).toEqual(['refused']);

    hubStatus = 202;
    await takeSteps();
    expect(asked).toHaveLength(1);
    await makeDue();
    await takeSteps();

    expect(asked).toHaveLength(2);
    expect(await states()).toEqual(['asked']);
  });

  it('unsubscribes when the feed has no more followers', async () => {
    const { feed, request } = await subscribe();
    await verify(request);
    await news.delete(`/feeds/${feed.id}`);

    await makeDue();
    await takeSteps();
    const last = asked.at(-1);
    const answer = await verify(last ?? request);

    expect(last).toMatchObject({ mode: 'unsubscribe', callback: request.callback });
    expect(answer.text).toBe('a challenge');
    expect(await states()).toEqual([]);
  });

  it('does not subscribe for feeds that need credentials', async () => {
    publish('first');
    await news.subscribe(publisher.url(path).replace('//', '//ada:secret@'));

    await takeSteps();

    expect(asked).toEqual([]);
  });
});

describe('the address for hubs', () => {
  it.each([
    ['auto', 'https://feeds.gatefold.org/reader', true],
    ['auto', 'http://feeds.gatefold.org', false],
    ['auto', 'https://localhost:8443', false],
    ['auto', 'https://reader.home.lan', false],
    ['auto', 'https://192.168.1.5', false],
    ['on', 'http://192.168.1.5:8080', true],
    ['off', 'https://feeds.gatefold.org', false],
    ['on', undefined, false],
  ] as const)('with %s and %s is there: %s', (websub, baseUrl, expected) => {
    expect(callbackRoot({ websub, baseUrl })).toBe(expected ? baseUrl : null);
  });
});

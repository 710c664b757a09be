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
import { Client } from 'pg';
import { Config } from '../../src/common/config/config.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import {
  EventsV13Controller,
  EventStream,
} from '../../src/news/reader/live/events.v1-3.controller.js';
import { LiveUpdates } from '../../src/news/reader/live/live-updates.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { EventListener } from '../support/event-listener.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type FeedJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { until, within } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher();
/** Another process on the same database. */
let twin: TestApp;
let isTwinRunning = true;
let user: TestUser;
let news: NewsClient;
let path: string;
let specs = 0;
let open: EventListener[] = [];

beforeAll(async () => {
  twin = await startApp({ DATABASE_URL: databaseUrl() });
});
afterAll(() => (isTwinRunning ? twin.stop() : undefined));
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
});
afterEach(() => {
  open.forEach((listener) => listener.close());
  open = [];
});

const databaseUrl = () => app.inside(Config).databaseUrl ?? '';
const admin = () => new NewsClient(app.asAdmin(), 'v1-3');

async function listen(
  who = user,
  { client = '', since = '', at = app } = {},
): Promise<EventListener> {
  const query = new URLSearchParams({ ...(client && { client }), ...(since && { since }) });
  const url = `${at.url}/index.php/apps/news/api/v1-3/events?${query}`;
  const listener = await EventListener.open(url, who.credentials);
  open.push(listener);
  return listener;
}

const publish = (...entries: string[]) =>
  publisher.publish(
    path,
    rss({ title: path, link: publisher.url('/'), items: entries.map((title) => ({ title })) }),
  );

async function follow(who = user): Promise<FeedJson> {
  if (publisher.requests(path).length === 0) {
    publish('a');
  }
  return new NewsClient(who, 'v1-3').subscribe(publisher.url(path));
}

const update = (feed: FeedJson, of = user) => admin().update(of.credentials.userId, feed.id);

const rename = (name: string, headers: Record<string, string> = {}) =>
  ok(news.call('POST', '/folders', { json: { name }, headers }));

/** Keeps other changes of the user waiting. */
async function holdingReader(): Promise<{ release(): void }> {
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  void app.database.transaction(async (tx) => {
    const [reader] = await tx.query<{ id: number }>(
      'select reader_id as id from reader_user where user_id = $1',
      [user.credentials.userId],
    );
    await tx.query('select from reader where id = $1 for update', [reader?.id]);
    held.resolve();
    await released.promise;
  });
  await within('the lock of the reader', held.promise);
  return { release: () => released.resolve() };
}

/** Resolves when a stream of the user is being opened. */
async function isWatched(): Promise<void> {
  await until('a stream of the user', async () => {
    const rows = await app.database.query(
      'select from reader_user where user_id = $1 and watched_until is not null',
      [user.credentials.userId],
    );
    return rows.length > 0;
  });
}

describe('a client with a stream', () => {
  it('learns which feeds have new items, and the newest id', async () => {
    const feed = await follow();
    const listener = await listen();
    publish('c', 'b', 'a');

    await update(feed);

    const newest = (await news.feedList()).newestItemId;
    expect(await listener.first('items')).toEqual({
      name: 'items',
      data: { feedIds: [feed.id], newestItemId: newest },
    });
  });

  it('learns of pending articles when a feed was fetched for another user', async () => {
    const feed = await follow();
    const other = await app.signIn();
    const others = await follow(other);
    const listener = await listen();
    publish('b', 'a');

    await update(others, other);

    expect(await listener.event(1)).toEqual({ name: 'pending', data: { feedIds: [feed.id] } });
    expect((await news.items()).map(({ title }) => title)).toEqual(['b', 'a']);
    expect(await listener.event(2)).toMatchObject({ name: 'items' });
  });

  it('learns of a change of a delivered article', async () => {
    const feed = await follow();
    const item = (body: string) => ({ title: 'a', guid: 'a', body });
    publisher.publish(path, rss({ title: path, items: [item('one')] }));
    await update(feed);
    const listener = await listen();
    publisher.publish(path, rss({ title: path, items: [item('two')] }));

    await update(feed);

    expect(await listener.event(1)).toMatchObject({ name: 'pending' });
    expect(await listener.event(2)).toEqual({ name: 'changed', data: {} });
  });

  it.each<[string, (feed: FeedJson) => Promise<unknown>]>([
    ['a flag', async () => news.post('/items/read', { newestItemId: 1 })],
    ['a folder', async () => news.createFolder('Science')],
    ['the title of a feed', async ({ id }) => news.post(`/feeds/${id}/rename`, { feedTitle: 'x' })],
    ['a setting', async ({ id }) => news.call('PATCH', `/feeds/${id}`, { json: { pinned: true } })],
    ['a feed that goes', async ({ id }) => news.delete(`/feeds/${id}`)],
  ])('is told that another program changed %s', async (_what, change) => {
    const feed = await follow();
    const listener = await listen();

    await change(feed);

    expect(await listener.event(1)).toEqual({ name: 'changed', data: {} });
  });

  describe('that names the last change it knows', () => {
    const knownSince = async () =>
      String((await ok<{ since: number }>(news.get('/rows', { type: 3, batchSize: 1 }))).since);

    it.each<[string, (feed: FeedJson) => Promise<unknown>]>([
      ['a flag', async () => news.post('/items/read', { newestItemId: 1 })],
      ['a feed', async () => news.subscribe(publisher.url(`${path}?another`))],
      ['delivered articles', async (feed) => (publish('c', 'a'), update(feed))],
    ])('is told at the beginning that it missed %s', async (_what, change) => {
      const feed = await follow();
      const since = await knownSince();

      await change(feed);
      const listener = await listen(user, { since });

      expect(await listener.event(1)).toEqual({ name: 'changed', data: {} });
    });

    it('is told of pending articles', async () => {
      await follow();
      const other = await app.signIn();
      const others = await follow(other);
      const since = await knownSince();

      publish('b', 'a');
      await update(others, other);
      const listener = await listen(user, { since });

      expect(await listener.event(1)).toEqual({ name: 'changed', data: {} });
    });

    it('is told nothing without a change, and refused a text', async () => {
      const feed = await follow();
      const listener = await listen(user, { since: await knownSince() });
      publish('c', 'a');

      await update(feed);

      expect(await listener.event(1)).toMatchObject({ name: 'pending' });
      const wrong = await news.get('/events', { since: 'yesterday' });
      expect(wrong.status).toBe(422);
    });
  });

  it('receives all changes except those sent with its client name', async () => {
    const [mine, others] = [await listen(user, { client: 'tab-1' }), await listen()];

    await rename('by me', { 'x-gatefold-client': 'tab-1' });
    expect(await others.event(1)).toMatchObject({ name: 'changed' });
    await rename('by another', { 'x-gatefold-client': 'tab-2' });
    await others.event(2);
    await rename('by nobody');
    await others.event(3);

    await mine.event(2);
    expect(mine.events).toHaveLength(2);
  });

  it('learns nothing of other users', async () => {
    const stranger = await app.signIn();
    const listener = await listen(stranger);
    const own = await listen();

    await rename('Science');
    await own.event(1);
    await ok(new NewsClient(stranger, 'v1-3').post('/folders', { name: 'Mine' }));

    await listener.event(1);
    expect(listener.events).toHaveLength(1);
  });

  it('receives changes made by another process', async () => {
    const listener = await listen(user, { at: twin });

    await rename('Science');

    expect(await listener.event(1)).toEqual({ name: 'changed', data: {} });
  });

  it('is told to synchronise after the connection for notices was lost, and continues', async () => {
    const listener = await listen();

    const cut = await app.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'gatefold notices' and datname = current_database()`,
    );

    // One of each process.
    expect(cut).toHaveLength(2);
    expect(await listener.event(1)).toEqual({ name: 'changed', data: {} });
    await rename('Science');
    expect(await listener.event(2)).toEqual({ name: 'changed', data: {} });
  });

  it('needs credentials', async () => {
    const guest = new NewsClient(app.asStranger(), 'v1-3');

    expect((await guest.get('/events')).status).toBe(401);
    expect((await news.get('/events', { client: 'a b' })).status).toBe(422);
  });
});

describe('the stream', () => {
  const controller = () => app.inside(EventsV13Controller);
  const usual = { heartbeatMs: 25_000, longestMs: 1_800_000 };
  afterEach(() => {
    controller().pace = usual;
  });

  it('has the content type of event streams, and is not buffered by proxies', async () => {
    const { response } = await listen();

    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(response.headers['content-encoding']).toBeUndefined();
  });

  it('ends at once for HEAD', async () => {
    const { status, headers } = await news.call('HEAD', '/events');

    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('sends a comment regularly', async () => {
    expect(controller().pace).toEqual(usual);
    controller().pace = { ...usual, heartbeatMs: 5 };

    expect(await (await listen()).heartbeats(3)).toBe(true);
  });

  it('ends after a time, so that credentials are checked again', async () => {
    controller().pace = { ...usual, longestMs: 5 };
    const listener = await listen();

    await listener.ended();

    expect(listener.response.complete).toBe(true);
  });

  it.each<[string, (users: UsersService, userId: string) => Promise<void>]>([
    ['is removed', (users, userId) => users.delete(userId)],
    ['is disabled', (users, userId) => users.disable(userId)],
    ['has another password', (users, userId) => users.changePassword(userId, 'another one')],
  ])('ends at every process when the user %s', async (_what, change) => {
    const others = await listen(await app.signIn());
    const listeners = [await listen(), await listen(user, { at: twin })];

    await change(app.inside(UsersService), user.credentials.userId);

    await Promise.all(listeners.map((listener) => listener.ended()));
    expect(listeners.map(({ response }) => response.complete)).toEqual([true, true]);
    expect(others.response.complete).toBe(false);
  });

  it('that cannot begin is forgotten', async () => {
    const state = jest.spyOn(app.inside(ReadersRepository), 'stateOf');
    const send = jest.spyOn(EventStream.prototype, 'send');
    try {
      state.mockRejectedValueOnce(new Error('away'));
      expect((await news.get('/events', { since: 1 })).status).toBe(500);
      const listener = await listen();
      await rename('Science');

      expect(await listener.event(1)).toEqual({ name: 'changed', data: {} });
      expect(send).toHaveBeenCalledTimes(1);
    } finally {
      state.mockRestore();
      send.mockRestore();
    }
  });

  it("closes the user's oldest stream beyond the limit", async () => {
    const first = await listen();
    for (let more = 0; more < 20; more += 1) {
      await listen();
    }

    await first.ended();

    expect(open.filter(({ response }) => response.complete)).toHaveLength(1);
  });
});

/** Resolves with the first notice. */
async function aNotice(): Promise<{ first(): Promise<unknown>; end(): Promise<void> }> {
  const listener = new Client({ connectionString: databaseUrl() });
  await listener.connect();
  const first = new Promise<unknown>((resolve) => {
    listener.once('notification', ({ payload = '' }) => resolve(JSON.parse(payload)));
  });
  await listener.query('listen gatefold_news');
  return { first: () => within('a notice', first), end: () => listener.end() };
}

describe('a change that waits for the same lock as a stream that begins', () => {
  it('is announced when it comes after it', async () => {
    await follow();
    const { userId } = user.credentials;
    const notice = await aNotice();
    const { release } = await holdingReader();
    const reader = await readerOf(app, userId);
    const watching = app.inside(ReadersRepository).watch(reader, 60);
    await isWatched();
    const change = news.post('/items/read', { newestItemId: 1 });

    release();

    await watching;
    expect(await notice.first()).toMatchObject({ readerId: reader.id, changed: true });
    expect((await change).status).toBe(200);
    await notice.end();
  });
});

describe('changes of a user without streams', () => {
  it('are not announced', async () => {
    const notices: string[] = [];
    const listener = new Client({ connectionString: databaseUrl() });
    await listener.connect();
    const heard = new Promise<void>((resolve) => {
      listener.on('notification', ({ payload = '' }) => {
        notices.push(payload);
        resolve();
      });
    });
    await listener.query('listen gatefold_news');

    await follow();
    await ok(news.post('/items/read', { newestItemId: 1 }));
    await listen();
    await rename('Science');
    await within('a notice', heard);
    await listener.end();

    expect(notices.map((notice) => JSON.parse(notice) as unknown)).toEqual([
      { readerId: expect.any(Number), client: null, items: null, changed: true },
    ]);
  });
});

// Last: afterwards the services of this file have no streams.
describe('a stream of a service that stops', () => {
  it('ends, and the service does not wait for it', async () => {
    const listener = await listen(user, { at: twin });

    isTwinRunning = false;
    await twin.stop();

    await listener.ended();
    expect(listener.response.complete).toBe(true);
  });

  it('ends at once when the service began to stop after the request had come', async () => {
    app.inside(LiveUpdates).beforeApplicationShutdown();

    const listener = await listen();
    const { response } = listener;

    await listener.ended();
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(response.complete).toBe(true);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { NewsEvents } from '../../src/common/ports/news-events.js';
import { Database, type SqlRunner } from '../../src/database/database.js';
import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../support/external-app.js';
import { itLong } from '../support/long.js';
import { NewsClient, ok } from '../support/news-client.js';
import { aNewsEvent, type ReceivedNewsEvent } from '../support/news-events.js';
import { readerOf } from '../support/reader-of.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';
import { statementsDuring } from '../support/statements.js';
import { found, until, within } from '../support/until.js';

const LISTENER = '/api/v1/events_listener';
const DEAD_LETTERS = '/ocs/v2.php/apps/app_api/api/v1/dead-letters';

let gateway: TestApp;
let ada: TestUser;
let news: NewsClient;
let app: ExternalApp;
let others: ExternalApp[] = [];

beforeAll(async () => {
  gateway = await startApp();
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  ada = await gateway.signInOnce('ada');
  news = clientOf(ada);
  app = await anApp('listener');
});
afterEach(async () => {
  for (const { appId, close } of others) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
  others = [];
  await gateway.database.query(`delete from job.job where name like 'news-event-delivery%'`);
  for (const table of ['follower', 'subscription', 'folder', 'source', 'reader_user', 'reader']) {
    await gateway.database.query(`delete from ${table}`);
  }
  await gateway.database.query('delete from news_event');
});

function clientOf({ credentials }: TestUser): NewsClient {
  return new NewsClient({ baseUrl: gateway.url, credentials }, 'v1-3');
}

async function anApp(appId: string): Promise<ExternalApp> {
  const external = await startExternalApp(gateway, { appId });
  await knowApp(gateway, external);
  external.on('/on-news', json({}));
  others.push(external);
  return external;
}

async function listen(external: ExternalApp, wishes: object = {}): Promise<void> {
  const answer = await external.as().ocs('POST', LISTENER, {
    json: { eventType: 'news_event', actionHandler: '/on-news', ...wishes },
  });
  expect(answer.statuscode).toBe(100);
}

/** The nth event that the app received. */
async function event(nth = 1, external = app): Promise<ReceivedNewsEvent> {
  return aNewsEvent(await external.received('/on-news', nth));
}

/** A feed with published, undelivered items; resolves with its id. */
async function aFeed(
  user: TestUser,
  url: string,
  items: number,
  folderId: number | null = null,
): Promise<number> {
  const [source] = await gateway.database.query<{ id: number }>(
    `insert into source (url, url_key, title, rev) values ($1, decode(md5($1), 'hex'), 'Tides', 1)
     on conflict (url_key) do update set title = excluded.title returning id`,
    [url],
  );
  await gateway.database.query(
    `insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev, title,
                          author, url, pub_date_seconds, rtl)
     select $1, guid, decode(md5(guid), 'hex'), '', '', 1, 1, 'Title ' || n, 'Bo', $2 || '/' || n, n, false
       from generate_series(1, $3::int) n, lateral (select $2 || n as guid) named
     on conflict do nothing`,
    [source?.id, url, items],
  );
  await gateway.database.query(
    `insert into article_body (article_id, source_id, html)
     select id, source_id, '<p>' || repeat('x', 40000) || '</p>' from article where source_id = $1
     on conflict do nothing`,
    [source?.id],
  );
  return changing(user, async (tx, readerId) => {
    const [feed] = await tx.query<{ id: number }>(
      `insert into subscription (reader_id, source_id, url, delivered_rev, folder_id)
       values ($1, $2, $3, 0, $4) returning id`,
      [readerId, source?.id, url, folderId],
    );
    return feed?.id ?? 0;
  });
}

/** A change that no route makes. */
async function changing<Result>(
  { credentials }: TestUser,
  work: (tx: SqlRunner, readerId: number) => Promise<Result>,
): Promise<Result> {
  return gateway
    .inside(ReadersRepository)
    .change(await readerOf(gateway, credentials.userId), (tx, reader) => work(tx, reader.id));
}

const removeFeed = (user: TestUser, url: string) =>
  changing(user, (tx, readerId) =>
    tx.query('delete from subscription where reader_id = $1 and url = $2', [readerId, url]),
  );

async function aDeliveredFeed(user: TestUser, url: string, items: number): Promise<number> {
  const feedId = await aFeed(user, url, items);
  await gateway.inside(DeliveryService).deliverTo(await readerOf(gateway, user.credentials.userId));
  return feedId;
}

const idsOf = async () => (await news.items()).map(({ id }) => id).toSorted((a, b) => a - b);

describe(`a listener for news at ${LISTENER}`, () => {
  it('receives a starred item with its user, feed and folder', async () => {
    await listen(app, { eventSubtypes: ['ItemsStarredEvent'] });
    const folder = await news.createFolder('Sea');
    const feedId = await aFeed(ada, 'https://tide.example/feed', 2, folder.id);
    const [itemId = 0] = await idsOf();

    await ok(news.change(`/items/${itemId}/star`));

    const { body, userId } = await event();
    expect(userId).toBe('ada');
    expect(body).toEqual({
      event_type: 'news_event',
      event_subtype: 'ItemsStarredEvent',
      event_data: {
        user_id: 'ada',
        items: [
          {
            id: itemId,
            guid: 'https://tide.example/feed1',
            guidHash: expect.stringMatching(/^[0-9a-f]{32}$/),
            feedId,
            feedUrl: 'https://tide.example/feed',
            feedTitle: 'Tides',
            folderId: folder.id,
            folder: 'Sea',
            title: 'Title 1',
            url: 'https://tide.example/feed/1',
            author: 'Bo',
            pubDate: 1,
            unread: true,
            starred: true,
            labels: [],
          },
        ],
      },
    });
  });

  it('can be read back, and accepts names with underscores', async () => {
    await listen(app, {
      event_subtypes: ['ItemsReadEvent'],
      feed_urls: ['https://tide.example/feed'],
      folder_names: ['Sea'],
      with_bodies: 1,
    });

    const { data } = await app.as().ocs('GET', LISTENER, { query: { eventType: 'news_event' } });

    expect(data).toMatchObject({
      feed_urls: ['https://tide.example/feed'],
      folder_names: ['Sea'],
      with_bodies: true,
    });
  });

  it('receives what happened to one user in order', async () => {
    const feedId = await aFeed(ada, 'https://tide.example/feed', 1);
    await listen(app);

    const [itemId = 0] = await idsOf();
    await ok(news.change(`/items/${itemId}/read`));
    await ok(news.change(`/items/${itemId}/star`));
    await ok(news.change(`/items/${itemId}/unread`));
    await ok(news.change(`/items/${itemId}/unstar`));
    await event(5);
    await ok(news.delete(`/feeds/${feedId}`));

    await event(6);
    const received = app.requests('/on-news').map((request) => aNewsEvent(request).body);
    expect(received.map(({ event_subtype }) => event_subtype)).toEqual([
      'ItemsDeliveredEvent',
      'ItemsReadEvent',
      'ItemsStarredEvent',
      'ItemsUnreadEvent',
      'ItemsUnstarredEvent',
      'FeedRemovedEvent',
    ]);
  });

  it('receives feeds that are added, fail, recover and are removed, without their credentials', async () => {
    await listen(app);
    const url = 'https://bo:secret@tide.example/feed';

    await aFeed(ada, url, 0);
    await gateway.database.query(`update source set error_count = 1, last_error = 'It rains.'`);
    await gateway.database.query('update source set error_count = 2');
    await gateway.database.query('update source set error_count = 0, last_error = null');
    await removeFeed(ada, url);

    await event(4);
    const received = app.requests('/on-news').map((request) => aNewsEvent(request).body);
    expect(
      received.map(({ event_subtype, event_data }) => [event_subtype, event_data.feed]),
    ).toEqual([
      ['FeedAddedEvent', expect.objectContaining({ title: 'Tides', errorCount: 0 })],
      ['FeedFailingEvent', expect.objectContaining({ errorCount: 1, error: 'It rains.' })],
      ['FeedRecoveredEvent', expect.objectContaining({ errorCount: 0, error: null })],
      ['FeedRemovedEvent', expect.objectContaining({ url: 'https://tide.example/feed' })],
    ]);
    expect(JSON.stringify(received)).not.toContain('secret');
  });

  it('receives the items of a feed again whose removal was undone', async () => {
    const feedId = await aDeliveredFeed(ada, 'https://tide.example/feed', 2);
    await listen(app);

    for (const deletedAt of [new Date(), null]) {
      await changing(ada, (tx, readerId) =>
        tx.query('update subscription set deleted_at = $3 where reader_id = $1 and id = $2', [
          readerId,
          feedId,
          deletedAt,
        ]),
      );
    }

    await event(3);
    const received = app.requests('/on-news').map((request) => aNewsEvent(request).body);
    expect(received.map(({ event_subtype }) => event_subtype)).toEqual([
      'FeedRemovedEvent',
      'FeedAddedEvent',
      'ItemsDeliveredEvent',
    ]);
    expect(received[2]?.event_data.items).toHaveLength(2);
  });

  itLong('receives many items in batches of a hundred', async () => {
    await aDeliveredFeed(ada, 'https://tide.example/feed', 1230);
    await listen(app);

    await ok(news.change('/items/read', { newestItemId: 1230 }));

    await event(13);
    const sizes = app
      .requests('/on-news')
      .map((request) => aNewsEvent(request).body.event_data.items?.length);
    expect(sizes).toEqual([...Array.from({ length: 12 }, () => 100), 30]);
    expect(await gateway.database.query('select from news_event')).toEqual([]);
  });

  it('receives bodies if it asks for them, up to a million characters in an event', async () => {
    await aFeed(ada, 'https://tide.example/feed', 30);
    await listen(app, { withBodies: true, eventSubtypes: ['ItemsDeliveredEvent'] });

    await gateway.inside(DeliveryService).deliverTo(await readerOf(gateway, 'ada'));

    const { items = [] } = (await event()).body.event_data;
    const bodies = items.map(({ body }) => body?.length ?? null);
    expect(bodies.slice(0, 26)).toEqual(Array.from({ length: 26 }, () => 40_007));
    expect(bodies.slice(26)).toEqual([null, null, null, null]);
  });

  it('with feeds and folders receives only what is about any of them', async () => {
    const sea = await news.createFolder('Sea');
    await aFeed(ada, 'https://one.example/', 1, sea.id);
    await aFeed(ada, 'https://two.example/', 1);
    await aFeed(ada, 'https://three.example/', 1);
    await listen(app, {
      feedUrls: ['https://two.example/'],
      folderNames: ['Sea'],
      eventSubtypes: ['ItemsDeliveredEvent', 'FeedRemovedEvent'],
    });

    await gateway.inside(DeliveryService).deliverTo(await readerOf(gateway, 'ada'));
    await event(1);
    await removeFeed(ada, 'https://three.example/');
    await removeFeed(ada, 'https://two.example/');

    await event(2);
    const received = app.requests('/on-news').map((request) => aNewsEvent(request).body.event_data);
    expect(received[0]?.items?.map(({ feedUrl }) => feedUrl).toSorted()).toEqual([
      'https://one.example/',
      'https://two.example/',
    ]);
    expect(received[1]?.feed?.url).toBe('https://two.example/');
  });

  it('does not wait for an event of another user that fails', async () => {
    const ben = await gateway.signInOnce('ben');
    await aDeliveredFeed(ada, 'https://tide.example/ada', 1);
    await aDeliveredFeed(ben, 'https://tide.example/ben', 1);
    await listen(app);
    app.on('/on-news', ({ userId }, response) => {
      response.writeHead(userId === 'ada' ? 500 : 200).end();
    });

    await ok(news.change('/items/read', { newestItemId: 10 }));
    await event(1);
    await ok(clientOf(ben).change('/items/read', { newestItemId: 10 }));
    await ok(clientOf(ben).change('/items/1/star'));

    const bens = async (nth = 1): Promise<ReceivedNewsEvent[]> => {
      await event(nth);
      const seen = app.requests('/on-news').map((request) => aNewsEvent(request));
      const found = seen.filter(({ userId }) => userId === 'ben');
      return found.length < 2 ? bens(nth + 1) : found;
    };
    expect((await bens()).map(({ body }) => body.event_subtype)).toEqual([
      'ItemsReadEvent',
      'ItemsStarredEvent',
    ]);
  });

  it('receives nothing that was not registered, and nothing once the app is disabled', async () => {
    const stranger = await anApp('stranger');
    await aDeliveredFeed(ada, 'https://tide.example/feed', 3);
    await listen(app);
    app.on('/on-news', (_request, response) => void response.writeHead(500).end());
    await ok(news.change('/items/1/read'));
    await event(1);
    await ok(news.change('/items/2/read'));
    await waitForJobs(2);

    const disabling = gateway
      .asAdmin()
      .put(`/ocs/v2.php/apps/app_api/api/v1/ex-app/${app.appId}/enabled`, { enabled: 0 });
    await disabling;
    await gateway.inside(LifecycleService).settled();
    await ok(news.change('/items/3/read'));

    expect(await jobs()).toEqual([]);
    expect(await gateway.database.query('select from news_event')).toEqual([]);
    expect(stranger.requests('/on-news')).toEqual([]);
  });

  it('gets an event that failed again after 2 s, then with backoff up to 15 minutes', async () => {
    await aDeliveredFeed(ada, 'https://tide.example/feed', 1);
    await listen(app);
    app.on('/on-news', (_request, response) => void response.writeHead(500).end());

    await ok(news.change('/items/1/star'));
    await event(1);

    expect(
      await gateway.database.query(
        `select retry_delay, retry_backoff, retry_delay_max from job.job
          where name = 'news-event-delivery'`,
      ),
    ).toEqual([{ retry_delay: 2, retry_backoff: true, retry_delay_max: 900 }]);
  });

  it('leaves a dead letter when the app refuses an event, which can be sent again', async () => {
    await aDeliveredFeed(ada, 'https://tide.example/feed', 1);
    await listen(app);
    app.on('/on-news', (_request, response) => void response.writeHead(422).end());

    await ok(news.change('/items/1/star'));
    await event(1);
    const [letter] = await deadLetters();
    expect(letter).toMatchObject({
      app_id: 'listener',
      user_id: 'ada',
      event_subtype: 'ItemsStarredEvent',
      event_data: { user_id: 'ada', itemIds: [1] },
    });

    app.on('/on-news', json({}));
    await gateway.asAdmin().post(`${DEAD_LETTERS}/${letter?.id}/retry`);
    expect((await event(2)).body.event_data.items).toHaveLength(1);
  });

  it('misses nothing that is committed after it was registered', async () => {
    await aDeliveredFeed(ada, 'https://tide.example/feed', 1);
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    // A change that read the wishes of listeners before there was one.
    const change = gateway.inside(Database).transaction(async (tx) => {
      const { id } = await readerOf(gateway, 'ada');
      await tx.query('select from reader where id = $1 for update', [id]);
      begun.resolve();
      await finish.promise;
    });
    await within('the lock of the reader', begun.promise);

    let isRegistered = false;
    const registering = listen(app).then(() => (isRegistered = true));
    await waitForListener();
    expect(isRegistered).toBe(false);
    finish.resolve();
    await change;
    await registering;
    await ok(news.change('/items/1/read'));

    expect((await event()).body.event_subtype).toBe('ItemsReadEvent');
  });

  it('receives the first flag after it was registered', async () => {
    await aDeliveredFeed(ada, 'https://tide.example/feed', 1);
    await ok(news.change('/items/1/read'));

    await listen(app);
    await ok(news.change('/items/1/unread'));

    expect((await event()).body.event_subtype).toBe('ItemsUnreadEvent');
  });
});

describe('when an account is deleted', () => {
  /** Keys of jobs and dead letters in any state. */
  const keys = async () => {
    const rows = await gateway.database.query<{ key: string }>(
      `select distinct singleton_key as key from job.job where name like 'news-event-delivery%'`,
    );
    return rows.map(({ key }) => key);
  };

  it('an app that was down gets nothing of it, also not for the next account of that name', async () => {
    const zoe = await gateway.signInOnce('zoe');
    const namesake = await gateway.signInOnce('zoey');
    for (const user of [zoe, namesake]) {
      await aDeliveredFeed(user, `https://tide.example/${user.credentials.userId}`, 1);
    }
    await listen(app);
    app.on('/on-news', json({}, 422));
    for (const user of [zoe, namesake]) {
      await ok(clientOf(user).change('/items/1/star'));
    }
    await until('two dead letters', async () => (await deadLetters()).length === 2);
    app.on('/on-news', json({}, 503));
    for (const user of [zoe, namesake]) {
      await ok(clientOf(user).change('/items/1/unstar'));
    }
    await waitForJobs(2);

    await gateway.inside(UsersService).delete('zoe');

    expect(await keys()).toEqual(['listener/news_event/zoey']);
    const received: ReceivedNewsEvent[] = [];
    app.on('/on-news', (request, response) => {
      received.push(aNewsEvent(request));
      response.end();
    });
    await gateway.addUser('zoe', zoe.credentials.password);
    await aDeliveredFeed(zoe, 'https://tide.example/next', 1);
    const ofZoe = () =>
      received.filter(({ userId }) => userId === 'zoe').map(({ body }) => body.event_subtype);
    await until('the new items', () => ofZoe().includes('ItemsDeliveredEvent'));
    expect(ofZoe()).toEqual(['FeedAddedEvent', 'ItemsDeliveredEvent']);
  });

  it('its events that are on their way to the queue are not kept either', async () => {
    const zoe = await gateway.signInOnce('zoe-on-the-way');
    await aDeliveredFeed(zoe, 'https://tide.example/feed', 1);
    await listen(app);
    app.on('/on-news', json({}, 503));
    const onTheWay = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    gateway.inside(NewsEvents).subscribe({
      async store() {
        onTheWay.resolve();
        await goOn.promise;
      },
      stored: () => {},
    });
    await ok(clientOf(zoe).change('/items/1/star'));
    await within('an event on its way', onTheWay.promise);

    const deleting = gateway.inside(UsersService).delete('zoe-on-the-way');
    await until('the deletion to wait for it', async () => {
      const waiting = await gateway.database.query(
        `select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.length > 0;
    });
    goOn.resolve();
    await deleting;

    expect(await keys()).toEqual([]);
  });
});

describe('without a listener', () => {
  it('a flag and a delivery cost no statement more', async () => {
    await aDeliveredFeed(ada, 'https://tide.example/feed', 2);
    await aFeed(ada, 'https://tide.example/other', 2);
    await ok(news.change('/items/2/read'));
    const change = () => ok(news.change('/items/1/read'));
    const deliver = async () =>
      gateway.inside(DeliveryService).deliverTo(await readerOf(gateway, 'ada'));

    const ofFlag = await statementsDuring(gateway.database, change);
    const ofDelivery = await statementsDuring(gateway.database, deliver);

    // Without the dispatch, which events of listeners of earlier specs may have woken.
    const alone = [...ofFlag, ...ofDelivery].filter(
      (sql) => /news_event/.test(sql) && !/delete from news_event/.test(sql),
    );
    expect(alone).toEqual([
      expect.stringContaining('update item set unread'),
      // Whether the reader is early.
      expect.stringContaining('as "isPending"'),
      expect.stringContaining('as "stampMicros"'),
      expect.stringContaining('insert into item'),
      expect.stringContaining('as "isEarly"'),
    ]);
  });

  it('records nothing', async () => {
    await aDeliveredFeed(ada, 'https://tide.example/feed', 2);

    await ok(news.change('/items/1/read'));
    await ok(news.change('/items/2/star'));

    const [{ last } = { last: null }] = await gateway.database.query<{ last: number | null }>(
      'select count(*)::int as last from news_event',
    );
    expect(last).toBe(0);
    expect(await jobs()).toEqual([]);
  });

  it('records only subtypes that an app wants', async () => {
    await listen(app, { eventSubtypes: ['ItemsStarredEvent'] });
    await aDeliveredFeed(ada, 'https://tide.example/feed', 2);

    await ok(news.change('/items/1/read'));
    await ok(news.change('/items/1/star'));

    await event(1);
    expect(app.requests('/on-news')).toHaveLength(1);
  });
});

const jobs = () =>
  gateway.database.query(
    `select id from job.job where name = 'news-event-delivery' and state < 'completed'`,
  );

function deadLetters(): Promise<readonly { readonly id: string }[]> {
  return found('a dead letter', async () => {
    const answer = await gateway.asAdmin().get(DEAD_LETTERS, { query: { format: 'json' } });
    const letters = toOcs(answer).data as { id: string }[];
    return letters.length > 0 ? letters : null;
  });
}

async function waitForJobs(count: number): Promise<void> {
  await until(`${count} jobs`, async () => (await jobs()).length >= count);
}

async function waitForListener(): Promise<void> {
  const rows = () => gateway.database.query('select from news_event_wish');
  await until('the wish of a listener', async () => (await rows()).length > 0);
}

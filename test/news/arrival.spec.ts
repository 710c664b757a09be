import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JobQueue } from '../../src/database/jobs/job-queue.js';
import { leavesOf } from '../../src/news/query/bind-places.js';
import { parseQuery } from '../../src/news/query/parse-query.js';
import type { Query } from '../../src/news/query/query.js';
import {
  ArrivalsRepository,
  type EarlyFollower,
} from '../../src/news/reader/arrival/arrivals.repository.js';
import { ToldReaders } from '../../src/news/reader/arrival/told-readers.service.js';
import { DeliveriesRepository } from '../../src/news/reader/delivery/deliveries.repository.js';
import { EarlyReadersRepository } from '../../src/news/reader/delivery/early-readers.repository.js';
import { OutwardConditionsOffer } from '../../src/news/reader/delivery/outward-conditions.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { OutwardRules } from '../../src/news/reader/rules/outward-rules.service.js';
import { ARRIVALS, type Arrival } from '../../src/news/sources/articles/arrivals.js';
import { FullTextService } from '../../src/news/sources/full-text/full-text.service.js';
import { ArticleWork } from '../../src/news/updater/article-work.task.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { json, knowApp, startExternalApp } from '../support/external-app.js';
import { rss } from '../support/feed-server.js';
import { letTimePass } from '../support/let-time-pass.js';
import { NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { aNewsEvent } from '../support/news-events.js';
import { processorMs } from '../support/processor-time.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { statementsDuring } from '../support/statements.js';
import { found, until } from '../support/until.js';

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let feed: FeedJson;
let path: string;
let entries: string[];
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}`;
  entries = ['first'];
  publish();
  feed = await news.subscribe(publisher.url(path));
  await news.items();
});

function publish(...added: readonly string[]): void {
  entries = [...added, ...entries];
  const items = entries.map((title) => ({
    title,
    guid: title,
    link: publisher.url(`${path}/${title}`),
    body: `<p>${title}</p>`,
  }));
  publisher.publish(path, rss({ title: path, link: publisher.url('/'), items }));
}

/** Fetches as the schedule does, for nobody in particular. */
async function fetch(): Promise<void> {
  await app.database.query('update source_schedule set due_at = now()');
  await app.inside(UpdateCycle).fetchDue();
}

const becomeEarly = async (of = user, isOn = true) =>
  app
    .inside(ReadersRepository)
    .change(await readerOf(app, of.credentials.userId), (tx, reader) =>
      app.inside(EarlyReadersRepository).set(reader, 'automates', isOn, tx),
    );

/** Titles of a user's items in the database, which no client has asked for. */
async function delivered(of = user): Promise<string[]> {
  const { id } = await readerOf(app, of.credentials.userId);
  const items = await app.database.query<{ articleId: number }>(
    'select article_id as "articleId" from item where reader_id = $1 order by id desc',
    [id],
  );
  // Articles may be on other servers.
  const articles = await app.database.query<{ id: number; title: string }>(
    'select id, title from article where id = any($1::bigint[])',
    [items.map(({ articleId }) => articleId)],
  );
  const titles = new Map(articles.map((article) => [article.id, article.title]));
  return items.map(({ articleId }) => titles.get(articleId) ?? '');
}

/** The stamp of the newest change of the feed's items. */
async function lastStamp(): Promise<number> {
  const [row] = await app.database.query<{ stamp: number }>(
    'select max(last_modified_micros) as stamp from item where subscription_id = $1',
    [feed.id],
  );
  return row?.stamp ?? 0;
}

async function settled(): Promise<void> {
  await until('the end of arrivals', async () => {
    const rows = await app.database.query(
      `select from job.job where name in ('news-arrival', 'news-early-delivery')
          and state < 'completed'`,
    );
    return rows.length === 0;
  });
}

const isDelivered = (title: string, of = user) =>
  until(`the delivery of ${title}`, async () => (await delivered(of)).includes(title));

describe('a new article', () => {
  it('is delivered as it arrives to an early reader, and to a stranger when a client asks', async () => {
    const stranger = await app.signIn();
    const other = new NewsClient(stranger, 'v1-3');
    await other.subscribe(publisher.url(path));
    await other.items();
    await becomeEarly();

    publish('second');
    await fetch();

    await isDelivered('second');
    await settled();
    expect(await delivered(stranger)).toEqual(['first']);
    expect(titles(await other.items())).toEqual(['second', 'first']);
    expect(titles(await news.items())).toEqual(['second', 'first']);
  });

  it('is stored without a job, and at the same cost, while nobody is early', async () => {
    publish('second');
    const before = await statementsDuring(app.database, () => fetch());
    expect(before.filter((text) => text.includes('job.job') && /insert/i.test(text))).toEqual([]);

    await becomeEarly();
    await becomeEarly(user, false);
    publish('third');
    await fetch();

    expect(await app.inside(JobQueue).overview()).toContainEqual(
      expect.objectContaining({ kind: ARRIVALS.name, queued: 0, active: 0 }),
    );
    expect(await delivered()).toEqual(['first']);
  });

  it('is delivered as it arrives to a reader for whom tasks start by themselves', async () => {
    await ok(news.post(`/feeds/${feed.id}/automation`, { titlesTo: 'de', summarise: null }));

    publish('second');
    await fetch();
    await isDelivered('second');

    await ok(news.post(`/feeds/${feed.id}/automation`, { titlesTo: null, summarise: null }));
    await settled();
    publish('third');
    await fetch();
    await settled();
    expect(await delivered()).toEqual(['second', 'first']);
  });

  it('is told to an app that listens, though no client asks', async () => {
    const external = await startExternalApp(app, { appId: `listener-${specs}` });
    try {
      await knowApp(app, external);
      external.on('/on-news', json({}));
      await external.as().ocs('POST', '/api/v1/events_listener', {
        json: {
          eventType: 'news_event',
          eventSubtypes: ['ItemsDeliveredEvent'],
          actionHandler: '/on-news',
        },
      });

      publish('second');
      await fetch();

      const told = await found('the event of the user', async () => {
        const requests = await external.received('/on-news', 1);
        return aNewsEvent(requests);
      });
      expect(told.body.event_data.items).toMatchObject([{ title: 'second' }]);
    } finally {
      await external.close();
      await app.database.query('delete from ex_app');
    }
    publish('third');
    await fetch();
    await settled();
    expect(await delivered()).not.toContain('third');
  });

  it('is delivered as it arrives when a script drives the updates', async () => {
    await becomeEarly();
    const admin = new NewsClient(app.asAdmin(), 'v1-3');
    const stranger = await app.signIn();
    const other = new NewsClient(stranger, 'v1-3');
    const theirs = await other.subscribe(publisher.url(path));

    publish('second');
    await admin.get('/cleanup/before-update');
    await admin.update(stranger.credentials.userId, theirs.id);
    await admin.get('/cleanup/after-update');
    // The last step has begun to fetch pages: its end, or it would fetch those of the next spec.
    await app.inside(ArticleWork).fetchPages();

    await isDelivered('second');
    expect(await delivered(stranger)).toEqual(['second', 'first']);
  });

  it('is delivered where searches of searches have more parts than can be written out', async () => {
    await ok(news.post('/searches', { name: 's0', query: 'nowhere', inClients: false }));
    for (let n = 1; n <= 4; n += 1) {
      const query = `search:s${n - 1} `.repeat(30);
      await ok(news.post('/searches', { name: `s${n}`, query, inClients: false }));
    }
    const telling = (query: string) =>
      ok(news.post('/rules', { query, actions: [{ type: 'notify', urgent: false }] }));
    const { id } = await readerOf(app, user.credentials.userId);
    const wordsOf = async () =>
      ((await app.inside(OutwardRules).of([id])).get(id) ?? [])
        .map((condition) => leavesOf(condition).filter(({ kind }) => kind === 'text').length)
        .toSorted((one, other) => one - other);

    await telling('search:s1 elsewhere');
    expect(await wordsOf()).toEqual([31]);
    await telling('search:s4');
    expect((await wordsOf())[0]).toBe(0);
    publish('second');
    await fetch();
    await isDelivered('second');
    expect((await ok<{ notices: unknown[] }>(news.get('/notices'))).notices).toEqual([]);
  });

  it('reaches an early reader again when its full text arrives', async () => {
    await ok(news.call('PATCH', `/feeds/${feed.id}`, { json: { fullTextEnabled: true } }));
    await becomeEarly();
    publisher.publish(
      `${path}/second`,
      `<html><body><article><h2>whole</h2>${`<p>${'It goes on, for a while. '.repeat(9)}</p>`.repeat(4)}
       </article></body></html>`,
      { contentType: 'text/html; charset=utf-8' },
    );
    publish('second');
    await fetch();
    await isDelivered('second');
    await settled();
    const before = await lastStamp();

    await app.inside(FullTextService).fetchDue();
    await settled();

    expect(await lastStamp()).toBeGreaterThan(before);
  });
});

const FOLLOWERS = 10_000;
const CONDITIONS = 5000;
const OF_EACH = 50;

/** Words, phrases, fields and negations. */
const conditions: readonly Query[] = Array.from({ length: CONDITIONS }, (_, n) => {
  const forms = [
    `word${n}`,
    `intitle:(other${n} OR "a phrase ${n}")`,
    `author:writer${n} -sponsored`,
    `thing${n} category:kind${n} words:>10`,
    `left${n} right${n} -middle${n}`,
  ];
  return parseQuery(forms[n % forms.length] ?? '');
});

const MATCHING = conditions[5] as Query;

/** Each reader has fifty of the conditions. */
const fiftyOf = (readerId: number) =>
  Array.from(
    { length: OF_EACH },
    (_, n) => conditions[(readerId * 37 + n * 101) % CONDITIONS] as Query,
  );

describe('an article with 10,000 followers of 50 rules each, 5,000 distinct,', () => {
  let arrival: Arrival;
  let followers: EarlyFollower[];
  let sourceId: number;
  const asked: number[] = [];
  const offer = app.inside(OutwardConditionsOffer);
  const former = offer.service;

  beforeAll(async () => {
    const [source] = await app.database.query<{ id: number }>(
      `insert into source (url, url_key, rev) values ('https://crowd.example/', '\\x01', 1) returning id`,
    );
    sourceId = source?.id ?? 0;
    arrival = { sourceId, sinceRev: 0, rev: 1, storedAtMs: Date.now() };
    await app.database.query(
      `with made as (
       insert into reader (user_id, is_early) select 'crowd-' || n, true from generate_series(1, $2::int) n
       returning id, user_id
     ), subscribed as (
       insert into subscription (reader_id, source_id, url) select id, $1, '' from made
     ) select count(*) from made`,
      [sourceId, FOLLOWERS],
    );
    await app.database.query(
      `insert into early_reader (reader_id, user_id, tells)
     select reader_id, user_id, true from reader_user where user_id like 'crowd-%'`,
    );
    const text = Array.from({ length: 700 }, (_, n) => `sentence${n} speaks of this and that`);
    await app.database.query(
      `with new as (
       insert into article (source_id, guid, guid_hash, fingerprint, content_hash, title, author,
                            first_rev, rev, pub_date_seconds, rtl)
       values ($1, 'a', '\\x01', '', '', 'word5 in a title', 'somebody', 1, 1,
               extract(epoch from now())::bigint, false) returning id
     ) insert into article_body (source_id, article_id, html) select $1, id, $2 from new`,
      [sourceId, `<p>${text.join('. ')}</p>`],
    );
    offer.fill({
      of: async (readerIds) => {
        asked.push(...readerIds);
        return new Map(readerIds.map((readerId) => [readerId, fiftyOf(readerId)]));
      },
    });
  });
  afterAll(() => {
    if (former !== undefined) {
      offer.fill(former);
    }
  });

  const decide = async () => {
    followers = await app.inside(ArrivalsRepository).followers(sourceId, 0, FOLLOWERS);
    return app.inside(ToldReaders).among(followers, arrival);
  };

  it('is decided for those whose conditions match, by reading each rule once', async () => {
    const readers = await decide();

    const wanted = followers.filter(({ readerId }) => fiftyOf(readerId).includes(MATCHING));
    expect(wanted.length).toBeGreaterThan(50);
    expect(readers.map(({ readerId }) => readerId)).toEqual(wanted.map(({ readerId }) => readerId));
    expect(asked).toHaveLength(FOLLOWERS);
    await decide();
    expect(asked).toHaveLength(FOLLOWERS);
  });

  it('costs at most 50 ms of processor time when none of them is to be told', async () => {
    await app.database.query(`update article set title = 'nothing' where source_id = $1`, [
      sourceId,
    ]);
    expect(await decide()).toEqual([]);

    const times: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      times.push(await processorMs(decide));
    }

    expect(Math.min(...times)).toBeLessThan(50);
  });
});

describe('a client that pages through a first synchronisation', () => {
  const page = (offset: number) =>
    news.items({ type: 3, getRead: true, oldestFirst: true, batchSize: 2, offset });

  it('gets nothing delivered meanwhile, and so misses no change of a page that it has', async () => {
    publish('third', 'second');
    await fetch();
    await news.items();
    await becomeEarly();
    const other = new NewsClient(user, 'v1-3');
    const { id: readerId } = await readerOf(app, user.credentials.userId);

    await letTimePass(app, readerId, 20);
    const first = await page(0);
    await ok(other.change(`/items/${first[0]?.id}/read`));
    await letTimePass(app, readerId, 10);
    publish('fourth');
    await fetch();
    await until('a delivery that waits', async () => (await waiting(readerId)) === 1);
    const second = await page(first.at(-1)?.id ?? 0);
    expect([first, second].map((one) => titles(one))).toEqual([['first', 'second'], ['third']]);
    await deliverWaiting();
    await isDelivered('fourth');

    const cursor = Math.max(...[...first, ...second].map(({ lastModified }) => lastModified));
    const changed = await news.changedItems(cursor);
    expect(titles(changed)).toEqual(expect.arrayContaining(['fourth', 'first']));
    expect(changed.find(({ title }) => title === 'first')?.unread).toBe(false);
  });

  it('sees with its first page what a writer had begun', async () => {
    await becomeEarly();
    const reader = await readerOf(app, user.credentials.userId);
    // Times are told in seconds.
    await letTimePass(app, reader.id, 20);
    const { id: itemId } = await news.item('first');
    const begun = Promise.withResolvers<{ pid: number | undefined; stampMicros: number }>();
    const goOn = Promise.withResolvers<void>();
    const writing = app.inside(ReadersRepository).change(reader, async (tx, locked) => {
      await app.inside(DeliveriesRepository).reconsider(locked, [itemId], tx);
      const [writer] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      begun.resolve({ pid: writer?.pid, stampMicros: locked.stampMicros });
      await goOn.promise;
    });
    const { pid, stampMicros } = await begun.promise;

    let isAnswered = false;
    const asked = page(0).finally(() => (isAnswered = true));
    await until('the page to wait for the writer, or its answer', async () => {
      const waiting = await app.database.query(
        'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
        [pid],
      );
      return isAnswered || waiting.length > 0;
    });
    goOn.resolve();
    await writing;

    expect((await asked)[0]?.lastModified).toBe(Math.floor(stampMicros / 1e6));
  });

  it('is waited for half a minute after its last page, if it asks for no other', async () => {
    await becomeEarly();
    const { id: readerId } = await readerOf(app, user.credentials.userId);
    publish('second');
    await fetch();
    await isDelivered('second');
    await settled();

    await page(0);
    publish('third');
    await fetch();
    await until('a delivery that waits', async () => (await waiting(readerId)) === 1);
    await app.database.query(
      `update reader_client set paging_until = paging_until - interval '30 seconds'`,
    );
    await deliverWaiting();

    await isDelivered('third');
    expect(await waiting(readerId)).toBe(0);
  });
});

/** Deliveries to a reader that wait for a client. */
async function waiting(readerId: number): Promise<number> {
  const rows = await app.database.query(
    `select from job.job where name = 'news-early-delivery' and singleton_key = $1
        and state = 'retry'`,
    [String(readerId)],
  );
  return rows.length;
}

async function deliverWaiting(): Promise<void> {
  await app.database.query(
    `update job.job set start_after = now() where name = 'news-early-delivery'`,
  );
  await app.inside(JobQueue).poll();
}

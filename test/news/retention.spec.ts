import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { SubscriptionsRepository } from '../../src/news/reader/feeds/subscriptions.repository.js';
import { feedAddress } from '../../src/news/sources/feed-address.js';
import { SourcesRepository } from '../../src/news/sources/sources.repository.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson, type ItemJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

const KEEP_DAYS = 30;

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_KEEP_READ_ITEMS: '1',
  GATEFOLD_READ_ITEMS_GRACE_DAYS: '7',
  GATEFOLD_KEEP_ARTICLES_DAYS: String(KEEP_DAYS),
  GATEFOLD_REMEMBERED_ARTICLES: '3',
});
let user: TestUser;
let news: NewsClient;
let path: string;
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
});

const admin = () => new NewsClient(app.asAdmin(), 'v1-3');
const cleanUp = () => admin().get('/cleanup/after-update');

function publish(...entries: string[]): void {
  const items = entries.map((title) => ({ title, guid: title, body: `<p>${title}</p>` }));
  publisher.publish(path, rss({ title: path, link: publisher.url('/'), items }));
}

const update = (feed: FeedJson, owner = user) => admin().update(owner.credentials.userId, feed.id);
const readAll = () => news.change('/items/read', { newestItemId: Number.MAX_SAFE_INTEGER });

/** Publishes entries one by one, each as the only one of its document. */
async function feedThatHad(...entries: string[]): Promise<FeedJson> {
  publish(entries[0] ?? '');
  const feed = await news.subscribe(publisher.url(path));
  for (const entry of entries.slice(1)) {
    publish(entry);
    await update(feed);
  }
  return feed;
}

/** Lets days pass for articles, and for the publisher's current list. */
const ageArticles = async (days: number) => {
  await app.database.query(
    `update article
        set fetched_at = (fetched_at at time zone 'UTC' - make_interval(days => $1)) at time zone 'UTC'`,
    [days],
  );
  await app.database.query(
    'update source_document set listed_at = listed_at - make_interval(days => $1)',
    [days],
  );
};

const stored = (table: 'article' | 'article_body' | 'article_tombstone', feed: FeedJson) =>
  app.database.query<{ title: string }>(
    `select * from ${table}
      where ${table === 'article_body' ? 'article_id in (select id from article where source_id =' : 'source_id in ('}
            (select source_id from follower where subscription_id = $1))`,
    [feed.id],
  );

describe('read items', () => {
  const keepHouse = async () => {
    await app.database.query('delete from housekeeping');
    await app.inside(UpdateCycle).keepHouse();
  };

  it('are kept for a time after they were read, so that other clients can synchronise that', async () => {
    await feedThatHad('old', 'new');
    await readAll();

    await keepHouse();
    expect(titles(await news.items())).toEqual(['new', 'old']);

    await app.database.query(
      'update item set last_modified_micros = last_modified_micros - 8 * 86400000000',
    );
    await keepHouse();
    expect(titles(await news.items())).toEqual(['new']);
  });

  it('are kept while they have a label', async () => {
    await feedThatHad('labelled', 'old', 'new');
    await readAll();
    const [{ readerId } = { readerId: 0 }] = await app.database.query<{ readerId: number }>(
      'select reader_id as "readerId" from reader_user where user_id = $1',
      [user.credentials.userId],
    );
    await app.database.query(`insert into label (reader_id, name) values ($1, 'keep')`, [readerId]);
    await app.database.query(
      `insert into item_label (reader_id, label_id, item_id)
       select label.reader_id, label.id, min(item.id)
         from label join item on item.reader_id = label.reader_id
        where label.reader_id = $1 group by label.reader_id, label.id`,
      [readerId],
    );

    await cleanUp();
    expect(titles(await news.items())).toEqual(['new', 'labelled']);

    await app.database.query('delete from label where reader_id = $1', [readerId]);
    await cleanUp();
    expect(titles(await news.items())).toEqual(['new']);
  });

  it('are removed at once by an administrator’s clean-up if no other client waits', async () => {
    await feedThatHad('old', 'new');
    await news.items();
    await readAll();

    await cleanUp();

    expect(titles(await news.items())).toEqual(['new']);
  });

  describe('of a user with two clients', () => {
    const as = (name: string) => ({ headers: { 'user-agent': name } });
    const synchronise = async (name: string, since = 0) => {
      const answer = await news.call('GET', '/items/updated', {
        ...as(name),
        query: { type: 3, lastModified: since },
      });
      return (answer.json as { items: ItemJson[] }).items;
    };
    const readOn = (name: string) =>
      news.call('POST', '/items/read', { ...as(name), json: { newestItemId: 999 } });

    beforeEach(async () => {
      await feedThatHad('old', 'new');
      await synchronise('phone');
      await synchronise('laptop');
    });

    it('are kept until both have synchronised that they were read', async () => {
      const [{ lastModified } = { lastModified: 0 }] = await synchronise('laptop');
      await readOn('phone');
      await cleanUp();

      const told = await synchronise('laptop', lastModified);
      expect(told.map(({ title, unread }) => [title, unread])).toEqual([
        ['new', false],
        ['old', false],
      ]);

      await cleanUp();
      expect(titles(await news.items())).toEqual(['new', 'old']);
      await synchronise('phone');
      await cleanUp();
      expect(titles(await synchronise('laptop'))).toEqual(['new']);
    });

    it('are removed as soon as both have synchronised that they were read', async () => {
      await readOn('phone');
      await synchronise('phone');
      await synchronise('laptop');

      await cleanUp();

      expect(titles(await synchronise('laptop'))).toEqual(['new']);
    });

    it('are kept no longer than the grace for a client that does not return', async () => {
      await readOn('phone');
      await synchronise('phone');
      await cleanUp();
      expect(titles(await synchronise('phone'))).toEqual(['new', 'old']);

      await app.database.query(
        'update item set last_modified_micros = last_modified_micros - 8 * 86400000000',
      );
      await cleanUp();

      expect(titles(await synchronise('phone'))).toEqual(['new']);
    });

    it('are not kept for a client that was not seen for as long as the grace', async () => {
      await app.database.query("update reader_client set seen_at = now() - interval '8 days'");
      await readOn('phone');
      await synchronise('phone');

      await cleanUp();

      expect(titles(await synchronise('phone'))).toEqual(['new']);
    });

    it('are kept for a client that only reads, when another one only marks', async () => {
      // The record of the phone, the first client, is removed.
      await app.database.query(
        `delete from reader_client
          using (select distinct on (reader_id) reader_id, client from reader_client
                  order by reader_id, seen_at) as first
          where reader_client.reader_id = first.reader_id and reader_client.client = first.client`,
      );
      await readOn('script');

      await cleanUp();

      expect(titles(await synchronise('laptop'))).toEqual(['new', 'old']);
    });

    it('are kept for a client that has only polled while nothing was new', async () => {
      await synchronise('tablet', 4_000_000_000);
      await readOn('phone');
      await synchronise('phone');
      await synchronise('laptop');

      await cleanUp();

      expect(titles(await synchronise('tablet'))).toEqual(['new', 'old']);
    });

    it('are removed at once on request', async () => {
      await readOn('phone');

      await admin().get('/cleanup/after-update', { withoutGrace: true });

      expect(titles(await synchronise('laptop'))).toEqual(['new']);
    });

    it.each([
      ['that synchronise', (name: string) => synchronise(name)],
      [
        'that ask for a later page',
        (name: string) =>
          news.call('GET', '/items', {
            ...as(name),
            query: { type: 3, getRead: true, batchSize: 1, offset: 999 },
          }),
      ],
    ])('are tracked for at most twenty clients of a user %s', async (_which, call) => {
      await ok(news.put('/stories', { once: true }));
      for (let n = 0; n < 30; n += 1) {
        await call(`client ${n}`);
      }

      const rows = await app.database.query(
        'select 1 from reader_client where reader_id = (select reader_id from reader_user where user_id = $1)',
        [user.credentials.userId],
      );
      expect(rows).toHaveLength(20);
    });
  });

  it('are kept up to the number of entries of the largest document of their feed', async () => {
    const feed = await feedThatHad('a1', 'a2');
    publish('a3', 'a4', 'a5');
    await update(feed);
    await readAll();

    await cleanUp();

    expect(titles(await news.items()).toSorted()).toEqual(['a3', 'a4', 'a5']);
  });

  it('are removed from the feed that has too many, and from no other feed or user', async () => {
    await feedThatHad('a1', 'a2', 'a3');
    path = `/neighbour${path}`;
    await feedThatHad('b1');
    const other = new NewsClient(await app.signIn(), 'v1-3');
    await other.subscribe(publisher.url(path));
    await readAll();

    await cleanUp();

    expect(titles(await news.items())).toEqual(['b1', 'a3']);
    expect(titles(await other.items())).toEqual(['b1']);
  });
});

describe('articles', () => {
  it('are removed with their bodies when no item refers to them and they are old enough', async () => {
    const feed = await feedThatHad('old', 'new');
    await readAll();
    await cleanUp();
    expect(await stored('article', feed)).toHaveLength(2);

    await ageArticles(KEEP_DAYS + 1);
    await cleanUp();

    expect((await stored('article', feed)).map(({ title }) => title)).toEqual(['new']);
    expect(await stored('article_body', feed)).toHaveLength(1);
  });

  it('are left to a later clean-up while their source is locked, without waiting for it', async () => {
    const feed = await feedThatHad('old', 'new');
    await readAll();
    await cleanUp();
    await ageArticles(KEEP_DAYS + 1);

    await app.database.transaction(async (tx) => {
      await tx.query(
        `select from source join follower on source_id = source.id
          where subscription_id = $1 for update of source`,
        [feed.id],
      );
      await cleanUp();
    });

    expect(await stored('article', feed)).toHaveLength(2);
    await cleanUp();
    expect(await stored('article', feed)).toHaveLength(1);
  });

  it('are kept while an item refers to them, or while the publisher lists them', async () => {
    const feed = await feedThatHad('unread', 'starred', 'listed');
    await news.star(await news.item('starred'));
    await ageArticles(KEEP_DAYS + 1);

    await cleanUp();
    expect(await stored('article', feed)).toHaveLength(3);

    await news.delete(`/feeds/${feed.id}`);
    const again = await news.subscribe(publisher.url(path));
    await ageArticles(KEEP_DAYS + 1);
    await cleanUp();

    expect((await stored('article', again)).map(({ title }) => title)).toEqual(['listed']);
  });

  it('that were removed do not return as new, but are delivered to new followers', async () => {
    const feed = await feedThatHad('old', 'new');
    await readAll();
    await cleanUp();
    await ageArticles(KEEP_DAYS + 1);
    await cleanUp();
    expect(await stored('article_tombstone', feed)).toHaveLength(1);

    publish('newest', 'new', 'old');
    await update(feed);
    const other = new NewsClient(await app.signIn(), 'v1-3');
    await other.subscribe(publisher.url(path));

    expect(titles(await news.items())).toEqual(['newest', 'new']);
    expect((await other.items()).map(({ title }) => title).toSorted()).toEqual([
      'new',
      'newest',
      'old',
    ]);
    expect((await other.item('old')).body).toBe('<p>old</p>');
    expect(await stored('article_tombstone', feed)).toHaveLength(0);
  });

  it('that were removed are remembered up to a number per source, the latest ones', async () => {
    const removeOld = async () => {
      await readAll();
      await cleanUp();
      await ageArticles(KEEP_DAYS + 1);
      await cleanUp();
    };
    const feed = await feedThatHad('a', 'b', 'c');
    await removeOld();
    for (const entry of ['d', 'e', 'f']) {
      publish(entry);
      await update(feed);
    }
    const own = path;
    path = `/neighbour${path}`;
    const neighbour = await feedThatHad('old', 'new');

    await removeOld();

    expect(await stored('article_tombstone', feed)).toHaveLength(3);
    expect(await stored('article_tombstone', neighbour)).toHaveLength(1);
    path = own;
    publish('f', 'e', 'd', 'c', 'b', 'a');
    await update(feed);
    // The earliest are forgotten, and so they are new.
    const again = await news.items({ type: 0, id: feed.id });
    expect(titles(again).toSorted()).toEqual(['a', 'b', 'f']);
  });

  it('are kept for users who did not synchronise, as long as articles are kept', async () => {
    const feed = await feedThatHad('first');
    await readAll();
    const away = await app.signIn();
    const late = new NewsClient(away, 'v1-3');
    await late.subscribe(publisher.url(path));
    for (const entry of ['missed', 'also missed']) {
      publish(entry);
      await update(feed);
    }
    await readAll();

    await ageArticles(KEEP_DAYS - 1);
    await cleanUp();
    expect(await stored('article', feed)).toHaveLength(3);

    await ageArticles(2);
    publish('recent');
    await update(feed);
    await readAll();
    await cleanUp();
    await ageArticles(1);
    await cleanUp();

    expect(titles(await late.items())).toEqual(['recent', 'first']);
  });
});

describe('articles of a feed that a user has imported and never synchronised', () => {
  it('are removed as others are, and told in the log', async () => {
    const { userId } = (await app.signIn()).credentials;
    const url = publisher.url(path);
    const sourceId = await app.inside(SourcesRepository).create(feedAddress(url));
    await app.inside(ReadersRepository).change(await readerOf(app, userId), (tx, reader) => {
      const imported = { sourceId, folderId: null, url, title: null };
      return app.inside(SubscriptionsRepository).createMany(reader.id, [imported], tx);
    });
    const feed = await feedThatHad('first', 'second', 'third');
    await readAll();
    await cleanUp();
    expect(await stored('article', feed)).toHaveLength(3);

    await ageArticles(KEEP_DAYS + 1);
    const log = jest.spyOn(Logger.prototype, 'log');
    await cleanUp();

    expect((await stored('article', feed)).map(({ title }) => title)).toEqual(['third']);
    expect(log.mock.calls).toContainEqual([expect.stringMatching(/^removed \d+ unreferenced/)]);
    log.mockRestore();
  });
});

describe('sources', () => {
  it('are removed after a time without followers, with all their data', async () => {
    const feed = await feedThatHad('a', 'b');
    const [row] = await app.database.query<{ id: number }>(
      'select source_id as id from follower where subscription_id = $1',
      [feed.id],
    );
    await news.delete(`/feeds/${feed.id}`);
    const left = async () => app.database.query('select id from source where id = $1', [row?.id]);

    await cleanUp();
    expect(await left()).toHaveLength(1);

    await app.database.query("update source set fetched_at = fetched_at - interval '2 hours'");
    await cleanUp();
    expect(await left()).toHaveLength(0);
    expect(
      await app.database.query('select 1 from article where source_id = $1', [row?.id]),
    ).toEqual([]);
  });
});

describe('the history of fetches', () => {
  it('keeps the latest fifty attempts of each source', async () => {
    const feed = await feedThatHad('a');
    await attempted(feed, 55, '25 hours');
    await app.database.query(
      "update fetch_attempt set at = least(at, now() - interval '25 hours')",
    );

    await cleanUp();

    const kept = await attemptsOf(feed);
    expect(kept).toHaveLength(50);
    expect(kept[0]).toBe('54');
  });

  it('keeps every attempt of the last day, so that its statistics are complete', async () => {
    const feed = await feedThatHad('a');
    await attempted(feed, 55, '23 hours');

    await cleanUp();

    expect(await attemptsOf(feed)).toHaveLength(56);
  });

  async function attempted(feed: FeedJson, times: number, ago: string): Promise<void> {
    for (let attempt = 0; attempt < times; attempt++) {
      await app.database.query(
        `insert into fetch_attempt (source_id, outcome, decision, due_at, at)
         select source_id, 'unchanged', $2, now(), now() - $3::interval from follower where subscription_id = $1`,
        [feed.id, String(attempt), ago],
      );
    }
  }

  async function attemptsOf(feed: FeedJson): Promise<string[]> {
    const rows = await app.database.query<{ decision: string }>(
      `select decision from fetch_attempt
        where source_id = (select source_id from follower where subscription_id = $1) order by id desc`,
      [feed.id],
    );
    return rows.map(({ decision }) => decision);
  }
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { migrate } from '../../src/database/migrate.js';
import { MIGRATIONS } from '../../src/database/migrations/all.js';
import { ormConfig } from '../../src/database/orm.config.js';
import { feedAddress } from '../../src/news/sources/feed-address.js';
import { identify, md5 } from '../../src/news/feed-parser/items/item-identity.js';
import { rss, startFeedServer, type FeedServer, type RssItem } from '../support/feed-server.js';
import { NewsClient, type FeedJson, type ItemJson } from '../support/news-client.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { dropDatabase, urlOfDatabase } from '../support/test-database.js';

/* Articles written by the previous version, and the first fetch after the upgrade. */

const BEFORE = MIGRATIONS.findIndex(({ name }) => name === 'Migration0018ArticleIdentity');
const ADA = { userId: 'ada', password: 'password of ada' };

const PAGE = 'https://publisher.example/page';
const OTHER_PAGE = 'https://publisher.example/other';
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const seconds = (number: number) => String(day(number).getTime() / 1000);
const link = (name: string) => `https://publisher.example/${name}`;

interface Former extends RssItem {
  /** The guid of the previous version. */
  readonly called: string;
}

/** The document, and the guid that the previous version assigned to each entry. */
const LISTED: readonly Former[] = [
  { title: 'guid', guid: 'g1', link: link('g1'), called: 'g1' },
  { title: 'link', link: link('l1'), pubDate: day(1), called: link('l1') },
  { title: 'undated link', link: link('l2'), called: link('l2') },
  ...[1, 2].map((date) => ({
    title: `shared link ${date}`,
    link: PAGE,
    pubDate: day(date),
    body: `<p>${date}</p>`,
    called: md5(PAGE, `shared link ${date}`, seconds(date)),
  })),
  ...['a', 'b'].map((name) => ({
    title: `shared undated ${name}`,
    link: OTHER_PAGE,
    called: md5(OTHER_PAGE, `shared undated ${name}`, ''),
  })),
  ...['m', 'n'].map((name) => ({
    title: `shared guid ${name}`,
    guid: 'g0',
    link: link(name),
    called: md5('g0', link(name)),
  })),
  {
    title: 'bare',
    body: '<p>bare</p>',
    pubDate: day(3),
    called: md5('bare', '<p>bare</p>', '', seconds(3)),
  },
  {
    title: 'bare and undated',
    body: '<p>bare</p>',
    called: md5('bare and undated', '<p>bare</p>', '', ''),
  },
];

/** A duplicate caused by a shared link, which is no longer listed. */
const COPY: Former = { ...(LISTED[3] as Former), called: PAGE };
/** Removed by the previous version, which kept only the hash of the guid. */
const REMOVED: Former = { title: 'removed', link: link('removed'), called: link('removed') };

let app: TestApp;
let publisher: FeedServer;
let news: NewsClient;
let feed: FeedJson;
let before: readonly ItemJson[];
const database = `gatefold_upgrade_${randomBytes(8).toString('hex')}`;

beforeAll(async () => {
  publisher = await startFeedServer();
  await withVersion(MIGRATIONS.slice(0, BEFORE), writeFormerRows);
  await withVersion(MIGRATIONS, async () => {});
  app = await startApp({ DATABASE_URL: urlOfDatabase(database) });
  await app.addUser(ADA.userId, ADA.password);
  news = new NewsClient({ baseUrl: app.url, credentials: ADA }, 'v1-3');
  [feed] = (await news.feedList()).feeds as [FeedJson];
  before = await news.items();
});
afterAll(async () => {
  await Promise.all([app.stop(), publisher.close()]);
  await dropDatabase(database);
});

async function withVersion(
  migrations: typeof MIGRATIONS,
  work: (orm: MikroORM) => Promise<void>,
): Promise<void> {
  const config = ormConfig({ url: urlOfDatabase(database) }, [], 4);
  const orm = await MikroORM.init({
    ...config,
    migrations: { ...config.migrations, migrationsList: migrations },
  });
  try {
    await migrate(orm);
    await work(orm);
  } finally {
    await orm.close();
  }
}

/** A user who has read everything of one feed. */
async function writeFormerRows(orm: MikroORM): Promise<void> {
  const run = (sql: string, params: readonly unknown[] = []) =>
    orm.em.getConnection().execute(sql, [...params]);
  const { href: url, key } = feedAddress(publisher.url('/feed.xml'));
  await run(`insert into source (url, url_key, rev, fetched_at) values (?, ?, 1, now())`, [
    url,
    key,
  ]);
  await run(`insert into source_schedule (source_id, host_key, due_at) values (1, 'h', now())`);
  await run(`insert into reader (user_id, next_item_id) values ('ada', 100)`);
  await run(
    `insert into subscription (reader_id, source_id, url, delivered_rev) values (1, 1, ?, 1)`,
    [url],
  );
  for (const { called, title, link: address, body = '', pubDate } of [COPY, ...LISTED]) {
    const stored = {
      guid: called,
      title,
      url: address ?? null,
      body,
      author: null,
      enclosureMime: null,
      enclosureLink: null,
    };
    const { fingerprint, contentHash } = identify(stored);
    await run(
      `with created as (
         insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                              title, url, pub_date_seconds, rtl)
         values (1, ?, decode(md5(?), 'hex'), decode(?, 'hex'), decode(?, 'hex'), 1, 1, ?, ?,
                 coalesce(?::bigint, extract(epoch from now())::bigint), false)
         returning id)
       insert into article_body (article_id, html) select id, ? from created`,
      [
        called,
        called,
        fingerprint,
        contentHash,
        title,
        stored.url,
        pubDate instanceof Date ? pubDate.getTime() / 1000 : null,
        body,
      ],
    );
  }
  await run(
    `insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread)
     select 1, id, 1, id, 1, false from article`,
  );
  await run(
    `insert into source_document (source_id, body_hash, article_ids)
     select 1, '', array_agg(id) from article where id > 1`,
  );
  await run(
    `insert into article_tombstone (source_id, guid_hash, first_rev) values (1, decode(md5(?), 'hex'), 1)`,
    [REMOVED.called],
  );
}

async function listed(...items: readonly RssItem[]): Promise<void> {
  publisher.publish('/feed.xml', rss({ title: 'Feed', items }));
  await new NewsClient(app.asAdmin(), 'v1-3').update(ADA.userId, feed.id);
}

const named = (items: readonly ItemJson[]) =>
  items.map(({ id, guid, unread }) => ({ id, guid, unread }));

describe('articles of the previous version', () => {
  it('are recognised by the first fetch: none is new or changed, and guids stay', async () => {
    await listed(...LISTED);

    expect(before).toHaveLength(LISTED.length + 1);
    expect(await news.items()).toEqual(before);
  });

  it('that were removed do not come back as new', async () => {
    await listed(...LISTED, REMOVED);

    expect(await news.items()).toEqual(before);
  });

  it('are distinguished from their duplicates: only the listed one changes', async () => {
    await listed(
      ...LISTED.map((entry) =>
        entry.title === COPY.title ? { ...entry, body: '<p>again</p>' } : entry,
      ),
    );

    const [newer, older] = (await news.items()).filter(({ title }) => title === COPY.title);
    expect(newer).toMatchObject({ guid: LISTED[3]?.called, body: '<p>again</p>', unread: false });
    expect(older).toMatchObject({ guid: PAGE, body: '<p>1</p>', unread: false });
  });

  it.each(LISTED.map(({ title }) => title))(
    'are recognised if one is edited: %s',
    async (edited) => {
      await listed(
        ...LISTED.map((entry) =>
          entry.title === edited ? { ...entry, body: `<p>edited ${edited}</p>` } : entry,
        ),
      );

      const items = await news.items();
      expect(named(items)).toEqual(named(before));
      expect(items.map(({ body }) => body)).toContain(`<p>edited ${edited}</p>`);
    },
  );
});

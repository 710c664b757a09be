import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ormConfig } from '../../src/database/connections/orm.config.js';
import { migrate } from '../../src/database/migrate.js';
import {
  identify,
  md5,
  NO_EVIDENCE,
  partOf,
} from '../../src/news/feed-parser/items/item-identity.js';
import { readFeed } from '../../src/news/feed-parser/read-feed.js';
import { nameArticles } from '../../src/news/sources/articles/name-articles.js';
import { feedAddress } from '../../src/news/sources/feed-address.js';
import { rss, startFeedServer, type FeedServer, type RssItem } from '../support/feed-server.js';
import { historyOf } from '../support/histories/history.js';
import { editsOf, movesOf, stateOf } from '../support/histories/moves.js';
import { playOf, type Play } from '../support/histories/play.js';
import { histories } from '../support/long.js';
import { NewsClient, type FeedJson, type ItemJson } from '../support/news-client.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { dropDatabase, urlOfDatabase } from '../support/test-database.js';

/* Articles written by the previous version, and the first fetch after the upgrade. */

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
  await withDatabase(writeFormerRows);
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

async function withDatabase(
  work: (orm: MikroORM) => Promise<void>,
  name = database,
): Promise<void> {
  const orm = await MikroORM.init(ormConfig({ url: urlOfDatabase(name) }, [], 4));
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
         returning id, source_id)
       insert into article_body (article_id, source_id, html) select id, source_id, ? from created`,
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
  // The upgrade did so for guids in which the former version told articles of one link apart.
  await run(
    `update article set key_hash = decode(md5(article.url), 'hex')
       from source_document listing
      where listing.source_id = article.source_id and article.id = any(listing.article_ids)
        and length(article.guid) = 32
        and article.guid in (md5(article.url || coalesce(article.title, '') || article.pub_date_seconds),
                             md5(article.url || coalesce(article.title, '')))`,
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

/* Generated states of the version before "what makes an item itself", and what publishers do then. */
describe('articles of the version before items could move', () => {
  const FIRST_SEED = 5_000_000;
  const BEFORE_UPGRADE = 2;
  const plays = Array.from({ length: histories(12, 400) }, (_, n): Play => {
    const kind = [
      movesOf,
      stateOf,
      editsOf,
      (seed: number, rounds: number) => playOf(historyOf(seed, rounds)),
    ];
    return (kind[n % kind.length] ?? movesOf)(FIRST_SEED + n, BEFORE_UPGRADE + 2);
  });
  const today = `gatefold_upgrade_${randomBytes(8).toString('hex')}`;
  let upgraded: TestApp;

  beforeAll(async () => {
    await withDatabase(writeStates, today);
    upgraded = await startApp({ DATABASE_URL: urlOfDatabase(today) });
    await upgraded.addUser(ADA.userId, ADA.password);
  });
  afterAll(async () => {
    await upgraded.stop();
    await dropDatabase(today);
  });

  /** One source for each play, as the former version stored its last document. */
  async function writeStates(orm: MikroORM): Promise<void> {
    const run = (sql: string, params: readonly unknown[]) =>
      orm.em.getConnection().execute<{ id: number }[]>(sql, [...params]);
    await run(`insert into reader (user_id, next_item_id) values ('ada', 100000)`, []);
    for (const [n, { rounds }] of plays.entries()) {
      const { href: url, key } = feedAddress(publisher.url(`/play-${n}`));
      const feed = await readFeed({
        bytes: Buffer.from(rounds[BEFORE_UPGRADE - 1]?.text ?? ''),
        contentType: null,
        url,
      });
      const [source] = await run(
        `insert into source (url, url_key, rev, fetched_at, title, link) values (?, ?, 1, now(), ?, ?)
         returning id`,
        [url, key, feed.title, feed.link],
      );
      await run(
        `insert into source_schedule (source_id, host_key, due_at) values (?, 'h', now())`,
        [source?.id],
      );
      await run(
        `insert into subscription (reader_id, source_id, url, delivered_rev) values (1, ?, ?, 1)`,
        [source?.id, url],
      );
      const items = feed.items.toReversed();
      const names = await nameArticles(items, new Set(), async () => []);
      for (const [place, item] of items.entries()) {
        const { lookup } = item;
        const name = names[place];
        const isNoted = lookup.kind !== 'guid' || partOf(lookup.evidence, 'date') === NO_EVIDENCE;
        await run(
          `with created as (
             insert into article (source_id, guid, guid_hash, fingerprint, content_hash, first_rev, rev,
                                  title, author, url, pub_date_seconds, enclosure_mime, enclosure_link,
                                  rtl, key_hash, evidence)
             values (?, ?, decode(?, 'hex'), decode(?, 'hex'), decode(?, 'hex'), 1, 1, ?, ?, ?,
                     coalesce(?::bigint, extract(epoch from now())::bigint), ?, ?, false,
                     nullif(decode(?, 'hex'), decode(?, 'hex')), decode(?, 'hex'))
             returning id, source_id
           )
           insert into article_body (article_id, source_id, html) select id, source_id, ? from created`,
          [
            source?.id,
            name?.guid,
            name?.guidHash,
            item.fingerprint,
            item.contentHash,
            item.title,
            item.author,
            item.url,
            item.pubDateSeconds,
            item.enclosureMime,
            item.enclosureLink,
            lookup.keyHash,
            name?.guidHash,
            isNoted ? lookup.evidence : null,
            item.body,
          ],
        );
      }
      await run(
        `insert into source_document (source_id, body_hash, article_ids)
         select ?, '', coalesce(array_agg(id order by id), '{}') from article where source_id = ?`,
        [source?.id, source?.id],
      );
    }
    await run(
      `insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread)
       select 1, article.id, s.id, article.id, 1, false
         from article join subscription s on s.source_id = article.source_id`,
      [],
    );
  }

  it('are neither repeated nor lost, with the same document and with those that follow', async () => {
    const client = new NewsClient({ baseUrl: upgraded.url, credentials: ADA }, 'v1-3');
    const admin = new NewsClient(upgraded.asAdmin(), 'v1-3');
    const { feeds } = await client.feedList();
    const before = await client.items();
    const due = new Map(plays.map((play) => [play, new Set<string>()]));

    const fetchRound = async (round: number) => {
      for (const [n, play] of plays.entries()) {
        const { text = '', listed: now = [] } = play.rounds[round] ?? {};
        publisher.publish(`/play-${n}`, text);
        const followed = feeds.find(({ url }) => url.endsWith(`/play-${n}`));
        await admin.update(ADA.userId, followed?.id ?? 0);
        now.forEach(({ entry }) => due.get(play)?.add(`entry ${entry}`));
      }
    };
    await fetchRound(BEFORE_UPGRADE - 1);
    expect(await client.items()).toEqual(before);
    await fetchRound(BEFORE_UPGRADE);
    await fetchRound(BEFORE_UPGRADE + 1);

    const items = Map.groupBy(await client.items(), ({ feedId }) => feedId);
    const wrong = plays.flatMap((play, n) => {
      const followed = feeds.find(({ url }) => url.endsWith(`/play-${n}`));
      const shown = (items.get(followed?.id ?? 0) ?? []).map(({ author }) => author).toSorted();
      const expected = [...(due.get(play) ?? [])].toSorted();
      return isDeepStrictEqual(shown, expected) ? [] : [{ story: play.story, shown, expected }];
    });
    expect(before.length).toBeGreaterThan(plays.length);
    expect(wrong).toEqual([]);
  });
});

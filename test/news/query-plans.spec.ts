import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BY_INDEX } from '../../src/database/statement-limits.js';
import type { Statement } from '../../src/database/statement.js';
import { ReadersRepository } from '../../src/news/reader/delivery/readers.repository.js';
import { firstArrivedAt, newestArrivals } from '../../src/news/reader/items/arrivals.sql.js';
import {
  asJson,
  changedIds,
  itemIds,
  itemList,
  itemsByIds,
  type ItemPage,
  type ItemSelection,
} from '../../src/news/reader/items/item-list.sql.js';
import { rowList } from '../../src/news/reader/rows/rows.sql.js';
import type { ItemSet, StreamPage, StreamSelection } from '../../src/news/reader/streams/stream.js';
import { StreamsRepository } from '../../src/news/reader/streams/streams.repository.js';
import { findSurroundings, streamIds } from '../../src/news/reader/streams/streams.sql.js';
import { seedItems } from '../../tools/bench/seed-items.js';
import { subscribeAll } from '../../tools/bench/seed-readers.js';
import { onOneServer } from '../support/one-server.js';
import { readerOf } from '../support/reader-of.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { statementsOfRequests } from '../support/statements.js';

const FEEDS = 60;
const ITEMS_PER_FEED = 100;
const PAGE: ItemPage = { oldestFirst: false, offset: 3000, limit: 50 };

/** Pages keep their plans, so these are made without values. */
const KEPT = `${BY_INDEX} set local plan_cache_mode = force_generic_plan;`;

let app: TestApp;
let readerId: number;
beforeAll(async () => {
  app = await startApp();
  await seedItems(app, await app.signIn(), FEEDS, ITEMS_PER_FEED);
  await app.database.query('update item set unread = false where id % 3 = 0');
  await app.database.query('update item set starred = true where id % 50 = 0');
  await app.database.query('vacuum analyze item');
  const [reader] = await app.database.query<{ id: number }>('select id from reader');
  readerId = reader?.id ?? 0;
});
afterAll(() => app.stop());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Plan[];
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

async function explain({ sql, params }: Statement, settings = ''): Promise<Plan[]> {
  return app.database.transaction(async (tx) => {
    await tx.query(settings);
    const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${sql}`,
      params,
    );
    return row === undefined ? [] : nodes(row['QUERY PLAN'][0].Plan);
  });
}

/** Of the parts of a plan that were executed. */
const indexes = (plan: readonly Plan[]) =>
  plan.flatMap((node) => (node['Actual Loops'] > 0 ? (node['Index Name'] ?? []) : []));
const itemsRead = (plan: readonly Plan[]) =>
  plan
    .filter((node) => node['Relation Name'] === 'item')
    .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);

onOneServer('a page of items reads only the rows it returns', () => {
  it.each([
    ['all', { of: 'all', unreadOnly: false }, 'item_pkey'],
    ['unread', { of: 'unread', unreadOnly: true }, 'item_unread_index'],
    ['starred', { of: 'starred', unreadOnly: false }, 'item_starred_index'],
    [
      'a feed',
      { of: 'feed', feedId: 7, unreadOnly: false },
      'item_subscription_id_article_id_unique',
    ],
  ] as [string, ItemSelection, string][])('%s, by its index', async (_name, selection, index) => {
    const plan = await explain(itemList(readerId, selection, PAGE), KEPT);

    expect(indexes(plan)).toContain(index);
    expect(itemsRead(plan)).toBeLessThanOrEqual(ITEMS_PER_FEED);
  });

  it('a small folder does not read the items of other feeds', async () => {
    await app.database.query(
      `with folder as (insert into folder (reader_id, name) values ($1, 'small') returning id)
       update subscription set folder_id = folder.id from folder where subscription.id <= 2`,
      [readerId],
    );
    const [folder] = await app.database.query<{ id: number }>('select id from folder');
    const selection: ItemSelection = { of: 'folder', folderId: folder?.id ?? 0, unreadOnly: false };

    const plan = await explain(itemList(readerId, selection, PAGE, 2 / FEEDS), KEPT);

    expect(itemsRead(plan)).toBeLessThanOrEqual(2 * ITEMS_PER_FEED);
  });

  it.each([
    ['all', { of: 'all', unreadOnly: false }, 'item_pkey'],
    ['unread', { of: 'unread', unreadOnly: true }, 'item_unread_index'],
  ] as [string, ItemSelection, string][])(
    'the ids of %s are not sorted, regardless of the order of the rows on disk',
    async (_name, selection, index) => {
      const page: ItemPage = { oldestFirst: false, offset: null, limit: 10_000 };

      const plan = await explain(itemIds(readerId, selection, page), BY_INDEX);

      expect(indexes(plan)).toContain(index);
      const sorted = plan.filter((node) => node['Node Type'] === 'Sort').flatMap(nodes);
      expect(sorted.map((node) => node['Relation Name'])).not.toContain('item');
    },
  );

  it('the contents of a chunk read its items alone', async () => {
    const ids = Array.from({ length: 200 }, (_, n) => 1000 + n);

    const plan = await explain(asJson(itemsByIds(readerId, ids, 'desc'), 'desc', 0), KEPT);

    expect(itemsRead(plan)).toBe(ids.length);
    const bodies = plan.filter((node) => node['Relation Name'] === 'article_body');
    expect(bodies.map((node) => node['Actual Rows'] * node['Actual Loops'])).toEqual([ids.length]);
  });

  describe('by date', () => {
    const dates = [null, { dateSeconds: 1_790_000_050, id: 3000 }];
    const lists = [
      { of: 'all', unreadOnly: false },
      { of: 'unread', unreadOnly: true },
      { of: 'starred', unreadOnly: false },
      { of: 'starred', unreadOnly: true },
      { of: 'feed', feedId: 7, unreadOnly: false },
      { of: 'feed', feedId: 7, unreadOnly: true },
      { of: 'folder', folderId: null, unreadOnly: false },
      { of: 'folder', folderId: null, unreadOnly: true },
    ] as ItemSelection[];

    it.each(
      lists.flatMap((selection) =>
        dates.flatMap((after) =>
          [false, true].map((oldestFirst) => ({ selection, after, oldestFirst })),
        ),
      ),
    )('%j: by an index on dates', async ({ selection, after, oldestFirst }) => {
      const plan = await explain(
        rowList(readerId, selection, { oldestFirst, after, limit: 50 }),
        BY_INDEX,
      );

      const used = new Set(indexes(plan).filter((name) => /^item_(?!label_|mark_)/.test(name)));
      const index = selection.of === 'starred' ? 'item_starred_date_index' : 'item_date_index';
      expect([...used]).toEqual([index]);
      const sorted = plan.filter((node) => /Sort/.test(node['Node Type'])).flatMap(nodes);
      expect(sorted.map((node) => node['Relation Name'])).not.toContain('article_body');
      // The page four times, and one of each feed and flag.
      expect(itemsRead(plan)).toBeLessThanOrEqual(4 * 50 + 2 * FEEDS);
    });
  });

  it('changes use the index on stamps', async () => {
    const [row] = await app.database.query<{ newest: number }>(
      'select max(last_modified_micros) + 1 as newest from item',
    );

    const plan = await explain(
      changedIds(readerId, { of: 'all', unreadOnly: false }, row?.newest ?? 0, null, 10_000),
    );

    expect(indexes(plan)).toContain('item_reader_id_last_modified_micros_index');
    expect(itemsRead(plan)).toBe(0);
  });
});

const ALL: StreamSelection = {
  within: [{ of: 'all' }],
  without: [],
  fromMicros: null,
  toMicros: null,
};
const page = (limit: number, after: number | null = null): StreamPage => ({
  oldestFirst: false,
  after,
  limit,
});

onOneServer('a stream', () => {
  const ofFeeds = (first: number, last: number): ItemSet => ({
    of: 'tag',
    feedIds: Array.from({ length: last - first + 1 }, (_, n) => first + n),
    labelId: null,
  });
  const statementOf = async (selection: StreamSelection, asked: StreamPage) =>
    streamIds(
      readerId,
      selection,
      asked,
      await findSurroundings(readerId, selection, app.database),
    );
  /** As if the reader had many items of other feeds. */
  const ofCrowd = async (selection: StreamSelection, asked: StreamPage) =>
    streamIds(readerId, selection, asked, {
      ...(await findSurroundings(readerId, selection, app.database)),
      newestItemId: 1_000_000,
    });
  beforeAll(async () => {
    await app.database.query('vacuum analyze item');
  });

  it.each([
    ['all', ALL, 20, 'item_pkey'],
    ['unread', { ...ALL, within: [{ of: 'unread' }] }, 5000, 'item_unread_index'],
    ['all without read ones', { ...ALL, without: [{ of: 'read' }] }, 20, 'item_unread_index'],
    [
      'unread ones of a folder',
      { ...ALL, within: [ofFeeds(1, 10), { of: 'unread' }] },
      5000,
      'item_date_index',
    ],
    ['starred', { ...ALL, within: [{ of: 'starred' }] }, 100, 'item_starred_index'],
    ['all of a feed', { ...ALL, within: [ofFeeds(7, 7)] }, 20_000, 'item_date_index'],
  ] as [string, StreamSelection, number, string][])(
    'ids of %s come from an index alone',
    async (_name, selection, limit, index) => {
      const plan = await explain(await ofCrowd(selection, page(limit)), BY_INDEX);

      const ofItems = plan.filter((node) => node['Relation Name'] === 'item');
      expect(ofItems.map((node) => node['Node Type'])).toEqual(['Index Only Scan']);
      expect(indexes(plan)).toContain(index);
    },
  );

  it.each([
    ['all', ALL],
    ['all without read ones', { ...ALL, without: [{ of: 'read' }] }],
    ['starred', { ...ALL, within: [{ of: 'starred' }] }],
    ['a feed', { ...ALL, within: [ofFeeds(7, 7)] }],
    ['a folder', { ...ALL, within: [ofFeeds(3, 12)] }],
    ['what arrived long ago', { ...ALL, toMicros: 0 }],
    ['what arrived in the future', { ...ALL, fromMicros: 9e15 }],
  ] as [string, StreamSelection][])('a page of %s reads little more', async (name, selection) => {
    const after = ['a folder', 'all'].includes(name) ? [null, 3000] : [null];
    for (const start of after) {
      const statement = await statementOf(selection, page(20, start));

      // A folder is merged from the first few of each feed.
      const most = name === 'a folder' ? 20 * 10 + 20 : 3 * 20;
      expect(itemsRead(await explain(statement, BY_INDEX))).toBeLessThanOrEqual(most);
    }
  });

  it('a later page of a feed goes on where the one before ended', async () => {
    const selection = { ...ALL, within: [ofFeeds(7, 7)] };
    const ids = await app.database.query<{ id: number }>(
      'select id::int from item where subscription_id = 7 order by id desc',
    );
    const after = ids[60]?.id ?? 0;

    const statement = await statementOf(selection, page(10, after));

    // The last item of the page before, and the page.
    expect(itemsRead(await explain(statement, BY_INDEX))).toBeLessThanOrEqual(1 + 10);
  });

  it('finds a moment by a look-up for each bit of the newest id', async () => {
    const [row] = await app.database.query<{ newest: number }>(
      'select max(arrived_micros) as newest from item',
    );

    const plan = await explain({
      sql: `select ${firstArrivedAt('$1', '$2')} as id`,
      params: [readerId, (row?.newest ?? 0) + 1],
    });

    expect(itemsRead(plan)).toBeLessThanOrEqual(1 + Math.log2(2 * FEEDS * ITEMS_PER_FEED));
  });

  it('reads one item of each feed for the newest arrivals', async () => {
    const [reader] = await app.database.query<{ id: number }>('select id from reader');

    const plan = await explain(newestArrivals(reader?.id ?? 0));

    expect(indexes(plan)).toContain('item_subscription_id_article_id_unique');
    expect(itemsRead(plan)).toBe(FEEDS);
  });
});

onOneServer('the start of a synchronisation', () => {
  it('reads from an index which feeds have news, however many subscriptions others have', async () => {
    await app.database.query(
      `insert into reader (user_id) select 'other' || n from generate_series(1, 200) n`,
    );
    const query = async <Row>(sql: string, params?: readonly unknown[]): Promise<Row[]> =>
      app.database.query(sql, params);
    await subscribeAll({ query }, 'other', 200, 'true');
    await app.database.query('vacuum analyze subscription');
    const reader = await readerOf(app, 'user-0');
    const [sql = ''] = await statementsOfRequests(app.database, () =>
      app.inside(ReadersRepository).stateOf(reader, false),
    );

    const plan = await explain({ sql, params: [readerId] }, KEPT);

    expect(indexes(plan)).toContain('subscription_delivered_rev_index');
    const read = plan.filter((node) => node['Relation Name'] === 'subscription');
    expect(read.map((node) => node['Node Type'])).toEqual(['Index Only Scan']);
    expect(read[0]?.['Actual Rows']).toBe(FEEDS);
    await app.database.query(`delete from reader where user_id like 'other%'`);
  });
});

it('a stream of contents comes in chunks, however many items are asked for', async () => {
  const sizes: number[] = [];
  const items = app.inside(StreamsRepository).contents(readerId, ALL, page(50_000));
  for await (const batch of items) {
    sizes.push(batch.length);
  }

  expect(sizes.reduce((sum, size) => sum + size)).toBe(FEEDS * ITEMS_PER_FEED);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(250);
});

it('no statement is compiled, no matter what the server prefers', async () => {
  const sql = `select setting, source from pg_settings where name = 'jit'`;

  expect(await app.database.query(sql)).toEqual([{ setting: 'off', source: 'session' }]);
});

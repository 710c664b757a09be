import { beforeAll, describe, expect, it } from '@jest/globals';
import { InstallationChecks } from '../../src/common/ports/installation-checks.js';
import { SOURCE_TABLES } from '../../src/news/distribution/distribution.repository.js';
import { READER_TABLES } from '../../src/news/distribution/readers.sql.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss } from '../support/feed-server.js';
import { feverClientOf, type FeverClient } from '../support/fever-client.js';
import {
  decimalId,
  GoogleReaderClient,
  READING_LIST,
  STATE,
} from '../support/google-reader-client.js';
import { NewsClient } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

const { app, publisher } = await serviceAndPublisher();

let folders = 0;
const titles = ['one', 'two', 'three'];

function publish(): void {
  publisher.publish('/a.xml', rss({ title: 'a', items: titles.map((title) => ({ title })) }));
}

/** Of a request whose answer was not read by a client. */
function refusalOf(answer: unknown): number | undefined {
  const { status = 200 } = (answer ?? {}) as { readonly status?: number };
  return status < 300 ? undefined : status;
}

/** Statements that asked several shards, ever. */
async function askedOfManyShards(): Promise<number> {
  const [row] = await app.database.query<{ count: number }>(
    `select query_execution_multi_shard as count from citus_stat_counters
      where name = current_database()`,
  );
  return row?.count ?? 0;
}

let news: NewsClient;
let stranger: NewsClient;
let google: GoogleReaderClient;
let fever: FeverClient;
beforeAll(async () => {
  publish();
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  google = await GoogleReaderClient.of(user);
  fever = await feverClientOf(app, user);
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  await news.subscribe(publisher.url('/a.xml'));
  await stranger.subscribe(publisher.url('/a.xml'));
});

describe('a service whose readers and articles are distributed over the workers of a Citus cluster', () => {
  it('has all tables of both families in shards', async () => {
    const rows = await app.database.query<{ name: string }>(
      `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h' order by 1`,
    );

    const names = [...READER_TABLES, ...SOURCE_TABLES].map(({ name }) => name);
    expect(rows.map(({ name }) => name)).toEqual(names.toSorted());
  });

  it('delivers, and keeps what a user changes from others', async () => {
    const { id } = await news.item('one');
    await news.post(`/items/${id}/star`);

    expect((await news.item('one')).starred).toBe(true);
    expect((await stranger.item('one')).starred).toBe(false);
    expect((await news.feedList()).feeds).toMatchObject([{ unreadCount: 3 }]);
  });

  it('tells sources who follows them, until the last one leaves', async () => {
    const followers = () =>
      app.database.query<{ readers: number }>(
        `select count(distinct reader_id)::int as readers from follower
          where url = $1 and deleted_at is null`,
        [publisher.url('/a.xml')],
      );
    expect(await followers()).toEqual([{ readers: 2 }]);

    const { feeds } = await stranger.feedList();
    await stranger.delete(`/feeds/${feeds[0]?.id}`);

    expect(await followers()).toEqual([{ readers: 1 }]);
  });
});

it('the tables of both families are changed as migrations change them, in one transaction', async () => {
  const undone = new Error('undone');
  const changed = app.database.transaction(async (tx) => {
    await tx.query('alter table item add column later integer not null default 1');
    await tx.query('create index item_later_index on item (reader_id, later)');
    await tx.query('alter table article add column later text');
    await tx.query('update reader set next_item_id = next_item_id + 1');
    const items = await tx.query<{ later: number }>('select distinct later from item');
    expect(items).toEqual([{ later: 1 }]);
    throw undone;
  });

  await expect(changed).rejects.toBe(undone);
});

it('the doctor lists the servers with their shards', async () => {
  const subjects = await app.inside(InstallationChecks).run();

  const found = subjects.find(({ subject }) => subject === 'Database servers');
  expect(found?.findings).toEqual([
    {
      state: 'ok',
      text: expect.stringMatching(
        /^Readers and articles are distributed; shards by server: \S+ \(\d+\), \S+ \(\d+\)\.$/,
      ),
    },
  ]);
});

describe('statements that ask several shards', () => {
  it('are counted, for the cases below', async () => {
    const before = await askedOfManyShards();

    await app.database.query('select count(*) from item');

    expect(await askedOfManyShards()).toBe(before + 1);
  });

  it.each([
    ['the folders', () => news.folders()],
    ['the feeds', () => news.feedList()],
    ['the labels', () => news.labels()],
    ['a poll without changes', () => news.changedItems(Math.floor(Date.now() / 1000) + 60)],
    ['rows that changed', () => news.get('/rows/changed', { since: 0 })],
    ['a flag', () => news.change('/items/2/read')],
    ['flags of many items', () => news.change('/items/unread/multiple', { itemIds: [1, 2] })],
    ['stars', () => news.change('/items/star/multiple', { itemIds: [1, 2] })],
    ['marking all read', () => news.change('/items/read', { newestItemId: 3 })],
    ['marking a feed read', () => news.change('/feeds/1/read', { newestItemId: 3 })],
    ['a label on items', () => news.label([1, 2], { add: ['later'] })],
    ['a new folder', () => news.createFolder(`folder ${(folders += 1)}`)],
    ['a name of a folder', () => news.put('/folders/1', { name: `name ${(folders += 1)}` })],
    ['marking a folder read', () => news.change('/folders/1/read', { newestItemId: 3 })],
    ['moving a feed', () => news.change('/feeds/1/move', { folderId: 1 })],
    ['a name of a feed', () => news.change('/feeds/1/rename', { feedTitle: `${(folders += 1)}` })],
    ['where somebody listens on', () => news.put('/playback/2', { position: 20 })],
    ['unread counts of Google Reader', () => google.get('unread-count')],
    ['subscriptions of Google Reader', () => google.get('subscription/list')],
    ['ids of Google Reader', () => google.ids(READING_LIST)],
    [
      'a tag of Google Reader',
      () =>
        google.post('edit-tag', [
          ['i', decimalId(1)],
          ['a', `${STATE}read`],
        ]),
    ],
    ['ids of Fever', () => fever.unreadIds()],
    ['a mark of Fever', () => fever.post('/fever/?api', 'mark=item&as=saved&id=2')],
  ])('are none for %s', async (_what, request) => {
    expect(refusalOf(await request())).toBeUndefined();
    const before = await askedOfManyShards();

    await request();

    expect(await askedOfManyShards()).toBe(before);
  });

  it.each([
    ['items by id', () => news.items()],
    ['items by date', () => news.rows()],
    ['items that changed', () => news.changedItems(0)],
    ['one item', () => news.get('/items/2')],
    ['contents of Google Reader', () => google.contents(READING_LIST)],
    ['items of Fever', () => fever.items()],
  ])('are one, of the articles, for %s', async (_what, request) => {
    expect(refusalOf(await request())).toBeUndefined();
    const before = await askedOfManyShards();

    await request();

    expect(await askedOfManyShards()).toBe(before + 1);
  });

  it('are none for a delivery, which asks the shards of its sources', async () => {
    const known = (await news.changedItems(0)).map(({ title }) => title);
    titles.push('four');
    publish();
    await app.database.query('update source_schedule set due_at = now()');
    await app.inside(UpdateCycle).fetchDue();
    const before = await askedOfManyShards();

    const changed = await news.changedItems(0);

    // One statement for the list itself.
    expect(await askedOfManyShards()).toBe(before + 1);
    expect(changed.map(({ title }) => title)).toEqual(['four', ...known]);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { NewsClient } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { READER_TABLES } from '../../src/news/distribution/readers.sql.js';
import { SOURCE_TABLES } from '../../src/news/distribution/sources.sql.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.js';

const { app, publisher } = await serviceAndPublisher();

const titles = ['one', 'two', 'three'];

function publish(): void {
  publisher.publish('/a.xml', rss({ title: 'a', items: titles.map((title) => ({ title })) }));
}

/** Statements that asked several shards, ever. */
async function askedOfManyShards(): Promise<number> {
  const [row] = await app.database.query<{ count: number }>(
    `select query_execution_multi_shard as count from citus_stat_counters
      where name = current_database()`,
  );
  return row?.count ?? 0;
}

describe('a service whose readers and articles are distributed over the workers of a Citus cluster', () => {
  let news: NewsClient;
  let stranger: NewsClient;
  beforeAll(async () => {
    publish();
    news = new NewsClient(await app.signIn(), 'v1-3');
    stranger = new NewsClient(await app.signIn(), 'v1-3');
    await news.subscribe(publisher.url('/a.xml'));
    await stranger.subscribe(publisher.url('/a.xml'));
  });

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

  it('counts statements that ask several shards, for the cases below', async () => {
    const before = await askedOfManyShards();

    await app.database.query('select count(*) from item');

    expect(await askedOfManyShards()).toBe(before + 1);
  });

  it.each([
    ['a poll without changes', () => news.changedItems(Math.floor(Date.now() / 1000) + 60)],
    ['a list of feeds', () => news.feedList()],
    ['a flag', () => news.change('/items/2/read')],
    ['marking all read', () => news.change('/items/read', { newestItemId: 3 })],
  ])('asks one shard for %s', async (_what, request) => {
    await request();
    const before = await askedOfManyShards();

    await request();

    expect(await askedOfManyShards()).toBe(before);
  });

  it('asks the shard of the source for what is delivered', async () => {
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

  it.each([
    ['items by id', () => news.items()],
    ['items by date', () => news.rows()],
    ['items that changed', () => news.changedItems(0)],
    ['one item', () => news.get('/items/2')],
  ])('asks the shards of articles once for %s', async (_what, request) => {
    await request();
    const before = await askedOfManyShards();

    await request();

    expect(await askedOfManyShards()).toBe(before + 1);
  });
});

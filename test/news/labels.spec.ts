import { beforeEach, describe, expect, it } from '@jest/globals';
import { asJson, itemList, type ItemSelection } from '../../src/news/reader/items/item-list.sql.js';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { rss } from '../support/feed-server.js';
import {
  LEVELS,
  NewsClient,
  ok,
  titles,
  type FeedJson,
  type RowsJson,
} from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_LIMITS: 'labels-per-user=6 labels-per-item=4 labels-on-items-per-user=11',
  GATEFOLD_KEEP_READ_ITEMS: '1',
  GATEFOLD_READ_ITEMS_GRACE_DAYS: '0',
});

let user: TestUser;
let news: NewsClient;
let stranger: NewsClient;
let feed: FeedJson;
let ids: readonly number[];
let specs = 0;
beforeEach(async () => {
  const path = `/${(specs += 1)}.xml`;
  const items = ['three', 'two', 'one'].map((title) => ({ title }));
  publisher.publish(path, rss({ title: path, link: publisher.url('/'), items }));
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  feed = await news.subscribe(publisher.url(path));
  ids = (await news.items({ oldestFirst: true })).map(({ id }) => id);
});

const idOf = (n: number) => ids[n - 1] ?? 0;
const labelled = async (client = news) =>
  Object.fromEntries((await client.items()).map(({ title, labels }) => [title, labels]));
const rows = (table: string) => app.database.query(`select 1 from ${table}`);

async function changedBy(work: () => Promise<unknown>): Promise<readonly (string | null)[]> {
  const cursor = await app.nowMicros();
  await work();
  return titles(await news.changedItems(cursor)).toSorted();
}

describe('labels of items', () => {
  it('are listed by name with their items, and with each item once there are any', async () => {
    expect(await labelled()).toEqual({ one: undefined, two: undefined, three: undefined });

    await ok(news.post(`/items/${idOf(1)}/labels`, { add: ['read later', 'Art'] }));
    await news.label([idOf(1), idOf(2)], { add: ['Art'] });
    await ok(news.change(`/items/${idOf(2)}/read`));

    expect(await news.labels()).toEqual([
      { id: expect.any(Number), name: 'Art', itemCount: 2, unreadCount: 1 },
      { id: expect.any(Number), name: 'read later', itemCount: 1, unreadCount: 1 },
    ]);
    expect(await labelled()).toEqual({ one: ['Art', 'read later'], two: ['Art'], three: [] });
    expect((await ok<{ labels: string[] }>(news.get(`/items/${idOf(2)}`))).labels).toEqual(['Art']);
  });

  it.each(LEVELS)('are in lists of level %s with every character', async (level) => {
    const name = 'a/b "c" \\ & 東京 😀 <i>';
    await news.label([idOf(1)], { add: [name] });

    expect(await labelled(new NewsClient(user, level))).toMatchObject({ one: [name] });
  });

  it('are reported as changes of the items that changed, and of no others', async () => {
    expect(await changedBy(() => news.label(ids, { add: ['a'] }))).toEqual(['one', 'three', 'two']);
    expect(await changedBy(() => news.label(ids, { add: ['a'] }))).toEqual([]);
    expect(
      await changedBy(() => news.label([idOf(1)], { add: ['b'], remove: ['a', 'none'] })),
    ).toEqual(['one']);
    const [a, b] = await news.labels();
    expect(await changedBy(() => ok(news.put(`/labels/${a?.id}`, { name: 'c' })))).toEqual([
      'three',
      'two',
    ]);
    expect(await changedBy(() => ok(news.put(`/labels/${a?.id}`, { name: 'c' })))).toEqual([]);
    expect(await changedBy(() => ok(news.delete(`/labels/${b?.id}`)))).toEqual(['one']);
    expect(await labelled()).toEqual({ one: [], two: ['c'], three: ['c'] });
  });

  it('are created once, also without items, and stay until they are removed', async () => {
    await news.label([], { add: ['empty', ' empty '] });
    await news.label([idOf(1)], { add: ['Empty'] });
    await news.label([idOf(1)], { remove: ['Empty'] });

    expect((await news.labels()).map(({ name, itemCount }) => [name, itemCount])).toEqual([
      ['empty', 0],
      ['Empty', 0],
    ]);
  });

  it('are merged when one gets the name of another', async () => {
    await news.label([idOf(1), idOf(2)], { add: ['a'] });
    await news.label([idOf(2), idOf(3)], { add: ['b'] });
    const [a, b] = await news.labels();

    expect(await changedBy(() => ok(news.put(`/labels/${a?.id}`, { name: ' b ' })))).toEqual([
      'one',
      'two',
    ]);

    expect(await news.labels()).toEqual([{ id: b?.id, name: 'b', itemCount: 3, unreadCount: 3 }]);
  });

  it('are removed with an answer from which the removal can be undone', async () => {
    await news.label([idOf(1), idOf(3)], { add: ['a'] });
    const [label] = await news.labels();

    const removed = await ok<{ name: string; itemIds: number[] }>(
      news.delete(`/labels/${label?.id}`),
    );

    expect(removed).toEqual({ name: 'a', itemIds: [idOf(1), idOf(3)] });
    expect(await news.labels()).toEqual([]);
    await news.label(removed.itemIds, { add: [removed.name] });
    expect(await labelled()).toEqual({ one: ['a'], two: [], three: ['a'] });
  });

  it.each([
    ['', 'must not be empty'],
    ['  ', 'must not be empty'],
    ['x'.repeat(256), 'has at most 255 characters'],
    ['a\u0000b', 'must not contain control characters'],
    ['a\nb', 'must not contain control characters'],
  ])('refuses the name %j with 422', async (name, rule) => {
    await news.label([idOf(1)], { add: ['a'] });
    const [label] = await news.labels();
    const answers = [
      await news.post(`/items/${idOf(1)}/labels`, { add: ['b', name] }),
      await news.put(`/labels/${label?.id}`, { name }),
    ];

    expect(answers.map(({ status, json }) => [status, json])).toEqual(
      answers.map(() => [422, { message: `The name of a label ${rule}.` }]),
    );
    expect((await news.labels()).map((one) => one.name)).toEqual(['a']);
  });

  it('are limited per user and per item; beyond it nothing is changed', async () => {
    await news.label([idOf(1)], { add: ['a', 'b', 'c', 'd'] });

    const perItem = await news.post('/items/labels/multiple', { itemIds: ids, add: ['e'] });
    const perUser = await news.post('/items/labels/multiple', {
      itemIds: [idOf(2)],
      add: ['e', 'f', 'g'],
    });

    expect([perItem.status, perItem.json]).toEqual([
      422,
      { message: 'This installation allows at most 4 labels per item. Remove some first.' },
    ]);
    expect([perUser.status, perUser.json]).toEqual([
      422,
      { message: 'This installation allows at most 6 labels per user. Remove some first.' },
    ]);
    expect(await labelled()).toEqual({ one: ['a', 'b', 'c', 'd'], two: [], three: [] });
    await news.label([idOf(1)], { add: ['e'], remove: ['a'] });
    expect(await labelled()).toMatchObject({ one: ['b', 'c', 'd', 'e'] });
  });

  it('are limited on all items of a user together', async () => {
    await news.label(ids, { add: ['a', 'b', 'c'] });

    const one = await news.post('/items/labels/multiple', { itemIds: ids, add: ['d'] });
    const many = await news.post('/items/labels/multiple', {
      itemIds: ids,
      add: ['a', 'b', 'c', 'd'],
    });

    const message =
      'This installation allows at most 11 labels on items per user. Remove some first.';
    expect([one.status, one.json]).toEqual([422, { message }]);
    expect([many.status, many.json]).toEqual([422, { message }]);
    expect(await labelled()).toMatchObject({ one: ['a', 'b', 'c'], three: ['a', 'b', 'c'] });
    await news.label(ids.slice(1), { add: ['d'] });
    await ok(stranger.get('/labels'));
  });

  it('answers 404 for unknown items and labels, and ignores unknown items among many', async () => {
    const answers = [
      await news.post('/items/999999/labels', { add: ['a'] }),
      await news.put('/labels/999999', { name: 'a' }),
      await news.delete('/labels/999999'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await news.labels()).toEqual([]);
    await news.label([999999, idOf(1)], { add: ['a'] });
    expect((await news.labels()).map(({ itemCount }) => itemCount)).toEqual([1]);
  });

  it('are neither shown to other users nor changed by them', async () => {
    await news.label(ids, { add: ['a'] });
    const [label] = await news.labels();

    expect(await stranger.labels()).toEqual([]);
    expect((await stranger.put(`/labels/${label?.id}`, { name: 'x' })).status).toBe(404);
    expect((await stranger.delete(`/labels/${label?.id}`)).status).toBe(404);
    expect((await stranger.post(`/items/${idOf(1)}/labels`, { add: ['x'] })).status).toBe(404);
    await stranger.label(ids, { add: ['a', 'x'] });
    expect((await stranger.labels()).map(({ itemCount }) => itemCount)).toEqual([0, 0]);
    expect(await news.labels()).toEqual([
      { id: label?.id, name: 'a', itemCount: 3, unreadCount: 3 },
    ]);
    const guest = new NewsClient(app.asStranger(), 'v1-3');
    expect((await guest.get('/labels')).status).toBe(401);
    expect((await guest.post(`/items/${idOf(1)}/labels`, { add: ['x'] })).status).toBe(401);
  });

  it('select items: lists by id and by date, changes, search, and what is marked read', async () => {
    await news.label([idOf(1), idOf(3)], { add: ['a', 'b'] });
    await news.label([idOf(2)], { add: ['b'] });
    const [label] = await news.labels();
    const list = { type: 20, id: label?.id ?? 0 };
    await ok(news.change(`/items/${idOf(3)}/read`));

    expect(titles(await news.items(list))).toEqual(['three', 'one']);
    expect(titles(await news.items({ ...list, getRead: false }))).toEqual(['one']);
    expect(titles(await news.items({ ...list, offset: idOf(3), batchSize: 1 }))).toEqual(['one']);
    expect(titles(await news.changedItems(0, list)).toSorted()).toEqual(['one', 'three']);
    const found = await ok<RowsJson>(news.get('/search/rows', { ...list, query: 'one or two' }));
    expect(found.rows.map(({ title }) => title)).toEqual(['one']);
    expect(titles(await stranger.items(list))).toEqual([]);

    const { rows: first, next } = await news.rows({ ...list, batchSize: 1 });
    const { rows: second } = await news.rows({ ...list, batchSize: 1, after: next ?? '' });
    expect([...first, ...second].map(({ title }) => title).toSorted()).toEqual(['one', 'three']);
    expect(first[0]?.labels).toEqual(['a', 'b']);
    expect((await news.rows({ ...list, oldestFirst: true })).rows.map(({ id }) => id)).toEqual(
      [...first, ...second].map(({ id }) => id).toReversed(),
    );

    const part = { ...list, newestItemId: idOf(3) };
    expect(await ok(stranger.post('/rows/read', part))).toMatchObject({ marked: 0 });
    expect(await ok(news.post('/rows/read', part))).toMatchObject({ marked: 1 });
    expect((await news.item('two')).unread).toBe(true);
    expect(await news.labels()).toMatchObject([{ unreadCount: 0 }, { unreadCount: 1 }]);
  });

  it('are read once in a statement, and not at all for users without', async () => {
    const plan = async (userId: string) => {
      const [reader] = await app.database.query<{ id: number }>(
        'select id from reader where user_id = $1',
        [userId],
      );
      const all: ItemSelection = { of: 'all', unreadOnly: false };
      const page = { oldestFirst: false, offset: null, limit: null };
      const { sql, params } = asJson(itemList(reader?.id ?? 0, all, page), 'desc', 0);
      const lines = await app.database.query<object>(`explain (analyze) ${sql}`, params);
      return lines.flatMap((line) => Object.values(line)).join('\n');
    };
    const lookedUp = /item_label_\w+ on item_label.*\(actual.*loops=3\)/;

    expect(await plan(user.credentials.userId)).not.toMatch(lookedUp);
    await news.label([idOf(1)], { add: ['a'] });
    expect(await plan(user.credentials.userId)).toMatch(lookedUp);
    expect(await plan(user.credentials.userId)).toMatch(/label_\w+ on label.*\(actual.*loops=1\)/);
  });

  it('keep read items, and go with items that are removed, with feeds and with accounts', async () => {
    await news.label([idOf(1)], { add: ['kept'] });
    await ok(news.change('/items/read', { newestItemId: idOf(3) }));
    await app.database.query('delete from housekeeping');
    await app.inside(UpdateCycle).keepHouse();
    // The publisher's longest document has three.
    await app.database.query('update source set largest_document = 1');
    await app.database.query('delete from housekeeping');
    await app.inside(UpdateCycle).keepHouse();
    expect(await labelled()).toEqual({ one: ['kept'], three: [] });

    await news.call('DELETE', `/feeds/${feed.id}`, { query: { undoable: true } });
    expect(await news.labels()).toMatchObject([{ itemCount: 0, unreadCount: 0 }]);
    await ok(news.post(`/feeds/${feed.id}/restore`));
    expect(await news.labels()).toMatchObject([{ itemCount: 1 }]);

    await ok(news.delete(`/feeds/${feed.id}`));
    expect(await news.labels()).toMatchObject([{ itemCount: 0 }]);

    const before = (await rows('label')).length;
    await app.inside(UsersService).delete(user.credentials.userId);
    expect(await rows('label')).toHaveLength(before - 1);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryService } from '../../src/news/reader/delivery/delivery.service.js';
import { ItemDatesRepository } from '../../src/news/reader/delivery/item-dates.repository.js';
import { rss, type RssItem } from '../support/feed-server.js';
import {
  NewsClient,
  ok,
  type FeedJson,
  type ItemJson,
  type RowJson,
} from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';
import { statementsDuring } from '../support/statements.js';

const { app, publisher } = await sharedService();

const admin = new NewsClient(app.asAdmin(), 'v1-3');

const day = (n: number) => new Date(Date.UTC(2026, 0, n));
const seconds = (date: Date) => date.getTime() / 1000;
const publish = (path: string, items: readonly RssItem[]) =>
  publisher.publish(path, rss({ title: 'Feed', link: publisher.url('/'), items }));
const item = (title: string, pubDate: Date, more: Partial<RssItem> = {}): RssItem => ({
  title,
  guid: `tag:${title}`,
  link: publisher.url(`/${title}`),
  body: `<p>Text of ${title}</p>`,
  pubDate,
  ...more,
});

let user: TestUser;
let news: NewsClient;
let stranger: NewsClient;
let paths = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  stranger = new NewsClient(await app.signIn(), 'v1-3');
});

async function follow(
  items: readonly RssItem[],
  folderId: number | null = null,
): Promise<{ feed: FeedJson; path: string }> {
  paths += 1;
  const path = `/rows-${paths}.xml`;
  publish(path, items);
  return { feed: await news.subscribe(publisher.url(path), folderId), path };
}

const titlesOf = (rows: readonly RowJson[]) => rows.map(({ title }) => title);
const listed = async (query: Record<string, string | number | boolean> = {}) =>
  titlesOf((await news.rows(query)).rows);

describe('a list by date', () => {
  it('merges feeds by the date of publication, newest or oldest first', async () => {
    await follow([item('c', day(3)), item('a', day(1))]);
    await follow([item('d', day(4)), item('b', day(2))]);

    expect(await listed()).toEqual(['d', 'c', 'b', 'a']);
    expect(await listed({ oldestFirst: true })).toEqual(['a', 'b', 'c', 'd']);
    // The list of the API keeps its order, by id.
    expect((await news.items()).map(({ title }) => title)).toEqual(['d', 'b', 'c', 'a']);
  });

  it('puts the later delivery first where dates are equal', async () => {
    await follow([item('first', day(1))]);
    await follow([item('second', day(1))]);

    expect(await listed()).toEqual(['second', 'first']);
    expect(await listed({ oldestFirst: true })).toEqual(['first', 'second']);
  });

  it('counts a date in the future as the time of delivery, also when the article changes', async () => {
    const { feed, path } = await follow([item('from 2099', new Date(Date.UTC(2099, 0, 1)))]);
    const [first] = (await news.rows()).rows;
    await follow([item('a day old', new Date(Date.now() - 86_400_000))]);
    publish(path, [item('from 2099', new Date(Date.UTC(2098, 0, 1)), { body: '<p>Other</p>' })]);
    await admin.update(user.credentials.userId, feed.id);

    const [row] = (await news.rows()).rows;
    expect(row?.snippet).toBe('Other');
    expect(row?.pubDate).toBe(first?.pubDate);
    expect(Math.abs((row?.pubDate ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('follows a date that changes with the article', async () => {
    const { feed, path } = await follow([item('b', day(2)), item('a', day(1))]);
    publish(path, [item('a', day(3), { body: 'Corrected' }), item('b', day(2))]);
    await admin.update(user.credentials.userId, feed.id);

    expect(await listed()).toEqual(['a', 'b']);
  });

  it('is of a feed, a folder, the root, unread or starred items', async () => {
    const folder = await news.createFolder('Folder');
    await follow([item('a', day(1)), item('b', day(2))], folder.id);
    const { feed } = await follow([item('c', day(3)), item('d', day(4))]);
    const { id = 0 } = await news.item('d');
    await news.change(`/items/${id}/read`);
    await news.change(`/items/${id}/star`);

    expect(await listed({ type: 0, id: feed.id })).toEqual(['d', 'c']);
    expect(await listed({ type: 0, id: feed.id, getRead: false })).toEqual(['c']);
    expect(await listed({ type: 1, id: folder.id })).toEqual(['b', 'a']);
    expect(await listed({ type: 1, id: 0 })).toEqual(['d', 'c']);
    expect(await listed({ type: 6 })).toEqual(['c', 'b', 'a']);
    expect(await listed({ type: 2 })).toEqual(['d']);
    expect(await listed({ type: 2, getRead: false })).toEqual([]);
    expect(await stranger.rows({ type: 0, id: feed.id })).toMatchObject({ rows: [], next: null });
    expect(await stranger.rows({ type: 1, id: folder.id })).toMatchObject({ rows: [] });
  });

  it('continues after each page and after each row', async () => {
    await follow([1, 2, 3, 4, 5].map((n) => item(`n${n}`, day(n))));

    const first = await news.rows({ batchSize: 2 });
    const second = await news.rows({ batchSize: 2, after: first.next ?? '' });
    const third = await news.rows({ batchSize: 2, after: second.next ?? '' });
    const fromRow = await news.rows({ after: first.rows[0]?.place ?? '' });

    expect([first, second, third].map(({ rows }) => titlesOf(rows))).toEqual([
      ['n5', 'n4'],
      ['n3', 'n2'],
      ['n1'],
    ]);
    expect(third.next).toBeNull();
    expect(titlesOf(fromRow.rows)).toEqual(['n4', 'n3', 'n2', 'n1']);
    expect(first.newestItemId).toBe((await news.feedList()).newestItemId);
    expect(second.newestItemId).toBeUndefined();
  });

  it.each([1, 500])('may have %i rows', async (batchSize) => {
    expect((await news.get('/rows', { batchSize })).status).toBe(200);
  });

  it.each([
    ['batchSize', 0],
    ['batchSize', 501],
    ['batchSize', 'many'],
    ['after', 'yesterday'],
    ['after', '1.2.3'],
    ['after', '99999999999.1'],
    ['type', 5],
  ])('refuses %s=%s', async (name, value) => {
    const answer = await news.get('/rows', { [name]: value });

    expect(answer.status).toBe(422);
    expect(answer.text).toContain(name);
  });

  it('is empty for somebody who never used the feed reader', async () => {
    expect(await stranger.rows()).toEqual({ rows: [], next: null, newestItemId: 0, since: 0 });
  });
});

describe('a row', () => {
  it('has what a list shows, without the body', async () => {
    const words = 'Lorem ipsum dolor sit amet, consetetur. '.repeat(100);
    const body = `<p>Hello <b>world</b>, again &amp; again</p><img src="${publisher.url('/pixel.gif')}" width="1" height="1">
      <img src="${publisher.url('/a.png?x=1&amp;y=2')}" alt=""><p>${words}</p>`;
    const { feed } = await follow([item('Title', day(2), { body, author: 'Ada' })]);

    const [row] = (await news.rows()).rows;

    expect(row).toEqual({
      id: 1,
      feedId: feed.id,
      title: 'Title',
      url: publisher.url('/Title'),
      author: 'Ada',
      pubDate: seconds(day(2)),
      snippet: expect.stringMatching(/^Hello world, again & again Lorem ipsum dolor .*…$/),
      thumbnail: publisher.url('/a.png?x=1&y=2'),
      media: null,
      minutes: 3,
      unread: true,
      starred: false,
      rtl: false,
      place: `${seconds(day(2))}.1`,
    });
    expect(row?.snippet.length).toBeLessThan(230);
  });

  it('names the kind of media, and shows a picture that is the enclosure', async () => {
    const audio = { url: publisher.url('/a.mp3'), type: 'audio/mpeg' };
    const picture = { url: publisher.url('/p.jpg'), type: 'image/jpeg' };
    await follow([
      item('heard', day(2), { enclosure: audio }),
      item('seen', day(1), { enclosure: picture }),
    ]);

    const { rows } = await news.rows();

    expect(rows.map(({ media, thumbnail }) => [media, thumbnail])).toEqual([
      ['audio', null],
      [null, picture.url],
    ]);
  });

  it('reads the whole article by its id, which a stranger cannot', async () => {
    await follow([item('one', day(1))]);
    const [row] = (await news.rows()).rows;

    const article = await ok<ItemJson>(news.get(`/items/${row?.id}`));

    expect(article).toEqual(await news.item('one'));
    expect((await stranger.get(`/items/${row?.id}`)).status).toBe(404);
    expect((await news.get('/items/4711')).status).toBe(404);
    expect((await news.get('/items/one')).status).toBe(422);
  });
});

describe('changes', () => {
  interface Changes {
    readonly rows: readonly { id: number; unread: boolean; starred: boolean; place: string }[];
    readonly isComplete: boolean;
    readonly since: number;
  }
  const changed = (since: number | undefined) =>
    ok<Changes>(news.get('/rows/changed', { since: since ?? 0 }));

  it('are those after a page, each once', async () => {
    const { feed, path } = await follow([item('b', day(2)), item('a', day(1))]);
    const { since } = await news.rows();
    const nothing = await changed(since);
    await news.change('/items/1/read');
    const read = await changed(nothing.since);
    publish(path, [item('c', day(3)), item('b', day(2)), item('a', day(1))]);
    await admin.update(user.credentials.userId, feed.id);
    const arrived = await changed(read.since);

    expect(nothing).toEqual({ rows: [], isComplete: true, since });
    expect(read.rows).toEqual([
      { id: 1, feedId: feed.id, unread: false, starred: false, place: expect.any(String) },
    ]);
    expect(arrived.rows.map(({ id }) => id)).toEqual([3]);
    expect((await changed(arrived.since)).rows).toEqual([]);
    expect((await ok<Changes>(stranger.get('/rows/changed', { since: 0 }))).rows).toEqual([]);
  });

  it('are not listed when there are too many', async () => {
    await follow(Array.from({ length: 1001 }, (_, n) => item(`m${n}`, day(1))));

    expect(await changed(0)).toMatchObject({ rows: [], isComplete: false });
  });
});

describe('marking a list read', () => {
  const mark = (json: object, as = news) =>
    ok<{ marked: number; undo: number[] }>(as.post('/rows/read', json));
  const unread = async () => listed({ type: 6 });

  it('includes what follows a row, in the order of the list, and can be undone', async () => {
    await follow([1, 2, 3, 4].map((n) => item(`n${n}`, day(n))));
    const { rows, newestItemId } = await news.rows();
    await news.change(`/items/${rows[3]?.id}/read`);

    const below = await mark({ newestItemId, after: rows[1]?.place });
    const unreadThen = await unread();
    const undone = await ok<{ marked: number; since: number }>(
      news.post('/rows/read/undo', { undo: below.undo }),
    );
    const unreadAfter = await unread();
    const later = await ok<object>(news.get('/rows/changed', { since: undone.since }));
    await mark({ newestItemId, after: rows[1]?.place, oldestFirst: true });

    expect(below.marked).toBe(1);
    expect(unreadThen).toEqual(['n4', 'n3']);
    expect(undone).toMatchObject({ marked: 1 });
    expect(later).toMatchObject({ rows: [], isComplete: true });
    expect(unreadAfter).toEqual(['n4', 'n3', 'n2']);
    expect(await unread()).toEqual(['n3', 'n2']);
    expect((await news.feedList()).feeds[0]?.unreadCount).toBe(2);
  });

  it('leaves out items that came later, and other lists', async () => {
    const folder = await news.createFolder('Folder');
    const { feed, path } = await follow([item('a', day(1))], folder.id);
    await follow([item('b', day(2))]);
    const { newestItemId } = await news.rows();
    publish(path, [item('c', day(3)), item('a', day(1))]);
    await admin.update(user.credentials.userId, feed.id);
    await news.rows();

    const { marked } = await mark({ type: 1, id: folder.id, newestItemId });

    expect(marked).toBe(1);
    expect(await unread()).toEqual(['c', 'b']);
    expect((await mark({ type: 0, id: feed.id, newestItemId: 99 }, stranger)).marked).toBe(0);
    expect(await unread()).toEqual(['c', 'b']);
  });

  it('is undone for what nothing has changed since, and only by its user', async () => {
    await follow([item('b', day(2)), item('a', day(1))]);
    const { rows, newestItemId } = await news.rows();
    const { undo } = await mark({ newestItemId });
    await news.change(`/items/${rows[0]?.id}/star`);

    expect(await ok(stranger.post('/rows/read/undo', { undo }))).toMatchObject({ marked: 0 });
    expect(await ok(news.post('/rows/read/undo', { undo }))).toMatchObject({ marked: 1 });
    expect(await ok(news.post('/rows/read/undo', { undo }))).toMatchObject({ marked: 0 });
    expect(await unread()).toEqual(['a']);
  });

  it('needs the newest item that was there', async () => {
    expect((await news.post('/rows/read', {})).status).toBe(422);
    expect((await news.post('/rows/read/undo', { undo: 'all' })).status).toBe(422);
  });
});

describe('items of an earlier version', () => {
  it('get the dates of their articles, without a change that clients would see', async () => {
    await follow([item('b', day(2)), item('c', day(3)), item('a', day(1))]);
    const before = await news.items();
    const { userId } = user.credentials;
    const forget = `with forgotten as (update reader set items_dated = false where user_id = $1 returning id)
      update item set date_seconds = 1800000000 from forgotten where reader_id = forgotten.id`;

    await app.database.query(forget, [userId]);
    expect(await listed()).toEqual(['c', 'b', 'a']);
    await app.database.query(forget, [userId]);
    await app.inside(ItemDatesRepository).dateAll();
    expect(
      await app.database.query('select items_dated from reader where user_id = $1', [userId]),
    ).toEqual([{ items_dated: true }]);
    expect(await listed()).toEqual(['c', 'b', 'a']);
    expect(await news.items()).toEqual(before);
  });
});

it('a page costs a few statements', async () => {
  await follow([item('b', day(2)), item('a', day(1))]);
  await app.inside(DeliveryService).deliverTo(await readerOf(app, user.credentials.userId));
  const { rows } = await news.rows();

  const first = await statementsDuring(app.database, () => news.rows());
  const next = await statementsDuring(app.database, () =>
    news.rows({ after: rows[0]?.place ?? '' }),
  );

  const own = (statements: readonly string[]) =>
    statements.filter((sql) => /\b(item|reader)\b/.test(sql)).length;
  expect([own(first), own(next)]).toEqual([3, 2]);
});

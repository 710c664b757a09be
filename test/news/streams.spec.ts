import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Reader } from '../../src/news/reader/delivery/reader-ids.repository.js';
import type { StreamSelection } from '../../src/news/reader/streams/stream.js';
import { StreamsService } from '../../src/news/reader/streams/streams.service.js';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';
import { statementsOfRequests } from '../support/statements.js';

/* What streams promise to the APIs that use them; all ways through them: streams-histories.spec.ts. */

const ALL: StreamSelection = {
  within: [{ of: 'all' }],
  without: [],
  fromMicros: null,
  toMicros: null,
};
const PAGE = { oldestFirst: false, after: null, limit: 100 };

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let stranger: TestUser;
let userId: string;
let news: NewsClient;
let feed: FeedJson;
let reader: Reader;
const streams = () => app.inside(StreamsService);

const publish = (...numbers: number[]) =>
  publisher.publish(
    '/feed.xml',
    rss({
      title: 'Feed',
      items: numbers.map((n) => ({
        title: `Title ${n}`,
        guid: `guid ${n}`,
        link: publisher.url(`/${n}`),
        body: `<p>Text ${n}</p>`,
        ...(n === 2 ? { enclosure: { url: publisher.url('/2.mp3'), type: 'audio/mpeg' } } : {}),
        pubDate: new Date(Date.UTC(2026, 0, n)),
      })),
    }),
  );

async function allOf<Entry>(batches: AsyncIterable<readonly Entry[]>): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const batch of batches) {
    all.push(...batch);
  }
  return all;
}

beforeAll(async () => {
  user = await app.signIn();
  stranger = await app.signIn();
  ({ userId } = user.credentials);
  news = new NewsClient(user, 'v1-3');
  publish(3, 2, 1);
  feed = await news.subscribe(publisher.url('/feed.xml'));
  reader = await readerOf(app, userId);
});

describe('a stream', () => {
  it('delivers with the first page, never with a later one or by name', async () => {
    await app.database.query(
      `with moved as (update source set rev = rev + 1 returning id, rev)
       insert into article (source_id, guid, guid_hash, fingerprint, content_hash, title, first_rev, rev,
                            pub_date_seconds, rtl)
       select id, 'guid 4', decode(md5('guid 4'), 'hex'), '', '', 'Title 4', rev, rev, 0, false from moved`,
    );

    expect(await allOf(await streams().named(reader, [4, 3]))).toHaveLength(1);
    expect(await allOf(await streams().ids(reader, ALL, { ...PAGE, after: 3 }))).toEqual([2, 1]);
    expect(
      await allOf(await streams().ids(reader, ALL, { ...PAGE, oldestFirst: true, after: 3 })),
    ).toEqual([]);
    expect(await allOf(await streams().ids(reader, ALL, PAGE))).toEqual([4, 3, 2, 1]);
  });

  it('has everything that an API shows of an item', async () => {
    await ok(news.change('/items/2/star'));
    await app.database.query(
      `with made as (
         insert into label (reader_id, name)
         select reader.id, name from reader, (values ('b'), ('a')) given (name)
          where user_id = $1 returning id, reader_id)
       insert into item_label (reader_id, label_id, item_id) select reader_id, id, 2 from made`,
      [userId],
    );

    const media = ['/2.mp3', '/2.txt'].map((path) => ({
      url: publisher.url(path),
      mime: path === '/2.mp3' ? 'audio/mpeg' : null,
      kind: 'other',
      title: null,
      length: path === '/2.mp3' ? 1000 : null,
      thumbnail: null,
    }));
    await app.database.query(`update article set extras = $1 where guid = 'guid 2'`, [
      JSON.stringify({ media, comments: null, chapters: null, tags: ['Physics'] }),
    ]);

    const items = await allOf(await streams().contents(reader, ALL, PAGE));

    const [arrived] = await app.database.query<{ micros: number }>(
      `select arrived_micros as micros from item join reader on reader.id = reader_id
        where user_id = $1 and item.id = 2`,
      [userId],
    );
    expect(items[2]).toEqual({
      id: 2,
      feedId: feed.id,
      unread: true,
      starred: true,
      arrivedMicros: arrived?.micros,
      lastModifiedMicros: expect.any(Number),
      labels: ['a', 'b'],
      guid: 'guid 2',
      title: 'Title 2',
      url: publisher.url('/2'),
      author: null,
      pubDateSeconds: Date.UTC(2026, 0, 2) / 1000,
      updatedDateSeconds: null,
      rtl: false,
      body: '<p>Text 2</p>',
      enclosures: [
        { url: publisher.url('/2.mp3'), mime: 'audio/mpeg', length: 1000 },
        { url: publisher.url('/2.txt'), mime: null, length: null },
      ],
      tags: ['Physics'],
    });
    expect(items[3]).toMatchObject({ labels: [], enclosures: [], tags: [], starred: false });
  });

  it('shows the full text in feeds that show it', async () => {
    await app.database.query(
      `update article_body set full_text_html = '<p>Full 1</p>' where html = '<p>Text 1</p>'`,
    );
    const bodyOf = async () =>
      (await allOf(await streams().named(reader, [1]))).map(({ body }) => body);
    expect(await bodyOf()).toEqual(['<p>Text 1</p>']);

    await app.database.query('update subscription set full_text = true where id = $1', [feed.id]);

    expect(await bodyOf()).toEqual(['<p>Full 1</p>']);
  });

  it('is found by names in any order, without those that do not exist', async () => {
    const ids = [1, 4, -1, 0, 1, 99, 1.5, Number.MAX_SAFE_INTEGER, 2 ** 63];

    const items = await allOf(await streams().named(reader, ids));

    expect(items.map(({ id }) => id)).toEqual([4, 1]);
  });

  it('of other users is empty, and cannot be marked', async () => {
    const otherId = stranger.credentials.userId;
    const nobody = await readerOf(app, otherId);
    const set = { of: 'tag', feedIds: [feed.id], labelId: 1 } as const;
    expect(await allOf(await streams().ids(nobody, ALL, PAGE))).toEqual([]);
    await new NewsClient(stranger, 'v1-3').createFolder('now a reader');
    const other = await readerOf(app, otherId);

    await streams().markRead(other, set, null);

    expect(await allOf(await streams().ids(other, { ...ALL, within: [set] }, PAGE))).toEqual([]);
    expect(await allOf(await streams().contents(other, { ...ALL, within: [set] }, PAGE))).toEqual(
      [],
    );
    expect(await allOf(await streams().named(other, [1, 2]))).toEqual([]);
    expect(await streams().count(other, { ...ALL, within: [set] })).toBe(0);
    expect(await streams().newestArrivals(other)).toEqual(new Map());
    expect((await news.feedList()).feeds).toMatchObject([{ unreadCount: 4 }]);
  });

  it('marked up to a moment leaves what arrived later unread, regardless of its date', async () => {
    const items = await allOf(await streams().contents(reader, ALL, PAGE));
    publish(0, 4, 3, 2, 1);
    await new NewsClient(app.asAdmin(), 'v1-3').update(userId, feed.id);
    await news.feedList();
    const { lastModified } = await news.item('Title 4');

    await streams().markRead(reader, { of: 'all' }, items[0]?.arrivedMicros ?? 0);

    const unread = (await news.items()).filter((item) => item.unread);
    expect(unread.map(({ title }) => title)).toEqual(['Title 0']);
    expect((await news.feedList()).feeds).toMatchObject([{ unreadCount: 1 }]);
    expect(titles(await news.changedItems(lastModified))).toContain('Title 1');
  });
});

it.each([
  // Groups, waiting for writers, the state, the surroundings, the ids, and the contents.
  ['a page of ids', 5, () => streams().ids(reader, ALL, PAGE)],
  ['a page of items', 6, () => streams().contents(reader, ALL, PAGE)],
  ['a later page', 3, () => streams().ids(reader, ALL, { ...PAGE, after: 3 })],
  ['items by name', 1, () => streams().named(reader, [1, 2])],
])('%s costs %i statements', async (_what, count, read) => {
  const statements = await statementsOfRequests(app.database, async () => {
    for await (const _batch of (await read()) as AsyncIterable<readonly unknown[]>) {
      // Reads on.
    }
  });

  expect(statements).toHaveLength(count);
});

it.each([
  ['a count', 5, () => streams().count(reader, ALL)],
  ['the newest arrivals', 1, () => streams().newestArrivals(reader)],
  // Begin, lock, change, tell, commit: in one round trip.
  ['marking up to a moment', 5, () => streams().markRead(reader, { of: 'starred' }, 5)],
])('%s costs %i statements', async (_what, count, work) => {
  const statements = await statementsOfRequests(app.database, work);

  expect(statements).toHaveLength(count);
});

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Statement } from '../../src/database/statement.js';
import type { ItemSelection } from '../../src/news/reader/items/item-list.sql.js';
import { SearchIndex } from '../../src/news/reader/search/search-index.service.js';
import {
  articlesWithTokens,
  foundItems,
  matchingArticles,
  stretch,
  type Candidate,
} from '../../src/news/reader/search/search.sql.js';
import { seedItems } from '../../tools/bench/seed-items.js';
import { explained } from '../support/explained.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { describeLong, itLong } from '../support/long.js';
import {
  LEVELS,
  NewsClient,
  ok,
  titles,
  type FeedJson,
  type ItemJson,
  type RowJson,
} from '../support/news-client.js';
import { onOneServer } from '../support/one-server.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher();

const index = () => app.inside(SearchIndex).indexPending();

const publish = (path: string, items: readonly RssItem[]) =>
  publisher.publish(path, rss({ title: 'Feed', link: publisher.url('/'), items }));

interface Found {
  readonly rows: readonly (RowJson & {
    readonly titleRanges: readonly [number, number][];
    readonly snippetRanges: readonly [number, number][];
  })[];
  readonly next: string | null;
  readonly matches?: { readonly count: number; readonly isExact: boolean };
}

// First: the plans are those of a table that has nothing else.
describeLong('among many articles', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await app.signIn();
    await seedItems(app, user, 20, 200);
    await app.database.query(`update article set title = 'the needle' where id = 1234`);
    await app.database.query('vacuum analyze');
    await index();
    await app.database.query('vacuum analyze');
  });

  const all: ItemSelection = { of: 'all', unreadOnly: false };
  const narrowed = (selection: ItemSelection) => ({
    selection,
    fromSeconds: null,
    beforeSeconds: null,
    hasHidden: true,
  });

  const planOf = async ({ sql, params }: Statement) => {
    const rows = await app.database.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off, costs off, buffers off) ${sql}`,
      params,
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  onOneServer('the way is chosen by the words', () => {
    it('a rare word starts from the articles that contain it', async () => {
      const words = await explained(app.database, (runner) =>
        matchingArticles(runner, `'needle'`, 3000),
      );
      const matches = await matchingArticles(app.database, `'needle'`, 3000);
      const items = await planOf(
        foundItems(1, matches, narrowed(all), { offset: null, limit: 10 }),
      );

      expect(words).toContain('article_tokens_tokens_index');
      expect(items).toMatch(/item_subscription_id_article_id_unique on item \(actual rows=1\b/);
      expect(items).not.toMatch(/Seq Scan on item\b/);
    });

    it('a common word starts from the newest items', async () => {
      const plan = await planOf(stretch(1, narrowed(all), { offset: null, limit: 10 }));

      expect(plan).toMatch(/item_pkey on item(?: item_1)? \(actual rows=(10|11)\b/);
    });
  });

  it.each([
    [`'needle'`, all],
    [`'title'`, { of: 'unread', unreadOnly: true }],
    [`'tit':*`, { of: 'feed', feedId: 3, unreadOnly: false }],
    [`'title' & !'needle'`, { of: 'folder', folderId: null, unreadOnly: false }],
  ] as [string, ItemSelection][])('both ways find the same items of %s', async (words, of) => {
    const page = { offset: 3900, limit: 4000 };
    const find = async ({ sql, params }: Statement) => app.database.query<Candidate>(sql, params);

    const matches = await matchingArticles(app.database, words, 4000);
    const found = await find(foundItems(1, matches, narrowed(of), page));
    const walked = await find(stretch(1, narrowed(of), page));
    const articles = walked.map(({ articleId }) => articleId);
    const known = await articlesWithTokens(app.database, words, articles);

    expect(found.length).toBeGreaterThan(0);
    expect(
      walked
        .filter(({ articleId }) => known.get(articleId)?.matches === true)
        .map((item) => ({ ...item, isExact: true })),
    ).toEqual(found);
  });

  it('rows walk the list for words that very many have', async () => {
    const reader = new NewsClient(user, 'v1-3');
    const { next, matches, rows } = await ok<Found>(reader.get('/search/rows', { query: 'title' }));
    const following = await ok<Found>(
      reader.get('/search/rows', { query: 'title', after: next ?? '' }),
    );

    expect(matches).toEqual({ count: 1000, isExact: false });
    const list = await reader.rows({ batchSize: 120 });
    expect([...rows, ...following.rows].map(({ id }) => id)).toEqual(list.rows.map(({ id }) => id));
  });
});

describe.each(LEVELS)('%s search', (level) => {
  let user: TestUser;
  let news: NewsClient;
  beforeEach(async () => {
    user = await app.signIn();
    news = new NewsClient(user, level);
  });

  async function follow(path: string, items: readonly RssItem[]): Promise<FeedJson> {
    publish(path, items);
    const feed = await news.subscribe(publisher.url(path));
    await index();
    return feed;
  }

  const search = async (query: string, more: Record<string, string | number | boolean> = {}) =>
    (await ok<{ items: ItemJson[] }>(news.get('/search', { query, ...more }))).items;

  const found = async (query: string, more: Record<string, string | number | boolean> = {}) =>
    titles(await search(query, more));

  it('finds items by words of title and body, newest first, as in lists', async () => {
    await follow('/words.xml', [
      { title: 'Zebras run' },
      { title: 'Other animals' },
      { title: 'Stripes', body: '<p class="lion">The <b>zebras</b> &amp; horses</p>' },
    ]);

    expect(await found('zebras')).toEqual(['Zebras run', 'Stripes']);
    expect(await found('ZEBRAS run')).toEqual(['Zebras run']);
    expect(await found('lion')).toEqual([]);
    expect(await search('zebras run')).toEqual([await news.item('Zebras run')]);
  });

  it('finds no items of other users', async () => {
    await follow('/private.xml', [{ title: 'narwhal' }]);
    const other = new NewsClient(await app.signIn(), level);
    const search = () => ok<{ items: ItemJson[] }>(other.get('/search', { query: 'narwhal' }));
    expect(await search()).toEqual({ items: [] });

    publish('/own.xml', [{ title: 'own' }]);
    await other.subscribe(publisher.url('/own.xml'));

    expect(await search()).toEqual({ items: [] });
  });

  it('refuses what is no search', async () => {
    const refused: [Record<string, string | number>, string][] = [
      [{}, 'missing'],
      [{ query: '  ' }, 'at least one word'],
      [{ query: 'x'.repeat(1001) }, 'at most 1000'],
      [{ query: 'a\0b' }, 'null character'],
      [{ query: 'a', type: 9 }, 'type'],
    ];
    for (const [query, message] of refused) {
      const answer = await news.get('/search', query);

      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(message)]);
    }
  });

  // The levels share the routes: what these do is shown at one of them.
  const describeAtOne = level === 'v1-3' ? describe : describeLong;

  describeAtOne('in detail', () => {
    it('supports phrases, alternatives, exclusions and other scripts', async () => {
      await follow('/syntax.xml', [
        { title: 'red house' },
        { title: 'house of red' },
        { title: 'blue house' },
        { title: 'Überall Äpfel' },
        { title: 'Война и мир' },
      ]);

      expect(await found('"red house"')).toEqual(['red house']);
      expect(await found('blue or red')).toEqual(['red house', 'house of red', 'blue house']);
      expect(await found('house -red')).toEqual(['blue house']);
      expect(await found('überall äpfel')).toEqual(['Überall Äpfel']);
      expect(await found('ВОЙНА')).toEqual(['Война и мир']);
    });

    it('matches the last word as a prefix, unless it is quoted or excluded', async () => {
      await follow('/prefix.xml', [{ title: 'kangaroo jumps' }, { title: 'kanga alone' }]);

      expect(await found('kang')).toEqual(['kangaroo jumps', 'kanga alone']);
      expect(await found('kang jumps')).toEqual([]);
      expect(await found('"kang"')).toEqual([]);
      expect(await found('kangaroo -jum')).toEqual(['kangaroo jumps']);
      expect(await found('kangaroo ju')).toEqual(['kangaroo jumps']);
    });

    it('answers any query, or says where it cannot be read', async () => {
      await follow('/odd.xml', [{ title: 'odd' }]);
      const odd = ["it's", ':*', "a' | 'b", 'x & !', '<->', 'or', '1.5e', "'", '😀'];
      const unreadable: [string, number][] = [
        ['odd "', 4],
        ['((', 1],
        ['odd OR', 6],
        ['\u0640', 0],
      ];

      for (const query of odd) {
        expect([query, (await news.get('/search', { query })).status]).toEqual([query, 200]);
      }
      for (const [query, at] of unreadable) {
        const { status, json } = await news.get('/search', { query });
        expect([query, status, json]).toEqual([query, 422, expect.objectContaining({ at })]);
      }
    });

    it('searches a feed, a folder, starred or unread items', async () => {
      const folder = await news.createFolder('Folder');
      publish('/one.xml', [{ title: 'walrus 1' }, { title: 'walrus 2' }]);
      publish('/two.xml', [{ title: 'walrus 3' }]);
      const one = await news.subscribe(publisher.url('/one.xml'));
      await news.subscribe(publisher.url('/two.xml'), folder.id);
      await index();
      await news.star(await news.item('walrus 1'));
      await news.change(`/items/${(await news.item('walrus 2')).id}/read`);

      expect(await found('walrus')).toEqual(['walrus 3', 'walrus 1', 'walrus 2']);
      expect(await found('walrus', { type: 0, id: one.id })).toEqual(['walrus 1', 'walrus 2']);
      expect(await found('walrus', { type: 1, id: folder.id })).toEqual(['walrus 3']);
      expect(await found('walrus', { type: 1, id: 0 })).toEqual(['walrus 1', 'walrus 2']);
      expect(await found('walrus', { type: 2 })).toEqual(['walrus 1']);
      expect(await found('walrus', { type: 6 })).toEqual(['walrus 3', 'walrus 1']);
      expect(await found('walrus', { type: 3, getRead: false })).toEqual(['walrus 3', 'walrus 1']);
    });

    it('lists every match once, page by page', async () => {
      await follow(
        '/pages.xml',
        Array.from({ length: 5 }, (_, n) => ({ title: `penguin ${5 - n}` })),
      );

      const first = await search('penguin', { batchSize: 2 });
      const second = await search('penguin', { batchSize: 2, offset: first[1]?.id ?? 0 });
      const third = await search('penguin', { batchSize: 2, offset: second[1]?.id ?? 0 });

      expect(titles([...first, ...second, ...third])).toEqual(
        [5, 4, 3, 2, 1].map((n) => `penguin ${n}`),
      );
    });

    it('finds articles once whose feed moved away from its address and back', async () => {
      publish('/here.xml', [{ title: 'pangolin 2' }, { title: 'pangolin 1' }]);
      publish('/there.xml', [{ title: 'elsewhere' }]);
      const feed = await news.subscribe(publisher.url('/here.xml'));
      for (const path of ['/there.xml', '/here.xml']) {
        await ok(news.call('PATCH', `/feeds/${feed.id}`, { json: { url: publisher.url(path) } }));
      }
      await index();

      expect(titles(await search('pangolin', { batchSize: 2 }))).toEqual([
        'pangolin 2',
        'pangolin 1',
      ]);
    });

    it('finds an article by its current text', async () => {
      const feed = await follow(`/changing-${level}.xml`, [{ title: 'before', guid: 'g' }]);
      publish(`/changing-${level}.xml`, [{ title: 'afterwards', guid: 'g' }]);
      await new NewsClient(app.asAdmin(), level).update(user.credentials.userId, feed.id);
      await index();

      expect(await found('before')).toEqual([]);
      expect(await found('afterwards')).toEqual(['afterwards']);
    });

    it('finds articles that a second round of indexing covers', async () => {
      const feed = await follow(`/many-${level}.xml`, [{ title: 'first meerkat' }]);
      publish(
        `/many-${level}.xml`,
        Array.from({ length: 110 }, (_, n) => ({ title: `meerkat ${n}` })),
      );
      await new NewsClient(app.asAdmin(), level).update(user.credentials.userId, feed.id);
      await index();

      expect(await search('meerkat', { batchSize: 1000 })).toHaveLength(111);
      expect(await search('meerkat')).toHaveLength(100);
    });

    it('finds what just came, before it is indexed', async () => {
      publish(`/fresh-${level}.xml`, [{ title: 'tapir 1' }, { title: 'tapir 2' }]);
      const feed = await news.subscribe(publisher.url(`/fresh-${level}.xml`));
      expect(await found('tapir')).toEqual(['tapir 1', 'tapir 2']);

      await index();
      publish(`/fresh-${level}.xml`, [{ title: 'okapi', guid: 'tapir 2' }, { title: 'tapir 3' }]);
      await new NewsClient(app.asAdmin(), level).update(user.credentials.userId, feed.id);

      expect(await found('tapir')).toEqual(['tapir 3', 'tapir 1', 'tapir 2']);
    });

    it('indexes very long articles and unusual words', async () => {
      const words = Array.from({ length: 60_000 }, (_, n) => `w${n.toString(36)}`).join(' ');
      await follow('/long.xml', [
        { title: 'long one', body: `<p>${words} ${'x'.repeat(5000)} ${'漢'.repeat(3000)}</p>` },
      ]);

      expect(await found('long one')).toEqual(['long one']);
    });
  });
});

describe('rows of a search', () => {
  let user: TestUser;
  let news: NewsClient;
  let paths = 0;
  beforeEach(async () => {
    user = await app.signIn();
    news = new NewsClient(user, 'v1-3');
  });

  const day = (n: number) => new Date(Date.UTC(2026, 0, n));
  async function follow(
    items: readonly RssItem[],
    folderId: number | null = null,
  ): Promise<FeedJson> {
    paths += 1;
    publish(`/rows-of-search-${paths}.xml`, items);
    return news.subscribe(publisher.url(`/rows-of-search-${paths}.xml`), folderId);
  }
  const search = (query: string, more: Record<string, string | number | boolean> = {}) =>
    ok<Found>(news.get('/search/rows', { query, ...more }));
  const found = async (query: string, more: Record<string, string | number | boolean> = {}) =>
    (await search(query, more)).rows.map(({ title }) => title);
  const marks = (text: string, ranges: readonly [number, number][]) =>
    ranges.map(([from, to]) => text.slice(from, to));

  it('are ordered by date, in pages, with the number of matches', async () => {
    await follow([3, 1, 2].map((n) => ({ title: `tide ${n}`, pubDate: day(n) })));
    await follow([
      { title: 'tide 4', pubDate: day(4) },
      { title: 'ebb', pubDate: day(9) },
    ]);

    const first = await search('tide', { batchSize: 3 });
    const second = await search('tide', { batchSize: 3, after: first.next ?? '' });

    expect(first.rows.map(({ title }) => title)).toEqual(['tide 4', 'tide 3', 'tide 2']);
    expect(first.matches).toEqual({ count: 4, isExact: true });
    expect(second).toMatchObject({ rows: [{ title: 'tide 1' }], next: null });
    expect(second.matches).toBeUndefined();
  });

  it('come from what there is while many articles are not indexed, and say so', async () => {
    await follow(
      Array.from({ length: 600 }, (_, n) => ({ title: n === 599 ? 'gannet' : `tern ${n}` })),
    );

    expect(await search('gannet')).toMatchObject({ rows: [{ title: 'gannet' }], isIndexed: false });
    await index();
    expect(await search('gannet')).toMatchObject({ rows: [{ title: 'gannet' }], isIndexed: true });
  });

  it('are by relevance on request, in pages', async () => {
    await follow([
      { title: 'Seen at sea', body: '<p>A tide, and a gull.</p>', pubDate: day(9) },
      { title: 'Tide tables', pubDate: day(2) },
      { title: 'High and low at the coast: tide', pubDate: day(1) },
    ]);
    const ranked = (more: Record<string, string | number>) =>
      search('tide', { order: 'relevance', batchSize: 2, ...more });

    const first = await ranked({});
    const second = await ranked({ after: first.next ?? '' });

    expect(first.rows.map(({ title }) => title)).toEqual([
      'Tide tables',
      'High and low at the coast: tide',
    ]);
    expect(second).toMatchObject({ rows: [{ title: 'Seen at sea' }], next: null });
  });

  it('find authors and categories', async () => {
    await follow([
      { title: 'one', author: 'Zoë Müller' },
      { title: 'two', xml: '<category>Natural disasters</category>' },
    ]);

    expect(await found('muller')).toEqual(['one']);
    expect(await found('disasters')).toEqual(['two']);
  });

  it('are of a feed or a folder, and of this user alone', async () => {
    const folder = await news.createFolder('Folder');
    const inFolder = await follow([{ title: 'tide in a folder', pubDate: day(1) }], folder.id);
    await follow([{ title: 'tide outside', pubDate: day(2) }]);
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    expect(await found('tide', { type: 1, id: folder.id })).toEqual(['tide in a folder']);
    expect(await found('tide', { type: 0, id: inFolder.id })).toEqual(['tide in a folder']);
    expect(await found('tide', { type: 1, id: 0 })).toEqual(['tide outside']);
    const strangers = await ok<Found>(
      stranger.get('/search/rows', { query: 'tide', type: 0, id: inFolder.id }),
    );
    expect(strangers).toMatchObject({ rows: [], matches: { count: 0, isExact: true } });
  });

  it('show where the words are', async () => {
    const before = 'Long ago, in a village by the sea. '.repeat(20);
    await follow([
      { title: 'High Tide', body: `<p>${before}The <b>tides</b> turn, the tide ends</p>` },
      { title: 'Ebb', body: '<p>The beach is wide until the tide comes back.</p>' },
    ]);

    const { rows } = await search('tide');
    const row = rows.find(({ title }) => title === 'High Tide');

    expect(marks(row?.title ?? '', row?.titleRanges ?? [])).toEqual(['Tide']);
    expect(marks(row?.snippet ?? '', row?.snippetRanges ?? [])).toEqual(['tide', 'tide']);
    expect(row?.snippet).toMatch(/^….*sea\. The tides turn, the tide ends$/);
    expect(rows.map(({ snippet }) => snippet)).toContain('…is wide until the tide comes back.');
  });

  const foundWithin = async (query: string, text: string, other: string) => {
    await follow([
      { title: 'in the text', body: `<p>${text}</p>`, pubDate: day(2) },
      { title: 'in another', body: `<p>${other}</p>`, pubDate: day(3) },
      { title: text, pubDate: day(1) },
    ]);

    const { items } = await ok<{ items: ItemJson[] }>(news.get('/search', { query }));
    return [await found(query), items.length];
  };

  it.each([
    ['冷蔵庫', '昨日は新しい冷蔵庫を買いました', '昨日は新しい車を買いました'],
    ['猫', '隣の猫が鳴く', '隣の犬が鳴く'],
    ['冷蔵庫 -新しい', '古い冷蔵庫', '新しい冷蔵庫'],
    ['"冷蔵庫を買" or 価格表', '冷蔵庫を買った', '冷蔵庫を売った'],
    ['كتاب', 'كِتَابٌ جديد', 'قَلَمٌ جديد'],
    ['שָׁלוֹם', 'שלום־עולם', 'עולם'],
  ])(
    'find %s within a run of characters, and with or without vowel marks',
    async (query, text, other) => {
      expect(await foundWithin(query, text, other)).toEqual([['in the text', text], 2]);
    },
  );

  itLong.each([
    ['价格', '今年的房屋价格上涨了很多', '今年的房屋上涨了很多'],
    ['수도', '대한민국의수도는서울', '대한민국의서울'],
    ['ข้าว', 'ฉันชอบกินข้าวผัด', 'ฉันชอบกินผลไม้'],
    ['iphone价格', '苹果iPhone价格公布', '苹果电脑公布'],
  ])('find %s within a run of characters', async (query, text, other) => {
    expect(await foundWithin(query, text, other)).toEqual([['in the text', text], 2]);
  });

  it.each([{ query: '' }, { query: 'a', batchSize: 0 }, { query: 'a', after: 'b' }])(
    'refuse %j',
    async (query) => {
      expect((await news.get('/search/rows', query)).status).toBe(422);
    },
  );
});

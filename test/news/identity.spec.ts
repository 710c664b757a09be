import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { evidenceOf, md5 } from '../../src/news/feed-parser/items/item-identity.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, type FeedJson, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

/*
 * Matching of items to stored articles: docs/decisions/0023-identity-of-articles.md. Typical
 * histories; random ones are in identity-histories.spec.ts.
 */

const KEEP_DAYS = 30;

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_KEEP_READ_ITEMS: '1',
  GATEFOLD_KEEP_ARTICLES_DAYS: String(KEEP_DAYS),
});
let user: TestUser;
let news: NewsClient;
let path: string;
let feed: FeedJson;
let specs = 0;

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}.xml`;
});

const PAGE = 'https://publisher.example/news';
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const linked = (title: string, date = 1, body = `<p>${title}</p>`): RssItem => ({
  title,
  link: PAGE,
  pubDate: day(date),
  body,
});

function publish(...items: readonly RssItem[]): void {
  publisher.publish(path, rss({ title: path, items }));
}

async function subscribed(...items: readonly RssItem[]): Promise<void> {
  publish(...items);
  feed = await news.subscribe(publisher.url(path));
}

async function listed(...items: readonly RssItem[]): Promise<void> {
  publish(...items);
  await admin().update(user.credentials.userId, feed.id);
}
const admin = () => new NewsClient(app.asAdmin(), 'v1-3');

const shown = (items: readonly ItemJson[]) =>
  items.map(({ title, unread, starred }) =>
    [title, unread ? 'unread' : 'read', ...(starred ? ['starred'] : [])].join(' '),
  );

async function readAndStar(title: string): Promise<ItemJson> {
  const item = await news.item(title);
  await news.post(`/items/${item.id}/read`);
  await news.star(item);
  return item;
}

async function follower(): Promise<NewsClient> {
  const other = new NewsClient(await app.signIn(), 'v1-3');
  await other.subscribe(publisher.url(path));
  return other;
}

describe('items without a guid that share a link', () => {
  it('are distinguished: a new one does not make a read one unread', async () => {
    await subscribed(linked('a'));
    const { id, guid } = await readAndStar('a');

    await listed(linked('b', 2), linked('a'));

    expect(shown(await news.items())).toEqual(['b unread', 'a read starred']);
    expect(await news.item('a')).toMatchObject({ id, guid });
  });

  it('do not overwrite one another when the document lists one at a time', async () => {
    await subscribed(linked('a'));
    await readAndStar('a');

    await listed(linked('c', 3));

    expect(shown(await news.items())).toEqual(['c unread', 'a read starred']);
    expect((await news.item('a')).body).toBe('<p>a</p>');
  });

  it('are not repeated if every fetch has new dates', async () => {
    await subscribed(linked('a', 1), linked('b', 1));

    for (const date of [2, 3, 4]) {
      await listed(linked('a', date), linked('b', date));
    }

    expect(shown(await news.items()).toSorted()).toEqual(['a unread', 'b unread']);
  });

  it("are not repeated if they have the document's time as date, and no text", async () => {
    const documentOf = (time: number) =>
      publisher.publish(
        path,
        rss({
          title: path,
          channelXml: `<lastBuildDate>${day(time).toUTCString()}</lastBuildDate>`,
          items: ['a', 'b'].map((title) => ({ title, pubDate: day(time) })),
        }),
      );
    documentOf(1);
    feed = await news.subscribe(publisher.url(path));

    for (const time of [2, 3]) {
      documentOf(time);
      await admin().update(user.credentials.userId, feed.id);
    }

    expect(shown(await news.items()).toSorted()).toEqual(['a unread', 'b unread']);
  });

  it.each([
    ['title', linked('a, corrected', 1, '<p>a</p>')],
    ['date', linked('a', 5)],
    ['body', linked('a', 1, '<p>corrected</p>')],
  ])('keep id, guid and flags when one changes its %s', async (_what, corrected) => {
    await subscribed(linked('b', 2), linked('a'));
    const { id, guid } = await readAndStar('a');

    await listed(linked('b', 2), corrected);

    expect(await news.items()).toHaveLength(2);
    expect(await news.item(corrected.title)).toMatchObject({
      id,
      guid,
      unread: false,
      starred: true,
      body: corrected.body,
    });
  });

  it('with the same title are distinguished by date and body', async () => {
    await subscribed(linked('Daily', 2, 'two'), linked('Daily', 1, 'one'));

    await listed(linked('Daily', 4, 'four'), linked('Daily', 3, 'three'));

    const bodies = (await news.items()).map(({ body }) => body);
    expect(bodies).toEqual(['four', 'three', 'two', 'one']);
  });

  it('keep plain links as guids if possible, otherwise get others', async () => {
    await subscribed(linked('b', 2), linked('a'));

    const guids = (await news.items()).map(({ guid }) => guid);

    expect(guids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), PAGE]);
  });
});

describe('a unique link', () => {
  it('identifies an item as long as title, date or body stays', async () => {
    const post = (title: string, date: number, body: string): RssItem => ({
      ...linked(title, date, body),
      link: 'https://publisher.example/2026/post',
    });
    await subscribed(post('a', 1, 'x'));
    const { id } = await readAndStar('a');

    await listed(post('b', 2, 'x'));
    await listed(post('c', 2, 'y'));
    await listed(post('c', 3, 'z'));

    expect(await news.items()).toMatchObject([{ id, title: 'c', unread: false, starred: true }]);
  });
});

describe('a link that is no page of an entry', () => {
  const alert = (number: number, link: string): RssItem => ({
    title: 'Service alert',
    link,
    pubDate: day(number),
    body: `<p>alert ${number}</p>`,
  });

  it.each([
    ['that of the site', 'https://publisher.example/'],
    ['a section, in a document of one entry', 'https://publisher.example/status'],
  ])('identifies none: %s', async (_what, link) => {
    await subscribed(alert(1, link));
    const { id } = await readAndStar('Service alert');

    for (const number of [2, 3, 4, 5, 6]) {
      await listed(alert(number, link));
    }

    const items = await news.items();
    expect(items.map(({ body }) => body)).toEqual(
      [6, 5, 4, 3, 2, 1].map((number) => `<p>alert ${number}</p>`),
    );
    expect(items.filter(({ unread }) => unread)).toHaveLength(5);
    expect(items.at(-1)).toMatchObject({ id, starred: true, body: '<p>alert 1</p>' });
  });

  it('does not identify entries with guids of their own either', async () => {
    const guided = (number: number) => ({ ...alert(number, PAGE), guid: `alert ${number}` });
    await subscribed(guided(1));

    await listed(guided(2));

    expect(await news.items()).toHaveLength(2);
  });
});

describe('a publisher that names its entries otherwise', () => {
  const NUMBERS = Array.from({ length: 10 }, (_, n) => 10 - n);
  interface Site {
    readonly root?: string;
    readonly ending?: string;
    readonly guid?: (number: number) => string;
  }
  const entries = ({ root = 'http://blog.example', ending = '', guid }: Site): RssItem[] =>
    NUMBERS.map((number) => {
      const link = `${root}/2026/post-${number}${ending}`;
      return {
        title: `Post ${number}`,
        link,
        pubDate: day(number),
        body: `<p>${number}, at <a href="${root}/about">${root}</a></p>`,
        guid: guid?.(number) ?? link,
      };
    });
  const withoutGuids = (site: Site) => entries(site).map(({ guid: _, ...entry }) => entry);
  const flags = (items: readonly ItemJson[]) => items.map(({ id, unread }) => [id, unread]);

  it.each<[string, readonly RssItem[], readonly RssItem[]]>([
    ['https', entries({}), entries({ root: 'https://blog.example' })],
    ['www.', entries({}), entries({ root: 'http://www.blog.example' })],
    ['another port', entries({}), entries({ root: 'http://blog.example:8080' })],
    ['another domain', entries({}), entries({ root: 'https://moved.example' })],
    ['other guids', entries({ guid: (n) => `tag:a,${n}` }), entries({ guid: (n) => `${n}` })],
    ['no guids', entries({ guid: (n) => `tag:a,${n}` }), withoutGuids({})],
    ['guids, formerly none', withoutGuids({}), entries({ guid: (n) => `tag:a,${n}` })],
    ['a slash at the end', withoutGuids({}), withoutGuids({ ending: '/' })],
    ['signed links', withoutGuids({ ending: '?s=1' }), withoutGuids({ ending: '?s=2' })],
    ['other paths', entries({}), entries({ root: 'http://blog.example/posts', ending: '.html' })],
  ])('repeats nothing: %s', async (_what, before, after) => {
    await subscribed(...before);
    await readAndStar('Post 3');
    const known = flags(await news.items());

    await listed(...after);
    await listed({ title: 'Fresh', guid: 'fresh' }, ...after.slice(1));

    const [fresh, ...items] = await news.items();
    expect(fresh?.title).toBe('Fresh');
    expect(flags(items)).toEqual(known);
    expect(items.map(({ url }) => url)).toEqual(after.map(({ link }) => link));
  });

  it('repeats nothing when it turns from RSS to Atom', async () => {
    const before = entries({});
    await subscribed(...before);
    const known = flags(await news.items());

    publisher.publish(
      path,
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title>${before
        .map(
          ({ title, link, pubDate }, n) =>
            `<entry><id>urn:${n}</id><title>${title}</title><link href="${link}"/>
             <updated>${(pubDate as Date).toISOString()}</updated></entry>`,
        )
        .join('')}</feed>`,
    );
    await admin().update(user.credentials.userId, feed.id);

    expect(flags(await news.items())).toEqual(known);
  });

  it('repeats nothing, and tells no client, when a podcast signs its files anew', async () => {
    const episodes = (token: number): RssItem[] =>
      NUMBERS.map((number) => ({
        title: `Episode ${number}`,
        pubDate: day(number),
        body: `<p>${number}</p>`,
        enclosure: { url: `https://cdn.example/${number}.mp3?token=${token}`, type: 'audio/mpeg' },
      }));
    await subscribed(...episodes(1));
    const known = (await news.items()).map(({ enclosureLink: _, ...item }) => item.lastModified);

    for (const token of [2, 3, 4, 5]) {
      await listed(...episodes(token));
    }

    const items = await news.items();
    expect(items.map(({ lastModified }) => lastModified)).toEqual(known);
    expect(items[0]?.enclosureLink).toBe('https://cdn.example/10.mp3?token=5');
  });
});

describe('dates', () => {
  const dated = (title: string, date: number): RssItem => ({
    title,
    guid: title,
    pubDate: day(date),
  });

  it('order the ids of a first fetch, regardless of the order of the document', async () => {
    await subscribed(dated('b', 2), dated('c', 3), dated('a', 1), dated('e', 5), dated('d', 4));

    expect((await news.items()).map(({ title }) => title)).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('that are corrected arrive as changes, and make nothing unread', async () => {
    await subscribed(dated('b', 2), dated('a', 1));
    await news.call('PATCH', `/feeds/${feed.id}`, { json: { updateMode: 1 } });
    const { id, lastModified } = await readAndStar('a');

    await listed(dated('b', 2), dated('a', 20));

    expect(await news.changedItems(lastModified)).toContainEqual(
      expect.objectContaining({ id, unread: false, pubDate: day(20).getTime() / 1000 }),
    );
  });

  it('of all items, made anew for each fetch, are no changes; of all, corrected for good, they are', async () => {
    await subscribed(dated('b', 1), dated('a', 1));
    const before = await news.items();

    await listed(dated('b', 3), dated('a', 3));
    expect(await news.items()).toEqual(before);
    await listed(dated('b', 4), dated('a', 4));
    expect(await news.items()).toEqual(before);
    await listed(dated('c', 5), dated('b', 4), dated('a', 4));

    expect((await news.item('a')).pubDate).toBe(day(4).getTime() / 1000);
  });
});

describe('a guid of the publisher', () => {
  const guided = (title: string, page: string, body = title): RssItem => ({
    guid: 'g',
    title,
    link: `https://publisher.example/${page}`,
    body,
  });

  it('identifies an item, no matter what else changes', async () => {
    await subscribed(guided('a', '1'));
    const { id } = await readAndStar('a');

    await listed({ ...guided('b', '2'), pubDate: day(7) });

    expect(await news.items()).toMatchObject([{ id, title: 'b', unread: false, starred: true }]);
  });

  it('on two items does not make the read one unread', async () => {
    await subscribed(guided('a', '1'));
    const { id } = await readAndStar('a');

    await listed(guided('b', '2'), guided('a', '1'));
    await listed(guided('b', '2'), guided('a', '1'));

    expect(shown(await news.items())).toEqual(['b unread', 'a read starred']);
    expect((await news.item('a')).id).toBe(id);
  });

  it('on two items: each is identified by its link, even if one is rewritten while alone', async () => {
    await subscribed(guided('b', '2'), guided('a', '1'));
    const { id } = await readAndStar('a');

    await listed(guided('rewritten', '1', 'all new'));

    expect(shown(await news.items()).toSorted()).toEqual(['b unread', 'rewritten read starred']);
    expect((await news.item('rewritten')).id).toBe(id);
  });

  it('on two items: each is compared with its latest version, even if only the date was new', async () => {
    const dated = (date: number, page: string) => ({ ...guided('a', page), pubDate: day(date) });
    await subscribed(dated(1, '1'));
    const { id } = await readAndStar('a');
    await listed(dated(2, '1'));

    await listed(guided('b', '2'), dated(2, '3'));

    expect(shown(await news.items())).toEqual(['b unread', 'a read starred']);
    expect((await news.item('a')).id).toBe(id);
  });
});

describe('items with neither guid nor link', () => {
  const bare = (title: string, body: string, date = 1): RssItem => ({
    title,
    body,
    pubDate: day(date),
  });

  it('are kept, and an edit does not repeat them', async () => {
    await subscribed(bare('b', 'bb', 2), bare('a', 'aa'));
    const { id, guid } = await readAndStar('a');

    await listed(bare('b', 'bb', 2), bare('a', 'edited'));
    await listed(bare('b', 'bb', 2), bare('edited', 'edited'));

    expect(shown(await news.items())).toEqual(['b unread', 'edited read starred']);
    expect(await news.item('edited')).toMatchObject({ id, guid });
  });

  it('are not repeated if a new version of Gatefold sanitises texts differently', async () => {
    const items = ['b', 'a'].map((body) => ({ title: '', body }));
    await subscribed(...items);
    const [, { id, guid }] = (await news.items()) as [ItemJson, ItemJson];
    await cleanedOtherwise(id);

    await listed(...items, { title: '', body: 'c' });

    const now = (await news.items()).map((item) => item.body);
    expect(now.toSorted()).toEqual(['a', 'b', 'c']);
    expect(await news.items()).toContainEqual(expect.objectContaining({ id, guid, body: 'a' }));
  });

  it('are not mistaken for one that formerly had the same text', async () => {
    await subscribed(bare('a', 'first'));
    const { id } = await readAndStar('a');
    await listed(bare('a', 'second'));

    await listed(bare('a', 'second'), bare('a', 'first'));

    const items = (await news.items()).map((item) => [item.id === id, item.body, item.unread]);
    expect(items).toEqual([
      [false, 'first', true],
      [true, 'second', false],
    ]);
  });

  /** Rewrites the stored article as older sanitising rules would have. */
  async function cleanedOtherwise(itemId: number): Promise<void> {
    const body = 'cleaned by former rules';
    const contentHash = md5(null, null, body, null, null, null);
    const evidence = evidenceOf({ title: null, ownDateSeconds: null, body, url: null });
    const [article] = await app.database.query<{ id: number; sourceId: number }>(
      `select article_id as id, source_id as "sourceId"
         from item join subscription s on s.reader_id = item.reader_id and s.id = subscription_id
         join reader on reader.id = item.reader_id
        where item.id = $1 and user_id = $2`,
      [itemId, user.credentials.userId],
    );
    await app.database.query(
      `update article set content_hash = decode($3, 'hex'), evidence = decode($4, 'hex')
        where source_id = $1 and id = $2`,
      [article?.sourceId, article?.id, contentHash, evidence],
    );
    const changed = await app.database.query(
      'update article_body set html = $3 where source_id = $1 and article_id = $2 returning 1',
      [article?.sourceId, article?.id, body],
    );
    expect(changed).toHaveLength(1);
  }

  it('are omitted if they are empty', async () => {
    publisher.publish(
      path,
      '<rss><channel><item/><item></item><item><title> </title></item></channel></rss>',
    );

    await news.subscribe(publisher.url(path));

    expect(await news.items()).toEqual([]);
  });
});

describe('a fetch that brings nothing new', () => {
  it('changes no item and no guid, no matter what identifies the items', async () => {
    const items = [linked('b', 2), linked('a'), { title: 'bare' }, { guid: 'g', title: 'guided' }];
    await subscribed(...items);
    const before = await news.items();

    await listed(...items);
    await listed(...items.toReversed());

    expect(await news.items()).toEqual(before);
  });
});

describe('recognising items', () => {
  const guided = (guid: string): RssItem => ({ guid, title: guid, body: guid });

  it('executes no further statement for feeds with guids, and reads no text', async () => {
    await subscribed(guided('b'), guided('a'));
    const unchanged = await statementsOf(() => listed(guided('a'), guided('b')));
    const withNew = await statementsOf(() => listed(guided('c'), guided('b'), guided('a')));

    // Locks of source and lease, known articles, document, schedule.
    expect(unchanged).toHaveLength(5);
    // Also revision and new article.
    expect(withNew).toHaveLength(7);
    expect(unchanged.join()).not.toContain('article_body');
  });

  it('executes none for other feeds either if nothing changed', async () => {
    const items = [linked('b', 2), linked('a'), { title: 'bare' }];
    await subscribed(...items);

    const unchanged = await statementsOf(() => listed(...items.toReversed()));

    expect(unchanged).toHaveLength(5);
    expect(unchanged.join()).not.toContain('article_body');
  });

  /** The SQL of the transaction that records a fetch. */
  async function statementsOf(work: () => Promise<void>): Promise<string[]> {
    const database = app.inside(Database);
    const transaction = database.transaction.bind(database);
    const statements: string[][] = [];
    const watch = jest.spyOn(database, 'transaction').mockImplementation((inside) =>
      transaction((tx) => {
        const texts: string[] = [];
        statements.push(texts);
        const query: typeof tx.query = (sql, params) => {
          texts.push(sql);
          return tx.query(sql, params);
        };
        return inside({ em: tx.em, query });
      }),
    );
    await work();
    watch.mockRestore();
    return statements.find((texts) => texts.some((sql) => sql.includes('source_document'))) ?? [];
  }
});

describe('an article that left the document', () => {
  const entry = (title: string): RssItem => ({ title, guid: title });

  it('and is listed again is delivered to users who subscribed meanwhile, and to no user twice', async () => {
    await subscribed(entry('b'), entry('a'));
    await readAndStar('a');
    await listed(entry('b'));
    const late = await follower();
    expect(shown(await late.items())).toEqual(['b unread']);

    await listed(entry('b'), entry('a'));
    const later = await follower();
    await listed(entry('b'));
    await listed(entry('b'), entry('a'));

    expect(shown(await late.items())).toEqual(['a unread', 'b unread']);
    expect(shown(await news.items())).toEqual(['b unread', 'a read starred']);
    expect(shown(await later.items())).toEqual(['b unread', 'a unread']);
  });

  it('and is listed again is found by a client that pages through the feed', async () => {
    await subscribed(entry('c'), entry('b'), entry('a'));
    await listed(entry('c'), entry('b'));
    const late = await follower();
    await listed(entry('c'), entry('b'), entry('a'));
    const [{ id }] = (await late.feedList()).feeds as [FeedJson];

    for (const oldestFirst of [false, true]) {
      const found: ItemJson[] = [];
      for (;;) {
        const offset = found.at(-1)?.id ?? 0;
        const query = { type: 0, id, batchSize: 1, offset, oldestFirst };
        const page = await late.items(query);
        if (page.length === 0) {
          break;
        }
        found.push(...page);
      }
      const newestFirst = oldestFirst ? found.toReversed() : found;
      expect(newestFirst.map(({ title }) => title)).toEqual(['a', 'c', 'b']);
    }
  });

  it('does not return to users who had it and read it long ago', async () => {
    await subscribed(entry('old'));
    await listed(entry('new'));
    await news.change('/items/read', { newestItemId: Number.MAX_SAFE_INTEGER });
    await admin().get('/cleanup/after-update');
    expect(shown(await news.items())).toEqual(['new read']);

    await listed(entry('new'), entry('old'));

    expect(shown(await news.items())).toEqual(['new read']);
  });

  it('and was removed here is delivered to users who subscribed meanwhile, too', async () => {
    await subscribed(linked('old'));
    await listed(linked('new', 2));
    await news.change('/items/read', { newestItemId: Number.MAX_SAFE_INTEGER });
    await removeOldArticles();
    const late = await follower();

    await listed(linked('new', 2), linked('old'));

    expect(shown(await late.items())).toEqual(['old unread', 'new unread']);
    expect(shown(await news.items())).toEqual(['new read']);
  });

  it('and was removed here is not mistaken for a new one with its link', async () => {
    await subscribed(linked('old'));
    await listed(linked('new', 2));
    await news.change('/items/read', { newestItemId: Number.MAX_SAFE_INTEGER });
    await removeOldArticles();

    await listed(linked('third', 3), linked('new', 2));

    expect(shown(await news.items())).toEqual(['third unread', 'new read']);
  });

  async function removeOldArticles(): Promise<void> {
    await app.database.query('update article set fetched_at = now() - make_interval(days => $1)', [
      KEEP_DAYS + 1,
    ]);
    await app.database.query(
      "update source_document set listed_at = listed_at - interval '1 hour'",
    );
    await admin().get('/cleanup/after-update');
    const [source] = await app.database.query<{ id: number }>(
      'select source_id as id from subscription where id = $1',
      [feed.id],
    );
    const left = await app.database.query('select 1 from article where source_id = $1', [
      source?.id,
    ]);
    expect(left).toHaveLength(1);
  }
});

describe('an address that has the headline in it', () => {
  const story = (slug: string, title: string, more: Partial<RssItem> = {}): RssItem => ({
    title,
    link: `https://publisher.example/2026/11/${slug}`,
    pubDate: day(1),
    body: '<p>text</p>',
    ...more,
  });

  it.each([
    ['the link', undefined],
    ['an address as guid', 'https://publisher.example/2026/11/'],
  ])('keeps its item when the headline changes, named by %s', async (_what, guid) => {
    const named = (slug: string, title: string) =>
      story(slug, title, guid === undefined ? {} : { guid: guid + slug });
    await subscribed(linked('other', 2), named('old-4711.html', 'old'));
    const { id } = await readAndStar('old');

    await listed(linked('other', 2), named('new-4711.html', 'new'));

    expect(await news.items()).toHaveLength(2);
    expect(await news.item('new')).toMatchObject({ id, unread: false, starred: true });
  });

  it.each([
    ['another number', story('new-4712.html', 'new')],
    ['no number', story('new.html', 'new')],
    ['another text', story('new-4711.html', 'new', { body: '<p>other</p>' })],
    ['another date', story('new-4711.html', 'new', { pubDate: day(3) })],
    ['a guid of its own', story('new-4711.html', 'new', { guid: 'urn:2' })],
  ])('is another item with %s', async (_what, other) => {
    const guid = other.guid === undefined ? {} : { guid: 'urn:1' };
    await subscribed(linked('other', 2), story('old-4711.html', 'old', guid));
    await readAndStar('old');

    await listed(linked('other', 2), other);

    expect(await news.items()).toHaveLength(3);
    expect(await news.item('new')).toMatchObject({ unread: true });
  });
});

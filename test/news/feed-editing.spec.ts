import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { SecretKeyService } from '../../src/platform/installation/secrets/secret-key.service.js';
import { rss } from '../support/feed-server.js';
import {
  LEVELS,
  NewsClient,
  ok,
  titles,
  type FeedJson,
  type ItemJson,
} from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_REFRESH_REST_SECONDS: '0',
});
let user: TestUser;
let news: NewsClient;
let stranger: TestUser;
let others: NewsClient;
let admin: NewsClient;
let path: string;
let specs = 0;

beforeAll(() => {
  admin = new NewsClient(app.asAdmin(), 'v1-3');
});
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  stranger = await app.signIn();
  others = new NewsClient(stranger, 'v1-3');
  path = `/edited-${(specs += 1)}`;
});

/** Entries are dated by their first letter. */
function publish(name: string, ...entries: string[]): string {
  const items = entries.map((title) => ({
    title,
    guid: title,
    pubDate: new Date(Date.UTC(2026, 0, title.charCodeAt(0) - 96)),
  }));
  publisher.publish(`${path}/${name}`, rss({ title: name, items }));
  return publisher.url(`${path}/${name}`);
}

const edit = (feed: FeedJson, settings: object, client = news) =>
  client.call('PATCH', `/feeds/${feed.id}`, { json: settings });
const edited = async (feed: FeedJson, settings: object) =>
  (await ok<{ feeds: [FeedJson] }>(edit(feed, settings))).feeds[0];
const fetchAgain = (feed: FeedJson, { credentials }: TestUser = user) =>
  ok(admin.get('/feeds/update', { userId: credentials.userId, feedId: feed.id }));
const fetching = (feed: FeedJson, client = news) =>
  ok<Record<string, unknown>>(client.get(`/feeds/${feed.id}/fetching`));
const asked = (name: string) => publisher.requests(`${path}/${name}`);

describe('what makes an item itself', () => {
  const alerts = (name: string, ...texts: string[]): string => {
    const items = texts.map((body) => ({ title: 'Alert', guid: 'one for all', body }));
    publisher.publish(`${path}/${name}`, rss({ title: name, items }));
    return publisher.url(`${path}/${name}`);
  };
  const bodies = async () => (await news.items()).map(({ body }) => body);

  it('is decided for each, and can be set for a feed: then it is exact', async () => {
    const feed = await news.subscribe(alerts('exact', 'first'));
    alerts('exact', 'second');
    await fetchAgain(feed);
    expect(await bodies()).toEqual(['second']);

    await edited(feed, { itemRule: 'text' });
    alerts('exact', 'third');
    await fetchAgain(feed);
    alerts('exact', 'second');
    await fetchAgain(feed);
    expect(await bodies()).toEqual(['third', 'second']);
    expect(await fetching(feed)).toMatchObject({ itemRule: 'text' });

    await edited(feed, { itemRule: 'title' });
    alerts('exact', 'fourth', 'fifth');
    await fetchAgain(feed);
    expect(await bodies()).toEqual(['third', 'fourth']);
  });

  it('is that of one user: who follows the same address has another feed document', async () => {
    const feed = await news.subscribe(alerts('own', 'first'));
    await others.subscribe(alerts('own', 'first'));
    await edited(feed, { itemRule: 'text' });

    alerts('own', 'second');
    await fetchAgain(feed);
    const [theirs] = (await others.feedList()).feeds as [FeedJson];
    await fetchAgain(theirs, stranger);

    expect(await bodies()).toEqual(['second', 'first']);
    expect((await others.items()).map(({ body }) => body)).toEqual(['second']);
    expect(await fetching(theirs, others)).toMatchObject({ itemRule: 'automatic' });
  });

  it('is previewed by what it would have made of the stored entries', async () => {
    publisher.publish(
      `${path}/preview`,
      rss({
        title: 'preview',
        items: [1, 2, 3].map((number) => ({
          title: number === 3 ? 'Other' : 'Alert',
          guid: `${number}`,
          link: 'https://publisher.example/page',
          body: `text ${number}`,
        })),
      }),
    );
    const feed = await news.subscribe(publisher.url(`${path}/preview`));

    const { rules } = await ok<{ rules: object[] }>(news.get(`/feeds/${feed.id}/item-rules`));

    expect(rules).toEqual([
      { rule: 'automatic', stored: 3, items: 3, joined: [] },
      { rule: 'guid', stored: 3, items: 3, joined: [] },
      { rule: 'link', stored: 3, items: 1, joined: [{ title: 'Alert', count: 3 }] },
      { rule: 'title', stored: 3, items: 2, joined: [{ title: 'Alert', count: 2 }] },
      { rule: 'text', stored: 3, items: 3, joined: [] },
    ]);
    expect((await others.get(`/feeds/${feed.id}/item-rules`)).status).toBe(404);
  });

  it('is refused if it is none of the known parts', async () => {
    const feed = await news.subscribe(publish('known', 'a'));

    const answer = await edit(feed, { itemRule: 'colour' });

    expect(answer.status).toBe(422);
    expect(answer.text).toContain('itemRule');
  });
});

describe('a feed whose address is changed', () => {
  it.each(LEVELS)('keeps id, folder, title, items and flags, at level %s', async (level) => {
    const client = new NewsClient(user, level);
    const folder = await news.createFolder('kept');
    const feed = await news.subscribe(publish('old', 'c', 'b', 'a'), folder.id);
    const before = await news.items();
    await ok(news.post(`/items/${(before[0] as ItemJson).id}/star`));
    await ok(news.post(`/items/${(before[1] as ItemJson).id}/read`));
    const now = await client.items();
    const url = publish('new', 'd', 'c', 'b');

    const answer = await ok<{ feeds: [FeedJson] }>(edit(feed, { url, title: 'Mine' }, client));

    expect(answer.feeds[0]).toMatchObject({ id: feed.id, url, folderId: folder.id, title: 'Mine' });
    const after = await client.items();
    expect(titles(after)).toEqual(['d', 'c', 'b', 'a']);
    expect(after.slice(1)).toEqual(now);
    expect(after[0]).toMatchObject({ unread: true, starred: false, feedId: feed.id });
    expect(after[0]?.id).toBeGreaterThan(before[0]?.id ?? 0);
    expect(await client.feed(feed.id)).toMatchObject({ unreadCount: 3, url });
    expect(titles(await client.items({ type: 0, id: feed.id }))).toEqual(titles(after));
    // A client of level v1-2 stars by guid.
    await ok(client.star(after[3] as ItemJson));
    expect(await client.item('a')).toMatchObject({ starred: true });
  });

  it('is fetched from the new address from now on', async () => {
    const feed = await news.subscribe(publish('old', 'a'));
    await edited(feed, { url: publish('new', 'a') });
    publish('old', 'not any more', 'a');
    publish('new', 'b', 'a');

    await fetchAgain(feed);

    expect(titles(await news.items())).toEqual(['b', 'a']);
  });

  it('shows an article once that the new address lists only later', async () => {
    const feed = await news.subscribe(publish('old', 'b', 'a'));
    const before = await news.items();
    await ok(news.post(`/items/${before[1]?.id}/read`));
    await edited(feed, { url: publish('new', 'b') });
    publish('new', 'c', 'b', 'a');

    await fetchAgain(feed);

    const after = await news.items();
    expect(titles(after)).toEqual(['c', 'b', 'a']);
    expect(after[2]).toMatchObject({ id: before[1]?.id, unread: false });
  });

  it('gets articles that the old address did not list any more when the feed began', async () => {
    publish('old', 'a');
    const theirs = await others.subscribe(publisher.url(`${path}/old`));
    publish('old', 'b');
    await fetchAgain(theirs, stranger);
    const feed = await news.subscribe(publisher.url(`${path}/old`));
    expect(titles(await news.items())).toEqual(['b']);

    await edited(feed, { url: publish('new', 'b', 'a') });

    expect(titles(await news.items())).toEqual(['a', 'b']);
  });

  it('recognises articles with other guids by a link of their own', async () => {
    const link = 'https://publisher.example/one';
    const dated = (guid: string, day: number) => ({
      title: 'x',
      items: [{ title: 'one', guid, link, pubDate: new Date(Date.UTC(2026, 0, day)) }],
    });
    publisher.publish(`${path}/old`, rss(dated('urn:1', 1)));
    publisher.publish(`${path}/new`, rss(dated('17', 2)));
    const feed = await news.subscribe(publisher.url(`${path}/old`));
    const [before] = await news.items();
    await ok(news.post(`/items/${before?.id}/read`));

    await edited(feed, { url: publisher.url(`${path}/new`) });

    const after = await news.items();
    expect(after).toMatchObject([{ id: before?.id, unread: false, guid: '17' }]);
    const [stored] = await app.database.query<{ date: number }>(
      'select date_seconds as date from item where subscription_id = $1',
      [feed.id],
    );
    expect(stored?.date).toBe(Date.UTC(2026, 0, 2) / 1000);
    expect(titles(await news.changedItems(before?.lastModified ?? 0))).toEqual(['one']);
  });

  it('comes back to an address that it had, without losing or repeating anything', async () => {
    const first = publish('old', 'b', 'a');
    const feed = await news.subscribe(first);
    await edited(feed, { url: publish('new', 'c', 'b') });
    await ok(news.post('/items/read', { newestItemId: 1_000 }));
    publish('old', 'd', 'b', 'a');

    await edited(feed, { url: first });

    expect(titles(await news.items())).toEqual(['d', 'c', 'b', 'a']);
    expect(titles(await news.items({ getRead: false }))).toEqual(['d']);
  });

  it('stays as it is when the new address is not that of a feed', async () => {
    const feed = await news.subscribe(publish('old', 'a'));

    const missing = await edit(feed, { url: publisher.url(`${path}/nothing`), title: 'No' });
    const nonsense = await edit(feed, { url: 'nonsense' });

    expect(missing.status).toBe(422);
    expect(missing.json).toMatchObject({ message: expect.stringContaining('404') });
    expect(nonsense.status).toBe(422);
    expect(await news.feed(feed.id)).toMatchObject({ url: feed.url, title: 'old' });
  });

  it('takes the feed that a web page names', async () => {
    const feed = await news.subscribe(publish('old', 'a'));
    const url = publish('new', 'a');
    publisher.publish(
      `${path}/page`,
      '<link rel="alternate" type="application/rss+xml" href="new">',
      { contentType: 'text/html' },
    );

    expect(await edited(feed, { url: publisher.url(`${path}/page`) })).toMatchObject({ url });
  });

  it('cannot be another feed of the user', async () => {
    const feed = await news.subscribe(publish('old', 'a'));
    const url = publish('new', 'b');
    const other = await news.subscribe(url);

    expect((await edit(feed, { url })).status).toBe(409);

    await ok(news.call('DELETE', `/feeds/${other.id}`, { query: { undoable: true } }));
    await ok(edit(feed, { url }));
    expect(titles(await news.items())).toEqual(['b', 'a']);
  });

  it('belongs to its user: others neither change it nor notice', async () => {
    const feed = await news.subscribe(publish('old', 'a'));
    const same = await others.subscribe(feed.url);
    const url = publish('new', 'b', 'a');

    expect((await edit(feed, { url }, others)).status).toBe(404);
    expect((await others.get(`/feeds/${feed.id}/fetching`)).status).toBe(404);
    await edited(feed, { url });
    publish('old', 'c', 'a');
    await fetchAgain(same, stranger);

    expect(titles(await others.items())).toEqual(['c', 'a']);
    expect(titles(await news.items())).toEqual(['b', 'a']);
  });

  it('keeps its items when nobody follows the old address any more', async () => {
    const feed = await news.subscribe(publish('old', 'a'));
    await edited(feed, { url: publish('new', 'b') });
    await app.database.query(`update source set fetched_at = now() - interval '2 hours'`);
    await app.database.query(`update article set fetched_at = now() - interval '2 years'`);
    await app.database.query(`update source_document set listed_at = now() - interval '1 hour'`);

    await app.inside(UpdateCycle).afterUpdate();

    expect(titles(await news.items())).toEqual(['b', 'a']);
    await ok(news.delete(`/feeds/${feed.id}`));
    await app.database.query(`update source set fetched_at = now() - interval '2 hours'`);
    await app.inside(UpdateCycle).afterUpdate();
    expect(
      await app.database.query('select from source where url like $1', [`%${path}/%`]),
    ).toEqual([]);
  });

  it('finds articles of the old address, too', async () => {
    const feed = await news.subscribe(publish('old', 'needle'));
    await edited(feed, { url: publish('new', 'hay') });

    const found = await ok<{ items: ItemJson[] }>(news.get('/search', { query: 'needle' }));

    expect(titles(found.items)).toEqual(['needle']);
  });

  it('can have 20 former addresses, and no more', async () => {
    const feed = await news.subscribe(publish('0', 'a0'));
    await app.database.query(
      `with made as (
         insert into source (url, url_key)
         select $2 || n, sha256(convert_to($2 || n, 'UTF8')) from generate_series(1, 18) n
         returning id)
       insert into former_source (reader_id, subscription_id, source_id, delivered_rev, started_rev)
       select s.reader_id, s.id, made.id, 0, 0 from made, subscription s where s.id = $1`,
      [feed.id, `https://former.example${path}/`],
    );
    for (const n of [1, 2]) {
      await edited(feed, { url: publish(String(n), `a${n}`) });
    }

    const answer = await edit(feed, { url: publish('3', 'a3') });

    expect(answer.status).toBe(409);
    expect(answer.json).toMatchObject({ message: expect.stringContaining('20 times') });
    expect(await news.items()).toHaveLength(3);
  });
});

describe('the headers of a feed', () => {
  const access = {
    userName: 'ada',
    password: 'pa:ss wörd',
    userAgent: 'Mozilla/5.0 (reader)',
    cookie: 'session=1; other=2',
  };
  const basic = `Basic ${Buffer.from('ada:pa:ss wörd').toString('base64')}`;

  it('are sent with every fetch of it', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { access });
    publish('feed', 'b', 'a');
    await fetchAgain(feed);

    expect(asked('feed').slice(1)).not.toEqual([]);
    for (const { headers } of asked('feed').slice(1)) {
      expect(headers).toMatchObject({
        authorization: basic,
        'user-agent': access.userAgent,
        cookie: access.cookie,
      });
    }
    expect(titles(await news.items())).toEqual(['b', 'a']);
  });

  it('are never shown again', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { access });

    expect(await fetching(feed)).toEqual({
      feedId: feed.id,
      url: feed.url,
      fetchEveryHours: null,
      itemRule: 'automatic',
      hasPassword: true,
      hasCookie: true,
      hasToken: false,
      headers: [],
      certificateEnds: null,
      userAgent: access.userAgent,
    });
    const shown = await Promise.all([
      news.get('/feeds'),
      news.get(`/feeds/${feed.id}/status`),
      news.get('/opml/export'),
      admin.get('/admin/sources', { limit: 200 }),
      admin.get('/doctor', { feedId: feed.id }),
    ]);
    const stored = await app.database.query(
      'select url, last_error, access::text from source where url = $1',
      [feed.url],
    );
    const all = JSON.stringify([...shown.map(({ text }) => text), stored]);
    expect(all).not.toContain('pa:ss');
    expect(all).not.toContain('session=1');
  });

  it('make a source of their own, which users without them do not share', async () => {
    const url = publish('feed', 'open');
    const theirs = await others.subscribe(url);
    const feed = await news.subscribe(url);
    await edited(feed, { access });
    publish('feed', 'secret', 'open');
    await fetchAgain(feed);

    expect(titles(await news.items())).toEqual(['secret', 'open']);
    expect(titles(await others.items())).toEqual(['open']);

    await ok(edit(theirs, { access }, others));
    const [sources] = await app.database.query<{ count: number }>(
      'select count(*)::int from source where url = $1 and access is not null',
      [url],
    );
    expect(sources?.count).toBe(1);
  });

  it('are changed one by one, and removed by empty texts and null', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { access });

    await edited(feed, { access: { cookie: 'new=1', userAgent: null } });
    expect(asked('feed').at(-1)?.headers).toMatchObject({ authorization: basic, cookie: 'new=1' });
    expect(asked('feed').at(-1)?.headers['user-agent']).toMatch(/^Gatefold/);

    await edited(feed, { access: { cookie: '', userName: '', password: '' } });
    expect(asked('feed').at(-1)?.headers).not.toHaveProperty('authorization');
    expect(asked('feed').at(-1)?.headers).not.toHaveProperty('cookie');
    expect(titles(await news.items())).toEqual(['a']);
  });

  it('stay for another address of the server, and not for another server', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { access });

    await edited(feed, { url: publish('other', 'a') });
    expect(asked('other').at(-1)?.headers).toMatchObject({ authorization: basic });

    const elsewhere = publish('elsewhere', 'a').replace('127.0.0.1', '127.0.0.2');
    const answer = await edit(feed, { url: elsewhere });
    expect(answer.status).toBe(422);
    expect(await fetching(feed)).toMatchObject({ hasPassword: true });
  });

  it('do not follow a redirect to another server', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { access });
    publish('target', 'a');
    const target = publisher.url(`${path}/target`).replace('127.0.0.1', 'localhost');
    publisher.redirect(`${path}/feed`, target);

    await fetchAgain(feed);

    expect(asked('target')).toHaveLength(1);
    expect(asked('target')[0]?.headers).not.toHaveProperty('authorization');
    expect(asked('target')[0]?.headers).not.toHaveProperty('cookie');
  });

  it('are refused with 422 when they are not valid', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    const refused: [object, string][] = [
      [{ cookie: 'a=1\r\nX-Evil: 1' }, 'cookie'],
      [{ userAgent: 'a\nb' }, 'userAgent'],
      [{ userAgent: 'ü' }, 'userAgent'],
      [{ userName: 'a:b' }, 'userName'],
      [{ password: 'a\0b' }, 'password'],
      [{ cookie: 'x'.repeat(4097) }, 'cookie'],
      [{ password: 'x'.repeat(1025) }, 'password'],
      [{ cookie: 1 }, 'cookie'],
      [{ referer: 'x' }, 'referer'],
    ];
    for (const [wrong, named] of refused) {
      const answer = await edit(feed, { access: wrong });

      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(named)]);
    }
    expect(asked('feed')).toHaveLength(1);
  });

  it('can be given for a new feed and its preview', async () => {
    const url = publish('feed', 'a');

    await ok(news.post('/feeds/preview', { url, access }));
    expect(asked('feed').at(-1)?.headers).toMatchObject({ authorization: basic });
    await ok(news.post('/feeds', { url, folderId: null, access }));

    expect(asked('feed').at(-1)?.headers).toMatchObject({ cookie: access.cookie });
    expect((await news.post('/feeds', { url, folderId: null })).status).toBe(409);
  });

  it('are not sent, and reported as lost, once the secret key cannot open them', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { access });
    await app.database.query(
      `update source set access = decode(repeat('01', 80), 'hex')
        where url = $1 and access is not null`,
      [feed.url],
    );
    const secrets = app.inside(SecretKeyService);

    await fetchAgain(feed);
    const lost = (await secrets.lost()).filter(({ what }) => what.includes('of feeds'));

    expect(asked('feed').at(-1)?.headers).not.toHaveProperty('authorization');
    expect(lost).toMatchObject([{ names: [feed.url] }]);
    await secrets.reset();
    expect(await secrets.lost()).toEqual([]);
    expect(await fetching(feed)).toMatchObject({ hasPassword: false, hasCookie: false });
    await edited(feed, { access });
    expect(asked('feed').at(-1)?.headers).toMatchObject({ authorization: basic });
    expect(titles(await news.items())).toEqual(['a']);
  });

  it('replace a password in the address, which stays until then', async () => {
    const url = publish('feed', 'a').replace('//', '//grace:hopper@');
    const feed = await news.subscribe(url);
    expect(await fetching(feed)).toMatchObject({
      url: url.replace('grace:hopper@', ''),
      hasPassword: true,
    });

    await edited(feed, { url: publish('other', 'a') });
    expect(asked('other').at(-1)?.headers).toMatchObject({
      authorization: `Basic ${btoa('grace:hopper')}`,
    });

    await edited(feed, { access: { userName: 'ada', password: 'pa:ss wörd' } });
    expect(asked('other').at(-1)?.headers).toMatchObject({ authorization: basic });
    expect((await news.feed(feed.id)).url).not.toContain('hopper');
  });
});

describe('the interval of a feed', () => {
  const refresh = (feed: FeedJson, client = news) => ok(client.post(`/feeds/${feed.id}/refresh`));
  const wait = async (feed: FeedJson, client = news) => {
    const { nextUpdateTime } = await client.feed(feed.id);
    return ((nextUpdateTime ?? 0) - Date.now() / 1000) / 3600;
  };

  it('is at least the wanted one', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));

    await edited(feed, { fetchEveryHours: 48 });
    await refresh(feed);

    expect(await wait(feed)).toBeGreaterThan(47.9);
    expect(await wait(feed)).toBeLessThan(53);
    expect(await fetching(feed)).toMatchObject({ fetchEveryHours: 48 });
  });

  it('is the shortest that its followers want', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { fetchEveryHours: 48 });
    const theirs = await others.subscribe(feed.url);
    await refresh(feed);
    expect(await wait(feed)).toBeLessThan(24.1);

    await ok(edit(theirs, { fetchEveryHours: 30 }, others));
    await refresh(theirs, others);
    expect(await wait(feed)).toBeGreaterThan(29.9);
    expect(await wait(feed)).toBeLessThan(33.1);

    await ok(edit(theirs, { fetchEveryHours: 1 }, others));
    expect(await wait(feed)).toBeLessThan(1.1);
  });

  it('is longer when the publisher asks for it', async () => {
    publisher.publish(`${path}/feed`, rss({ title: 'x', items: [] }), {
      headers: { 'Cache-Control': 'max-age=36000' },
    });
    const feed = await news.subscribe(publisher.url(`${path}/feed`));

    await edited(feed, { fetchEveryHours: 1 });
    expect(await wait(feed)).toBeGreaterThan(9);
    await refresh(feed);

    expect(await wait(feed)).toBeGreaterThan(9);
  });

  it('is that of the feed again without a wish', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));
    await edited(feed, { fetchEveryHours: 100 });
    await refresh(feed);

    await edited(feed, { fetchEveryHours: null });

    expect(await wait(feed)).toBeLessThan(1.1);
    expect(await fetching(feed)).toMatchObject({ fetchEveryHours: null });
  });

  it('cannot be another number of hours', async () => {
    const feed = await news.subscribe(publish('feed', 'a'));

    for (const fetchEveryHours of [0, 169, 'often']) {
      const { status } = await edit(feed, { fetchEveryHours });
      expect([fetchEveryHours, status]).toEqual([fetchEveryHours, 422]);
    }
  });
});

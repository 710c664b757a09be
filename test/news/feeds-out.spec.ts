import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseHTML } from 'linkedom';
import { Shares } from '../../src/common/http/shares.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import { AppPasswordsService } from '../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient } from '../support/api-client.js';
import { Browser } from '../support/browser.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson, type FolderJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

/** Lists and articles that users publish under a secret address. */

const LIMITS = 'feeds-out-per-user=3 articles-per-feed-out=4 requests-per-feed-out-and-minute=3';

const { app, publisher } = await serviceAndPublisher({
  GATEFOLD_FEEDS_OUT: 'everyone',
  GATEFOLD_LIMITS: LIMITS,
});

interface FeedOutJson {
  readonly id: number;
  readonly kind: string;
  readonly ofId: number;
  readonly name: string | null;
  readonly fullText: boolean;
  readonly withNotes: boolean;
  readonly address: string;
}

interface JsonFeed {
  readonly title: string;
  readonly home_page_url: string;
  readonly feed_url: string;
  readonly items: readonly Readonly<Record<string, string>>[];
}

let user: TestUser;
let news: NewsClient;
let stranger: NewsClient;
let folder: FolderJson;
let feed: FeedJson;
let path: string;
let published: RssItem[];
let specs = 0;

beforeEach(async () => {
  path = `/out-${(specs += 1)}.xml`;
  published = [];
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  stranger = new NewsClient(await app.signIn(), 'v1-3');
  publish('one', 'two');
  folder = await news.createFolder('Lamps & <lanterns>');
  feed = await news.subscribe(publisher.url(path), folder.id);
});

/** Adds articles to the top of the document. */
function publish(...names: readonly string[]): void {
  add(
    ...names.map((title) => ({
      title,
      link: publisher.url(`/${title}`),
      body: `<p>The lamp of ${title} is lit at dusk.</p>${'<p>And burns until dawn, every night.</p>'.repeat(30)}`,
      pubDate: new Date('2026-03-01T12:00:00Z'),
    })),
  );
}

function add(...items: readonly RssItem[]): void {
  published = [...items.toReversed(), ...published];
  publisher.publish(path, rss({ title: 'Lamps', link: publisher.url('/'), items: published }));
}

const refetch = (feedId = feed.id) =>
  new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feedId);
const answerTo = (list: object, of = news) => of.post('/feeds-out', list);
const publishList = async (list: object) =>
  (await ok<{ feedOut: FeedOutJson }>(answerTo(list))).feedOut;
const ofFolder = (more: object = {}) => publishList({ kind: 'folder', ofId: folder.id, ...more });
const listed = async (of = news) =>
  (await ok<{ feedsOut: FeedOutJson[] }>(of.get('/feeds-out'))).feedsOut;
const read = (address: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  new ApiClient('').call(method, address, { headers });
const jsonOf = async ({ address }: { readonly address: string }) =>
  (await ok<JsonFeed>(read(`${address}/feed.json`))) ?? { items: [] };
const titlesOf = async (list: { readonly address: string }) =>
  (await jsonOf(list)).items.map(({ title }) => title);
const edit = (json: object) => ok(news.call('PATCH', `/feeds/${feed.id}`, { json }));
const statusOf = async (address: string) => (await read(address)).status;
const itemId = async (title: string) => (await news.item(title)).id;
const label = (itemIds: readonly number[], name: string) =>
  ok(news.post('/items/labels/multiple', { itemIds, add: [name] }));

describe('a published list', () => {
  it('is of a folder, a label, a saved search or the starred articles, newest first', async () => {
    const [one, two] = [await itemId('one'), await itemId('two')];
    await ok(news.post(`/items/${one}/star`));
    await label([two], 'Harbour');
    const [harbour] = await news.labels();
    const { searches } = await ok<{ searches: { id: number }[] }>(
      news.post('/searches', { name: 'Twos', query: 'title:two', inClients: false }),
    );

    const inFolder = await ofFolder();
    const labelled = await publishList({ kind: 'label', ofId: harbour?.id });
    const starred = await publishList({ kind: 'starred' });
    expect(await titlesOf(inFolder)).toEqual(['two', 'one']);
    expect(await titlesOf(labelled)).toEqual(['two']);
    expect(await titlesOf(starred)).toEqual(['one']);
    await ok(news.delete(`/feeds-out/${starred.id}`));
    const found = await publishList({ kind: 'search', ofId: searches[0]?.id });
    expect(await titlesOf(found)).toEqual(['two']);
    expect((await listed()).map(({ kind, name }) => [kind, name])).toEqual([
      ['search', 'Twos'],
      ['label', 'Harbour'],
      ['folder', 'Lamps & <lanterns>'],
    ]);
  });

  it('is a valid Atom and JSON Feed, which another installation follows', async () => {
    add({
      title: 'Tide & <b>time</b>',
      link: publisher.url('/tide'),
      guid: 'tide-guid',
      body: '<p>Low “water” at 5 & at 6.</p>',
      author: 'Ada',
      pubDate: new Date('2026-03-02T12:00:00Z'),
      enclosure: { url: publisher.url('/tide.mp3'), type: 'audio/mpeg', length: 12 },
    });
    await refetch();
    const { address } = await ofFolder({ fullText: true });
    const other = await startApp();
    try {
      const reader = new NewsClient(await other.signIn(), 'v1-3');
      for (const format of ['feed.atom', 'feed.json', '']) {
        const followed = await reader.subscribe(`${address}${format && `/${format}`}`);
        const items = await reader.items({ type: 0, id: followed.id, oldestFirst: true });

        expect(followed.title).toBe('Lamps & ‹lanterns›');
        expect(titles(items)).toEqual(['one', 'two', 'Tide & time']);
        expect(items.at(-1)).toMatchObject({
          url: publisher.url('/tide'),
          author: 'Ada',
          pubDate: Date.UTC(2026, 2, 2, 12) / 1000,
          body: '<p>Low “water” at 5 &amp; at 6.</p>',
          enclosureLink: publisher.url('/tide.mp3'),
          enclosureMime: 'audio/mpeg',
        });
        await ok(reader.delete(`/feeds/${followed.id}`));
      }
    } finally {
      await other.stop();
    }
  });

  it('has excerpts unless whole texts are wanted', async () => {
    const { items } = await jsonOf(await ofFolder());

    expect(items[0]?.['summary']).toMatch(/^The lamp of two is lit at dusk\. And burns .{0,190}…$/);
    expect(items[0]?.['content_html']).toBe(`<p>${items[0]?.['summary']}</p>`);
    const whole = (await jsonOf(await ofFolder({ fullText: true }))).items[0];
    expect(whole?.['content_html']?.match(/until dawn/g)).toHaveLength(30);
    expect(whole).not.toHaveProperty('summary');
  });

  it('has notes only if they are wanted, as text', async () => {
    const id = await itemId('two');
    await ok(news.post(`/items/${id}/highlights`, { exact: 'lit at dusk', note: 'a <b>\nb' }));

    expect((await jsonOf(await ofFolder())).items[0]?.['content_html']).not.toContain('<em>');
    expect((await jsonOf(await ofFolder({ withNotes: true }))).items[0]?.['content_html']).toMatch(
      /<blockquote>lit at dusk<\/blockquote><p><em>a &lt;b&gt;<br>b<\/em><\/p>$/,
    );
  });

  it('is published once, and its address stays while it is changed', async () => {
    const first = await ofFolder();
    const again = await ofFolder({ fullText: true });

    expect(again).toEqual({ ...first, fullText: true });
    const changed = await ofFolder({ withNotes: true });
    expect(changed).toEqual({ ...first, withNotes: true });
    expect(await listed()).toEqual([changed]);
  });

  it('tells nothing of its user but its name', async () => {
    await ok(news.post(`/feeds/${feed.id}/rename`, { feedTitle: 'What my boss writes' }));
    const { address } = await ofFolder();
    const answers = await Promise.all(
      ['', '/feed.atom', '/feed.json'].map((format) => read(address + format)),
    );

    for (const { text, headers } of answers) {
      expect(text).not.toContain('my boss');
      expect(text).not.toContain(user.credentials.userId);
      expect(headers).toMatchObject({
        'cache-control': 'private, no-cache',
        'x-robots-tag': 'noindex, nofollow, noarchive',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });

  it('gets new articles, and has the newest ones only', async () => {
    const list = await ofFolder();
    await titlesOf(list);
    publish('three', 'four', 'five');
    await refetch();
    await news.feedList();

    expect(await titlesOf(list)).toEqual(['five', 'four', 'three', 'two']);
  });

  it('is delivered to though nobody reads', async () => {
    const list = await ofFolder();
    publish('three');
    await refetch();

    expect(await titlesOf(list)).toEqual(['three', 'two', 'one']);
  });

  it('leaves out what rules hide, unless it was labelled', async () => {
    await label([await itemId('two')], 'Kept');
    const [kept] = await news.labels();
    const id = await itemId('two');
    await app.database.query(
      `insert into item_mark (reader_id, item_id, hidden)
       select reader_id, $2, true from reader_user where user_id = $1`,
      [user.credentials.userId, id],
    );

    expect(await titlesOf(await ofFolder())).toEqual(['one']);
    expect(await titlesOf(await publishList({ kind: 'label', ofId: kept?.id }))).toEqual(['two']);
  });
});

describe('a published page', () => {
  it('is a document without scripts, with the list and its feeds', async () => {
    const { address } = await ofFolder({ fullText: true });
    const { text, headers } = await read(address, { 'accept-language': 'en' });
    const { document } = parseHTML(text);

    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src http: https:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(document.title).toBe('Lamps & <lanterns>');
    expect([...document.querySelectorAll('h2')].map((one) => one.textContent)).toEqual([
      'two',
      'one',
    ]);
    expect(document.querySelector('article a')?.getAttribute('rel')).toBe(
      'noopener noreferrer nofollow',
    );
    expect(
      [...document.querySelectorAll('link[rel=alternate]')].map((one) => one.getAttribute('href')),
    ).toEqual([`${address}/feed.atom`, `${address}/feed.json`]);
    expect(document.querySelector('script')).toBeNull();
  });

  it('shows hostile titles and texts as text', async () => {
    add({
      title: '</title><script>alert(1)</script>',
      link: 'javascript:alert(2)',
      guid: 'hostile ]]> <guid>',
      author: '"><img src=x onerror=alert(3)>',
      body: '<p onclick="alert(4)">Hi<script>alert(5)</script><iframe src="javascript:alert(6)"></iframe></p></article></main>',
    });
    await refetch();
    await news.feedList();
    const { address } = await ofFolder({ fullText: true });
    const page = (await read(address)).text;
    const { document } = parseHTML(page);

    expect(document.querySelectorAll('script, iframe, [onclick], [onerror]')).toHaveLength(0);
    expect(page).not.toContain('javascript:');
    expect(document.querySelectorAll('main > article')).toHaveLength(3);
    const json = await ok<JsonFeed>(read(`${address}/feed.json`));
    expect(json.items[0]).not.toHaveProperty('url');
    expect(json.items[0]?.['content_html']).toBe('<p>Hi</p>');
    const atom = (await read(`${address}/feed.atom`)).text;
    expect(atom).not.toMatch(/<script|javascript:/);
  });
});

describe('an address', () => {
  const NOWHERE = '/apps/news/out/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

  it('ends at once when the list is taken back, and answers as one that never was', async () => {
    const { id, address } = await ofFolder();
    const unknown = await read(app.url + NOWHERE);
    expect(await statusOf(address)).toBe(200);
    await ok(news.delete(`/feeds-out/${id}`));
    const ended = await read(address);

    expect([ended.status, ended.text]).toEqual([404, unknown.text]);
    expect(ended.json).toEqual({ message: 'There is nothing at this address.' });
    expect(await statusOf(`${address}/feed.atom`)).toBe(404);
    expect(await listed()).toEqual([]);
  });

  it('is replaced by another one, and the former ends', async () => {
    const before = await ofFolder();
    const { feedOut } = await ok<{ feedOut: FeedOutJson }>(
      news.post(`/feeds-out/${before.id}/renew`),
    );

    expect(feedOut.address).not.toBe(before.address);
    expect(await statusOf(before.address)).toBe(404);
    expect(await statusOf(feedOut.address)).toBe(200);
  });

  it('ends with the list, with the account, and while that is disabled', async () => {
    const users = app.inside(UsersService);
    const { userId } = user.credentials;
    const { address } = await ofFolder();
    await label([await itemId('one')], 'Gone');
    const [gone] = await news.labels();
    const labelled = await publishList({ kind: 'label', ofId: gone?.id });
    await ok(news.delete(`/labels/${gone?.id}`));
    expect(await statusOf(labelled.address)).toBe(404);
    expect((await listed()).map(({ name }) => name)).toEqual([null, 'Lamps & <lanterns>']);

    await users.disable(userId);
    expect(await statusOf(address)).toBe(404);
    await users.enable(userId);
    expect(await statusOf(address)).toBe(200);
    await users.delete(userId);
    expect(await statusOf(address)).toBe(404);
    expect(await app.database.query('select 1 from feed_out where user_id = $1', [userId])).toEqual(
      [],
    );
  });

  it('is in the database only sealed, and by a hash', async () => {
    const { address } = await ofFolder();
    const token = address.split('/').at(-1) ?? '';
    const rows = await app.database.query('select feed_out::text as row from feed_out');

    expect(token).toMatch(/^[\w-]{32}$/);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('of another user is neither listed nor changed', async () => {
    const { id } = await ofFolder();

    expect(await listed(stranger)).toEqual([]);
    const foreign = await Promise.all([
      stranger.post(`/feeds-out/${id}/renew`),
      stranger.delete(`/feeds-out/${id}`),
      answerTo({ kind: 'folder', ofId: folder.id }, stranger),
      answerTo({ kind: 'item', ofId: await itemId('one') }, stranger),
    ]);
    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it('is made by a person, not by a program', async () => {
    const { userId } = user.credentials;
    const passwords = app.inside(AppPasswordsService);
    const { token } = await passwords.add(userId, 'Program', { scope: 'reader' });
    const credentials = { userId, password: token };
    const program = new NewsClient({ baseUrl: app.url, credentials }, 'v1-3');
    const answer = await answerTo({ kind: 'starred' }, program);

    expect(answer.status).toBe(403);
    expect(answer.json).toMatchObject({ message: expect.stringContaining('in a browser') });
  });

  it('of the audit log names the list', async () => {
    const { id, ofId } = await ofFolder({ withNotes: true });
    await ok(news.delete(`/feeds-out/${id}`));

    expect(
      await app.database.query(
        `select kind, details from security_event where user_id = $1 and kind like 'list%' order by id`,
        [user.credentials.userId],
      ),
    ).toEqual([
      { kind: 'list_published', details: `folder ${ofId}, notes` },
      { kind: 'list_withdrawn', details: `folder ${ofId}, notes` },
    ]);
  });
});

describe('articles of sources that are not public', () => {
  const ACCESS = { userName: 'ada', password: 'secret' };

  it.each([
    ['headers', () => edit({ access: ACCESS })],
    [
      'credentials in the address',
      () => edit({ url: publisher.url(path).replace('//', '//a:b@') }),
    ],
    ['a token in the address', () => edit({ url: `${publisher.url(path)}?accessToken=1` })],
  ])('with %s are in no list', async (_name, protect) => {
    const id = await itemId('one');
    await ok(news.post(`/items/${id}/star`));
    const inFolder = await ofFolder();
    const starred = await publishList({ kind: 'starred' });
    const article = await publishList({ kind: 'item', ofId: id });
    expect(await titlesOf(inFolder)).toEqual(['two', 'one']);
    await protect();
    publish('three');
    await refetch();
    await news.feedList();
    await ok(news.post(`/items/${await itemId('three')}/star`));

    // What was fetched without them is public still, if it is found at all.
    expect(await titlesOf(inFolder)).not.toContain('three');
    expect(await titlesOf(starred)).not.toContain('three');
    expect([200, 404]).toContain(await statusOf(article.address));
    const refused = await answerTo({ kind: 'item', ofId: await itemId('three') });
    expect(refused.status).toBe(403);
    expect(refused.json).toMatchObject({ message: expect.stringContaining('credentials') });
  });

  it('that a user or an app has added are in no list', async () => {
    const { items } = await ok<{ items: { id: number }[] }>(
      news.post('/items', { items: [{ url: 'https://a.example/', title: 'mine', body: 'x' }] }),
    );
    await ok(news.post(`/items/${items[0]?.id}/star`));

    expect(await titlesOf(await publishList({ kind: 'starred' }))).toEqual([]);
    expect((await answerTo({ kind: 'item', ofId: items[0]?.id })).status).toBe(403);
  });
});

describe('a link to one article', () => {
  it('is a page with the article alone, and ends when it is taken back', async () => {
    const { id, address } = await publishList({
      kind: 'item',
      ofId: await itemId('one'),
      fullText: true,
    });
    const { document } = parseHTML((await read(address)).text);

    expect(document.title).toBe('one');
    expect([...document.querySelectorAll('h1')].map((one) => one.textContent)).toEqual(['one']);
    expect(document.querySelectorAll('article')).toHaveLength(1);
    expect(await statusOf(`${address}/feed.atom`)).toBe(404);
    await ok(news.delete(`/feeds-out/${id}`));
    expect(await statusOf(address)).toBe(404);
  });
});

describe('a conditional request', () => {
  const conditions = async (address: string) => {
    const { etag = '', 'last-modified': since = '' } = (await read(address)).headers;
    return [{ 'if-none-match': etag }, { 'if-modified-since': since }];
  };

  it.each(['', '/feed.atom', '/feed.json'])('of %j is answered by 304', async (format) => {
    const address = (await ofFolder()).address + format;
    for (const headers of await conditions(address)) {
      const answer = await read(address, headers);

      expect([answer.status, answer.text]).toEqual([304, '']);
    }
  });

  it('is answered without reading the list while nothing has changed', async () => {
    const { address } = await ofFolder();
    const [tag] = await conditions(address);
    await app.database.query('update source set title = $1 where url = $2', [
      'Unseen',
      publisher.url(path),
    ]);

    expect((await read(address, tag)).status).toBe(304);
    expect((await read(address)).text).toContain('Unseen');
  });

  it('gets the list again when that has changed', async () => {
    const { address } = await ofFolder();
    const before = await conditions(address);
    await ofFolder({ fullText: true });
    for (const headers of before) {
      expect((await read(address, headers)).status).toBe(200);
    }
    const then = await conditions(address);
    publish('three');
    await refetch();
    await news.feedList();
    for (const headers of then) {
      expect((await read(address, headers)).status).toBe(200);
    }
  });

  it('by HEAD has the headers alone', async () => {
    const { address } = await ofFolder();
    const { status, text, headers } = await read(`${address}/feed.atom`, {}, 'HEAD');

    expect([status, text]).toEqual([200, '']);
    expect(headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    expect(headers.etag).toMatch(/^W\/"/);
  });
});

describe('limits', () => {
  it('bound the lists of a user', async () => {
    await ofFolder();
    await publishList({ kind: 'starred' });
    await publishList({ kind: 'item', ofId: await itemId('one') });
    const refused = await answerTo({ kind: 'item', ofId: await itemId('two') });

    expect(refused.status).toBe(422);
    expect(await listed()).toHaveLength(3);
  });

  it('bound the requests for a list, in a minute and at once', async () => {
    const limited = await startApp({
      GATEFOLD_FEEDS_OUT: 'everyone',
      GATEFOLD_RATE_LIMITS: 'on',
      GATEFOLD_LIMITS: LIMITS,
    });
    try {
      const client = new NewsClient(await limited.signIn(), 'v1-3');
      const { feedOut } = await ok<{ feedOut: FeedOutJson }>(answerTo({ kind: 'starred' }, client));
      const ends = Array.from({ length: 4 }, () =>
        limited.inside(Shares).take('requests of a list', String(feedOut.id)),
      );
      const busy = await read(feedOut.address);
      expect(busy.status).toBe(429);
      expect(busy.text).toContain('requests of a list in progress');
      ends.forEach((end) => end());
      const statuses = [];
      // Two minutes have six requests at most.
      for (let n = 0; n < 8; n += 1) {
        statuses.push(await statusOf(feedOut.address));
      }
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect((await read(feedOut.address)).headers['retry-after']).toBe('60');
    } finally {
      await limited.stop();
    }
  });
});

describe('GATEFOLD_FEEDS_OUT', () => {
  let other: TestApp;
  let address: string;
  let owner: TestUser;
  afterAll(() => other?.stop());

  describe('signed-in, the default, below a path prefix', () => {
    beforeAll(async () => {
      other = await startApp({ GATEFOLD_BASE_URL: 'https://example.org/gate' });
      owner = await other.signIn();
      const { feedOut } = await ok<{ feedOut: FeedOutJson }>(
        answerTo({ kind: 'starred' }, new NewsClient(owner, 'v1-3')),
      );
      ({ address } = feedOut);
    });

    it('shows addresses with the prefix, in lists too', async () => {
      expect(address).toMatch(/^https:\/\/example\.org\/gate\/apps\/news\/out\/[\w-]{32}$/);
      const { text } = await owner.get(`${new URL(address).pathname.slice(5)}/feed.json`);
      expect(JSON.parse(text)).toMatchObject({
        title: 'Starred',
        home_page_url: address,
        feed_url: `${address}/feed.json`,
      });
    });

    it('asks strangers for credentials, whatever the address, and takes those of anybody here', async () => {
      const here = new URL(address).pathname.slice(5);
      for (const path of [here, `${here}/feed.atom`, '/apps/news/out/unknown']) {
        const { status, headers } = await other.asStranger().get(path);

        expect(status).toBe(401);
        expect(headers['www-authenticate']).toContain('Basic');
      }
      const colleague = await other.signIn();
      expect((await colleague.get(`${here}/feed.atom`)).status).toBe(200);
      expect((await colleague.get('/apps/news/out/unknown')).status).toBe(404);
    });

    it('takes the session of a browser that comes from another site', async () => {
      const here = new URL(address).pathname.slice(5);
      const browser = new Browser(other.url);
      await browser.submit(
        '/login',
        { user: owner.credentials.userId, password: owner.credentials.password, redirect_url: '' },
        { origin: 'https://example.org' },
      );
      const { status } = await browser.get(here, { headers: { 'sec-fetch-site': 'cross-site' } });

      expect(status).toBe(200);
    });
  });

  it('off: nothing is published, and no address answers, but what there is can be taken back', async () => {
    const off = await startApp({ GATEFOLD_FEEDS_OUT: 'off' });
    try {
      const client = new NewsClient(await off.signIn(), 'v1-3');

      expect((await off.asStranger().get('/apps/news/out/unknown')).status).toBe(404);
      expect((await answerTo({ kind: 'starred' }, client)).status).toBe(403);
      expect(await ok(client.get('/feeds-out'))).toEqual({ feedsOut: [], audience: 'off' });
    } finally {
      await off.stop();
    }
  });
});

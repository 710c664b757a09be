import { beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, type CallOptions } from '../support/api-client.js';
import { Browser } from '../support/browser.js';
import { rss } from '../support/feed-server.js';
import { LEVELS, NewsClient, titles, type FeedJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';

/*
 * Values that clients of the reference service send for integers, by route. The parameters are
 * covered by src/news/parameters.spec.ts.
 */

const { app, publisher } = await sharedService();
beforeAll(async () => {
  const items = [{ title: 'second' }, { title: 'first' }];
  publisher.publish('/feed.xml', rss({ title: 'Feed', link: publisher.url('/'), items }));
});

const EVERY_ITEM = ['second', 'first'];

describe.each(LEVELS)('%s: an empty text for an integer is 0', (level) => {
  let news: NewsClient;
  let feed: FeedJson;
  let folderId: number;
  beforeAll(async () => {
    news = new NewsClient(await app.signIn(), level);
    folderId = (await news.createFolder('Folder')).id;
    feed = await news.subscribe(publisher.url('/feed.xml'), folderId);
  });

  const MANNERS: [manner: string, send: (values: object) => CallOptions][] = [
    ['query', (values) => ({ query: values as Record<string, string> })],
    ['JSON', (values) => ({ json: values })],
    [
      'form',
      (values) => ({
        body: new URLSearchParams(values as Record<string, string>).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ],
  ];

  describe.each(MANNERS)('in a %s', (_manner, send) => {
    it.each([
      ['/items', { id: '' }],
      ['/items', { batchSize: '' }],
      ['/items', { offset: '' }],
      ['/items', { type: '3', id: '', batchSize: '', offset: '', getRead: 'true' }],
      ['/items/updated', { lastModified: '' }],
      ['/items/updated', { lastModified: '', type: '3', id: '' }],
    ])('GET %s with %j lists everything', async (path, values) => {
      const answer = await news.call('GET', path, send(values));

      expect(answer.status).toBe(200);
      expect(titles((answer.json as { items: never[] }).items)).toEqual(EVERY_ITEM);
    });

    it.each(['/items', '/items/updated'])('GET %s of type "" selects the feed 0', async (path) => {
      const answer = await news.call('GET', path, send({ type: '' }));

      expect(answer.json).toEqual({ items: [] });
    });

    it('marking read up to "" marks nothing', async () => {
      const paths = ['/items/read', `/feeds/${feed.id}/read`, `/folders/${folderId}/read`];

      const answers = await Promise.all(
        paths.map((path) => news.call('PUT', path, send({ newestItemId: '' }))),
      );

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await news.feed(feed.id)).unreadCount).toBe(2);
    });

    it('the folder "" is the root', async () => {
      const moved = await news.call('PUT', `/feeds/${feed.id}/move`, send({ folderId: '' }));

      expect(moved.status).toBe(200);
      expect((await news.feed(feed.id)).folderId).toBeNull();
      await news.change(`/feeds/${feed.id}/move`, { folderId });
    });

    it('bulk routes skip it, as any unknown id', async () => {
      const answer = await news.call('PUT', '/items/read/multiple', send({ items: '' }));

      expect([answer.status, answer.text]).toEqual([200, 'null']);
      expect((await news.feed(feed.id)).unreadCount).toBe(2);
    });
  });

  it('identifies no feed and no item', async () => {
    const guidHash = 'a'.repeat(32);
    const star = (pair: object) => news.put('/items/star/multiple', { items: [pair] });

    expect((await star({ feedId: '', guidHash })).status).toBe(200);
    expect((await star({ feedId: 1 })).status).toBe(422);
    expect((await star({ guidHash })).status).toBe(422);
    const admin = new NewsClient(app.asAdmin(), level);
    expect((await admin.get('/feeds/update', { userId: 'admin', feedId: '' })).status).toBe(404);
  });

  it('does not make other texts valid integers', async () => {
    const answer = await news.get('/items', { id: 'abc' });

    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({ message: 'The parameter "id" must be a whole number.' });
  });
});

describe.each(LEVELS)('%s: null counts as absent', (level) => {
  let news: NewsClient;
  beforeAll(async () => {
    news = new NewsClient(await app.signIn(), level);
    await news.subscribe(publisher.url('/feed.xml'));
  });

  it('as the whole body', async () => {
    const all = await news.call('GET', '/items', { json: null });
    const required = await news.call('PUT', '/items/read', { json: null });
    const many = await news.call('PUT', '/items/read/multiple', { json: null });

    expect(all.status).toBe(200);
    expect(titles((all.json as { items: never[] }).items)).toEqual(EVERY_ITEM);
    expect([required.status, required.json]).toEqual([
      422,
      { message: 'The parameter "newestItemId" is missing.' },
    ]);
    expect([many.status, many.json]).toEqual([
      422,
      { message: 'The parameter "itemIds" is missing.' },
    ]);
  });

  it.each([
    ['/items/read', { newestItemId: null }, 'newestItemId'],
    ['/items/read/multiple', { items: null }, 'itemIds'],
    ['/items/star/multiple', { itemIds: null }, 'itemIds'],
  ])('PUT %s with %j lacks a parameter', async (path, json, missing) => {
    const answer = await news.put(path, json);

    expect([answer.status, answer.json]).toEqual([
      422,
      { message: `The parameter "${missing}" is missing.` },
    ]);
  });

  it('and the other name of a list is read', async () => {
    const { id } = await news.item('first');

    const answer = await news.put('/items/read/multiple', { items: null, itemIds: [id] });

    expect(answer.status).toBe(200);
    expect((await news.item('first')).unread).toBe(false);
  });

  it.each(['5', '"text"', 'true', '[1', 'nul'])('while %s is not a valid body', async (body) => {
    const headers = { 'content-type': 'application/json' };

    expect((await news.call('PUT', '/items/read', { body, headers })).status).toBe(400);
  });
});

describe.each(LEVELS)('%s: a number that is too large is a large number', (level) => {
  const NUMBERS = [`${2n ** 63n - 1n}`, `${2n ** 63n}`, '9'.repeat(41), '9'.repeat(400)];
  let news: NewsClient;
  let feed: FeedJson;
  beforeAll(async () => {
    news = new NewsClient(await app.signIn(), level);
    feed = await news.subscribe(publisher.url('/feed.xml'));
  });

  it.each(NUMBERS)('in lists: %s', async (large) => {
    for (const parameters of [{ query: { offset: large } }, { body: `{"offset": ${large}}` }]) {
      const options = { ...parameters, headers: { 'content-type': 'application/json' } };
      const { json } = await news.call('GET', '/items', options);
      expect(titles((json as { items: never[] }).items)).toEqual(EVERY_ITEM);
    }
    expect(titles(await news.items({ batchSize: large }))).toEqual(EVERY_ITEM);
    expect(titles(await news.items({ offset: large, oldestFirst: true }))).toEqual([]);
    expect(titles(await news.items({ type: 0, id: large }))).toEqual([]);
    const changed = await news.get('/items/updated', { lastModified: large, type: 3, id: 0 });
    expect(changed.json).toEqual({ items: [] });
  });

  it.each(NUMBERS)('in paths, which then name nothing: %s', async (large) => {
    for (const [path, json] of [
      [`/folders/${large}/read`, { newestItemId: 1 }],
      [`/feeds/${large}/read`, { newestItemId: 1 }],
      [`/feeds/${large}/rename`, { feedTitle: 'x' }],
      [`/feeds/${large}/move`, { folderId: null }],
      [`/items/${large}/read`, {}],
      [`/items/${large}/unread`, {}],
      [level === 'v1-2' ? `/items/${large}/${'a'.repeat(32)}/star` : `/items/${large}/star`, {}],
    ] as const) {
      expect([path, (await news.change(path, json)).status]).toEqual([path, 404]);
    }
    expect((await news.call('DELETE', `/folders/${large}`)).status).toBe(404);
    expect((await news.call('DELETE', `/feeds/${large}`)).status).toBe(404);
    expect((await news.call('PUT', `/folders/${large}`, { json: { name: 'x' } })).status).toBe(404);
  });

  it.each(NUMBERS)('when it marks read up to it: %s', async (large) => {
    const item = await news.item('first');
    await news.change(`/items/${item.id}/unread`);

    await news.change(`/feeds/${feed.id}/read`, { newestItemId: large });

    expect((await news.feed(feed.id)).unreadCount).toBe(0);
  });
});

describe.each(LEVELS)('%s: a path', (level) => {
  it.each(['%20', '+', '0', '0x'])(
    'does not name a folder by its id behind "%s"',
    async (before) => {
      const news = new NewsClient(await app.signIn(), level);
      const folder = await news.createFolder('Kept');

      const removed = await news.call('DELETE', `/folders/${before}${folder.id}`);

      expect(removed.status).toBe(422);
      expect(await news.folders()).toHaveLength(1);
    },
  );
});

describe.each(LEVELS)('%s: JSON that is sent as plain text', (level) => {
  let news: NewsClient;
  beforeAll(async () => {
    news = new NewsClient(await app.signIn(), level);
  });
  const plainly = (body: string) =>
    news.call('POST', '/folders', {
      body,
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
    });

  it('is read as JSON', async () => {
    const answer = await plainly(' {"name": "Größe"}');

    expect([answer.status, answer.json]).toMatchObject([200, { folders: [{ name: 'Größe' }] }]);
  });

  it('is refused when it is broken, and other texts are ignored', async () => {
    expect((await plainly('{"name": "')).status).toBe(400);
    for (const text of ['', 'name=x', '"name"', '[1]']) {
      const { status, json } = await plainly(text);
      expect([status, json]).toEqual([422, { message: 'The parameter "name" is missing.' }]);
    }
  });
});

describe('JSON as plain text with the session of a browser', () => {
  it('needs the request token in a header, and comes from no other site', async () => {
    const user = await app.signIn();
    const browser = new Browser(app.url);
    await browser.login(user.credentials);
    const { token } = (await browser.get('/csrftoken')).json as { token: string };
    const create = (headers: Record<string, string>, more = {}) =>
      browser.call('POST', '/index.php/apps/news/api/v1-3/folders', {
        body: JSON.stringify({ name: 'Forged', ...more }),
        headers: { 'content-type': 'text/plain', ...headers },
      });

    const refused = [
      await create({}),
      await create({ requesttoken: 'guessed' }),
      await create({}, { requesttoken: token }),
      await create({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }),
      await create({ origin: 'https://evil.example', requesttoken: token }),
      // Basic credentials that the browser remembers.
      await new ApiClient(app.url, user.credentials).call('POST', '/apps/news/api/v1-3/folders', {
        body: '{"name": "Forged"}',
        headers: { 'content-type': 'text/plain', origin: 'https://evil.example' },
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([412, 412, 412, 401, 401, 412]);
    expect(await new NewsClient(user, 'v1-3').folders()).toEqual([]);

    expect((await create({ requesttoken: token })).status).toBe(200);
    expect(await new NewsClient(user, 'v1-3').folders()).toHaveLength(1);
  });
});

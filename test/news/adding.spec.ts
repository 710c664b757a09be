import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsentsService } from '../../src/app-api/consent/consents.service.js';
import { UsersService } from '../../src/platform/accounts/users/users.service.js';
import type { Answer } from '../support/api-client.js';
import { EventListener } from '../support/event-listener.js';
import { knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { feverClientOf } from '../support/fever-client.js';
import { GoogleReaderClient, READING_LIST } from '../support/google-reader-client.js';
import { NewsClient, ok, titles, type FeedJson, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

/** Items that apps and people add to feeds of a user's own. */

const { app } = await serviceAndPublisher({
  GATEFOLD_LIMITS: 'new-articles-per-source-and-day=6 feeds-per-user=3',
});

const NEWS = '/index.php/apps/news/api/v1-3';

interface Added {
  readonly feedId: number;
  readonly items: readonly {
    readonly id: number;
    readonly guid: string;
    readonly guidHash: string;
  }[];
}

let clipper: ExternalApp;
let other: ExternalApp;
let ada: TestUser;
let bob: TestUser;
let news: NewsClient;

beforeAll(async () => {
  clipper = await startExternalApp(app, { appId: 'clipper' });
  other = await startExternalApp(app, { appId: 'other' });
  await knowApp(app, clipper);
  await knowApp(app, other);
});
afterAll(() => Promise.all([clipper.close(), other.close()]));

beforeEach(async () => {
  [ada, bob] = [await app.signIn(), await app.signIn()];
  news = new NewsClient(ada, 'v1-3');
  for (const user of [ada, bob]) {
    for (const { appId } of [clipper, other]) {
      await app.inside(ConsentsService).decide(appId, user.credentials.userId, 'granted');
    }
  }
});

const send = (json: unknown, user = ada, external = clipper): Promise<Answer> =>
  external.as(user.credentials.userId).call('POST', `${NEWS}/items`, { json });
const add = (json: unknown, user = ada, external = clipper) =>
  ok<Added>(send(json, user, external));
const page = (n: number | string) => `https://a.example/${n}`;
const article = (n: number | string) => ({ url: page(n), title: `Article ${n}` });
const feedNames = async (client = news) =>
  (await client.feedList()).feeds.map(({ title }) => title);
const onlyFeed = async (client = news): Promise<FeedJson> => {
  const [feed] = (await client.feedList()).feeds;
  if (feed === undefined) {
    throw new Error('There is no feed');
  }
  return feed;
};

describe('an item that an app adds', () => {
  it('arrives unread in a feed with the name of the app, which it creates', async () => {
    const pubDate = 1_700_000_000;
    const answer = await add({
      guid: 'tide-1',
      url: page(1),
      title: 'Low tide',
      body: '<p onclick="x()">At <b>six</b>.</p><script>x()</script>',
      author: 'Ada',
      pubDate,
      enclosureLink: page('tide.mp3'),
      enclosureMime: 'audio/mpeg',
    });

    const feed = await onlyFeed();
    const items = await news.items();
    expect(feed).toMatchObject({
      id: answer.feedId,
      title: 'App clipper',
      folderId: null,
      unreadCount: 1,
      updateErrorCount: 0,
      nextUpdateTime: null,
    });
    expect(items).toMatchObject([
      {
        guid: 'tide-1',
        url: page(1),
        title: 'Low tide',
        body: expect.stringMatching(/^<p>At <b>six<\/b>\.<\/p>$/),
        author: 'Ada',
        pubDate,
        enclosureLink: page('tide.mp3'),
        enclosureMime: 'audio/mpeg',
        unread: true,
        feedId: feed.id,
      },
    ]);
    expect(answer.items).toEqual([
      { id: items[0]?.id, guid: 'tide-1', guidHash: items[0]?.guidHash },
    ]);
  });

  it('is identified by its guid, else by its url, and updated when it is added again', async () => {
    const first = await add({ items: [{ guid: 'a', title: 'Old' }, article(2)] });
    const ids = first.items.map(({ id }) => id);

    const again = await add({
      items: [
        { guid: 'a', url: page('moved'), title: 'New' },
        { ...article(2), title: 'Edited' },
      ],
    });

    expect(again.items.map(({ id }) => id)).toEqual(ids);
    expect(titles(await news.items()).toSorted()).toEqual(['Edited', 'New']);
  });

  it('changes nothing when nothing is new', async () => {
    await add(article(1));
    const cursor = await app.nowMicros();

    await add(article(1));

    expect(await news.changedItems(cursor)).toEqual([]);
  });

  it('counts once in a list that repeats it, as it is there last', async () => {
    const { items } = await add({ items: [article(1), { ...article(1), title: 'Last' }] });

    expect([items.length, titles(await news.items())]).toEqual([1, ['Last']]);
  });

  it('stays when others are added', async () => {
    await add({ items: [article(1), article(2)] });
    await add(article(3));

    expect(titles(await news.items())).toEqual(['Article 3', 'Article 2', 'Article 1']);
  });

  it('is marked, starred and labelled by the app that added it', async () => {
    const { items } = await add(article(1));
    const caller = clipper.as(ada.credentials.userId);
    const id = items[0]?.id;

    await ok(caller.call('POST', `${NEWS}/items/${id}/read`));
    await ok(caller.call('POST', `${NEWS}/items/${id}/star`));
    await ok(caller.call('POST', `${NEWS}/items/${id}/labels`, { json: { add: ['Sea'] } }));

    expect(await news.items()).toMatchObject([{ unread: false, starred: true, labels: ['Sea'] }]);
  });

  it('reaches clients of the other APIs, search and filters', async () => {
    await add({ ...article(1), body: 'The lighthouse' });
    const reader = await GoogleReaderClient.of(ada);

    expect(await reader.titles(READING_LIST)).toEqual(['Article 1']);
    expect(await (await feverClientOf(app, ada)).titles()).toEqual(['Article 1']);
    const found = await ok<{ items: ItemJson[] }>(news.get('/search', { query: 'lighthouse' }));
    expect(titles(found.items)).toEqual(['Article 1']);

    const feed = await onlyFeed();
    await ok(news.post(`/feeds/${feed.id}/filter`, { titleKeywords: 'boring' }));
    await add({ ...article(2), title: 'A boring one' });
    expect(await news.item('A boring one')).toMatchObject({ unread: false });
  });
});

describe('the feed', () => {
  it('is one of each app, and of each name', async () => {
    await add(article(1));
    await add({ ...article(1), feedTitle: 'Clippings' });
    await add({ ...article(1), feedTitle: ' Clippings ' }, ada, other);

    expect(await feedNames()).toEqual(['App clipper', 'Clippings', 'Clippings']);
    expect(await news.items()).toHaveLength(3);
  });

  it('is of one user: nobody else sees it, or follows its address', async () => {
    await add({ ...article(1), feedTitle: 'Mine' });
    await add({ ...article(2), feedTitle: 'Mine' }, bob);
    const others = new NewsClient(bob, 'v1-3');

    expect(titles(await news.items())).toEqual(['Article 1']);
    expect(titles(await others.items())).toEqual(['Article 2']);
    const mallory = new NewsClient(await app.signIn(), 'v1-3');
    const { url } = await onlyFeed();
    expect((await mallory.post('/feeds', { url })).status).toBe(422);
  });

  it('is renamed, moved into a folder, and deleted like any other', async () => {
    const { feedId } = await add(article(1));
    const folder = await news.createFolder('Sea');
    await ok(news.change(`/feeds/${feedId}/rename`, { feedTitle: 'Clips' }));
    await ok(news.change(`/feeds/${feedId}/move`, { folderId: folder.id }));
    await add(article(2));

    expect(await onlyFeed()).toMatchObject({ title: 'Clips', folderId: folder.id, unreadCount: 2 });

    await ok(news.delete(`/feeds/${feedId}`));
    expect([await feedNames(), await news.items()]).toEqual([[], []]);
  });

  it.each(['', '?undoable=1'])(
    'is created again, without the former items, when it was deleted%s',
    async (how) => {
      const { feedId } = await add(article(1));
      await ok(news.delete(`/feeds/${feedId}${how}`));

      const again = await add(article(2));

      expect(again.feedId).not.toBe(feedId);
      expect(titles(await news.items())).toEqual(['Article 2']);
    },
  );

  it('is never due, and says so when somebody wants it to be fetched', async () => {
    const { feedId } = await add(article(1));

    const asked = await news.post(`/feeds/${feedId}/refresh`);
    expect([asked.status, asked.json]).toEqual([
      422,
      { message: 'Nothing is fetched for this feed: its items are added to it.' },
    ]);
    expect(await ok(news.post('/feeds/refresh'))).toMatchObject({ feeds: 0, asked: 0 });
    await new NewsClient(app.asAdmin(), 'v1-3').update(ada.credentials.userId, feedId);
    const schedule = await app.database.query(
      `select 1 from source_schedule join source on source.id = source_id where given_to is not null`,
    );
    expect(schedule).toEqual([]);
    expect(await onlyFeed()).toMatchObject({ updateErrorCount: 0, lastUpdateError: null });
  });

  it('keeps its address, and takes all other settings', async () => {
    const { feedId } = await add(article(1));
    const { url } = await onlyFeed();
    const edit = (json: object) => news.call('PATCH', `/feeds/${feedId}`, { json });

    expect((await edit({ title: 'Clips', url })).status).toBe(200);
    expect((await edit({ url: page('feed') })).status).toBe(422);
    expect(await onlyFeed()).toMatchObject({ title: 'Clips', url });
  });

  it('has a status, but no place in OPML and in the list of sources', async () => {
    const { feedId } = await add({ ...article(1), feedTitle: 'Clippings' });
    const status = await news.get(`/feeds/${feedId}/status`);
    const opml = await news.get('/opml/export');
    const sources = await new NewsClient(app.asAdmin(), 'v1-3').get('/admin/sources');

    expect([status.status, opml.status, sources.status]).toEqual([200, 200, 200]);
    expect(opml.text).not.toContain('added.invalid');
    expect(sources.text).not.toContain('added.invalid');
  });

  it('is explained by the doctor, whose retry fetches nothing', async () => {
    const { feedId } = await add(article(1));
    const admin = new NewsClient(app.asAdmin(), 'v1-3');

    expect(await ok(admin.get('/doctor', { feedId }))).toMatchObject({
      isGiven: true,
      health: 'healthy',
      due: null,
      attempts: [],
    });
    expect((await admin.post('/doctor/retry', { feedId })).status).toBe(200);
    expect(await onlyFeed()).toMatchObject({ updateErrorCount: 0 });
  });

  it('tells clients that listen when an item is added', async () => {
    const { feedId } = await add(article(1));
    const listener = await EventListener.open(`${app.url}${NEWS}/events`, ada.credentials);

    const { items } = await add(article(2));

    expect(await listener.first('items')).toEqual({
      name: 'items',
      data: { feedIds: [feedId], newestItemId: items[0]?.id },
    });
    listener.close();
  });

  it('goes with the account', async () => {
    await add(article(1));
    await app.inside(UsersService).delete(ada.credentials.userId);

    expect(
      await app.database.query('select 1 from source where given_to = $1', [
        ada.credentials.userId,
      ]),
    ).toEqual([]);
  });
});

describe('a person', () => {
  it('adds items, too, to a feed apart from those of apps', async () => {
    await add(article(1));
    const { feedId } = await ok<Added>(news.post('/items', article(2)));
    await ok(news.post('/items', { ...article(3), feedTitle: 'App clipper' }));

    const feeds = (await news.feedList()).feeds;
    expect(feeds.map(({ title }) => title).toSorted()).toEqual([
      'App clipper',
      'App clipper',
      'Saved pages',
    ]);
    expect(feeds.find(({ id }) => id === feedId)).toMatchObject({ title: 'Saved pages' });
  });
});

describe('a request', () => {
  it.each([
    [{ title: 'Nothing' }, 'The parameters must have a guid or a url.'],
    [{ items: [article(1), {}] }, 'The parameter "items.1" must have a guid or a url.'],
    [{ url: 'low tide' }, 'The parameter "url" must be an http or https address.'],
  ])('%j is told what is wrong with it', async (body, message) => {
    expect((await send(body)).json).toEqual({ message });
  });

  it.each([
    ['without guid and url', { title: 'Nothing' }],
    ['with another scheme', { url: 'javascript:alert(1)' }],
    ['with an address that is none', { url: 'low tide' }],
    ['without items', { items: [] }],
    ['with a list of something else', { items: 'all' }],
    ['with more than 100 items', { items: Array.from({ length: 101 }, (_, n) => article(n)) }],
    ['with an empty name of the feed', { ...article(1), feedTitle: ' ' }],
    ['with a date that is none', { ...article(1), pubDate: 'yesterday' }],
  ])('%s is refused', async (_, body) => {
    expect((await send(body)).status).toBe(422);
    expect(await feedNames()).toEqual([]);
  });

  it('above 1 MiB is refused', async () => {
    expect((await send({ ...article(1), body: 'x'.repeat(1024 * 1024) })).status).toBe(413);
  });

  it('is stored as a whole or not at all when the feed is full for the day', async () => {
    await add({ items: [1, 2, 3, 4].map(article) });

    const refused = await send({ items: [4, 5, 6, 7].map(article) });

    expect([refused.status, refused.json]).toEqual([
      429,
      {
        message:
          'This feed got 6 new items within a day, as many as this installation allows. Try again tomorrow.',
      },
    ]);
    expect(await news.items()).toHaveLength(4);
    expect((await add({ items: [3, 4, 5].map(article) })).items).toHaveLength(3);
  });

  it('is refused when the user has too many feeds, unless the feed is there', async () => {
    for (const feedTitle of ['a', 'b', 'c']) {
      await add({ ...article(1), feedTitle });
    }

    expect((await send({ ...article(1), feedTitle: 'd' })).status).toBe(422);
    expect((await send({ ...article(2), feedTitle: 'c' })).status).toBe(200);
  });

  it('without consent, of a disabled app, or of a stranger adds nothing', async () => {
    const body = article(1);
    await app.inside(ConsentsService).decide('clipper', ada.credentials.userId, 'refused');

    expect((await send(body)).status).toBe(403);
    expect((await app.asStranger().post(`${NEWS}/items`, body)).status).toBe(401);
    expect((await clipper.as('').call('POST', `${NEWS}/items`, { json: body })).status).toBe(401);
    expect(await feedNames()).toEqual([]);
  });

  it('may come many at once: the feed is created once, and nothing is lost', async () => {
    await Promise.all([1, 2, 3, 4, 5].map((n) => add({ items: [article(n), article('all')] })));

    expect(await feedNames()).toEqual(['App clipper']);
    expect(await news.items()).toHaveLength(6);
  });
});

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { UpdateCycle } from '../../src/news/updater/update-cycle.service.js';
import { rss } from '../support/feed-server.js';
import {
  LEVELS,
  NewsClient,
  ok,
  titles,
  type FeedJson,
  type FolderJson,
  type ItemJson,
} from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import { type TestUser } from '../support/start-app.js';

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;
let admin: NewsClient;
let path: string;
let specs = 0;

beforeAll(async () => {
  admin = new NewsClient(app.asAdmin(), 'v1-3');
});
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/${(specs += 1)}`;
});

function publish(name: string, ...entries: string[]): string {
  const items = entries.map((title) => ({ title, body: `about ${title}` }));
  publisher.publish(`${path}/${name}`, rss({ title: name, link: publisher.url('/'), items }));
  return publisher.url(`${path}/${name}`);
}

const hide = (what: string) => ok(news.call('DELETE', what, { query: { undoable: true } }));
const restoreFeed = async (feed: FeedJson, client = news) =>
  (await ok<{ feeds: FeedJson[] }>(client.post(`/feeds/${feed.id}/restore`))).feeds[0];
const restoreFolder = async (folder: FolderJson, client = news) =>
  (await ok<{ folders: FolderJson[] }>(client.post(`/folders/${folder.id}/restore`))).folders[0];
const age = (table: 'feed' | 'folder', id: number, seconds: number) =>
  app.database.query(
    `update ${table === 'feed' ? 'subscription' : 'folder'}
        set deleted_at = now() - make_interval(secs => $2) where id = $1`,
    [id, seconds],
  );

describe('a feed that was deleted with undo', () => {
  it.each(LEVELS)('disappears from every list and route at once, at level %s', async (level) => {
    const feed = await news.subscribe(publish('a', 'one', 'two'));
    const [item] = await news.items();
    await ok(news.post(`/items/${item?.id}/star`));

    await hide(`/feeds/${feed.id}`);

    const client = new NewsClient(user, level);
    expect(await client.feedList()).toMatchObject({ feeds: [], starredCount: 0 });
    expect(await client.items()).toEqual([]);
    expect(await client.items({ type: 0, id: feed.id })).toEqual([]);
    expect(await client.items({ type: 2 })).toEqual([]);
    expect(await client.changedItems(0)).toEqual([]);
    expect(await client.changedItems(0, { type: 0, id: feed.id })).toEqual([]);
    for (const [method, route, json] of [
      ['POST', `/feeds/${feed.id}/rename`, { feedTitle: 'x' }],
      ['POST', `/feeds/${feed.id}/move`, { folderId: null }],
      ['POST', `/feeds/${feed.id}/read`, { newestItemId: 9 }],
      ['PATCH', `/feeds/${feed.id}`, { pinned: true }],
      ['DELETE', `/feeds/${feed.id}`, {}],
      ['POST', `/items/${item?.id}/read`, {}],
    ] as const) {
      expect([route, (await client.call(method, route, { json })).status]).toEqual([route, 404]);
    }
    // Level v1-2 names an item by its guid, and is not told the id of what is hidden.
    const name = level === 'v1-2' ? item?.guidHash : item?.id;
    expect(await client.star(item as ItemJson)).toMatchObject({
      status: 404,
      json: { message: `There is no item ${name}.` },
    });
  });

  it('is restored with its items, their ids and flags, and its settings', async () => {
    const feed = await news.subscribe(publish('a', 'one', 'two'));
    await ok(news.call('PATCH', `/feeds/${feed.id}`, { json: { pinned: true, ordering: 1 } }));
    const [two, one] = await news.items();
    await ok(news.post(`/items/${one?.id}/star`));
    await ok(news.post(`/items/${two?.id}/read`));
    const before = await news.items();
    await hide(`/feeds/${feed.id}`);

    expect(await restoreFeed(feed)).toMatchObject({
      id: feed.id,
      pinned: true,
      ordering: 1,
      unreadCount: 1,
    });

    expect(await news.items()).toEqual(
      before.map((item) => ({ ...item, lastModified: expect.any(Number) })),
    );
  });

  it('is restored as a change, so that clients that dropped it get every item', async () => {
    const feed = await news.subscribe(publish('a', 'one', 'two'));
    await news.items();
    await hide(`/feeds/${feed.id}`);
    const cursorMicros = await app.nowMicros();
    expect(await news.changedItems(cursorMicros)).toEqual([]);

    await restoreFeed(feed);

    expect(titles(await news.changedItems(cursorMicros))).toEqual(['one', 'two']);
  });

  it('delivers after its return what was published meanwhile, not with other feeds before', async () => {
    const feed = await news.subscribe(publish('a', 'one'));
    const neighbour = await news.subscribe(publish('b', 'near'));
    const before = await news.item('one');
    const other = await app.signIn();
    const others = await new NewsClient(other, 'v1-3').subscribe(publisher.url(`${path}/a`));
    await hide(`/feeds/${feed.id}`);
    publish('a', 'two', 'one');
    await admin.update(other.credentials.userId, others.id);
    publish('b', 'nearer', 'near');
    await admin.update(user.credentials.userId, neighbour.id);
    expect(titles(await news.items())).toEqual(['nearer', 'near']);

    await restoreFeed(feed);

    // Highest id first.
    expect(titles(await news.items())).toEqual(['two', 'nearer', 'near', 'one']);
    expect((await news.item('one')).id).toBe(before.id);
  });

  it('keeps its items unread when all others are marked read meanwhile', async () => {
    const feed = await news.subscribe(publish('a', 'one'));
    const [one] = await news.items();
    await hide(`/feeds/${feed.id}`);
    await ok(news.post('/items/read', { newestItemId: 1000 }));
    await ok(news.post('/items/read/multiple', { itemIds: [one?.id] }));

    await restoreFeed(feed);

    expect(await news.item('one')).toMatchObject({ unread: true });
  });

  it('is removed permanently by the first clean-up after an hour, not sooner', async () => {
    const feed = await news.subscribe(publish('a', 'one'));
    const keepHouse = async () => {
      await app.database.query('delete from housekeeping');
      await app.inside(UpdateCycle).keepHouse();
    };
    await hide(`/feeds/${feed.id}`);
    await age('feed', feed.id, 3500);
    await keepHouse();
    expect(await restoreFeed(feed)).toMatchObject({ id: feed.id });

    await hide(`/feeds/${feed.id}`);
    await age('feed', feed.id, 3700);
    await keepHouse();

    expect((await news.post(`/feeds/${feed.id}/restore`)).status).toBe(404);
  });

  it('is removed at once by before-update of an administrator', async () => {
    const feed = await news.subscribe(publish('a', 'one'));
    await hide(`/feeds/${feed.id}`);

    await ok(admin.get('/cleanup/before-update'));

    expect((await news.post(`/feeds/${feed.id}/restore`)).status).toBe(404);
  });

  it('is removed by a new subscription to its address', async () => {
    const url = publish('a', 'one');
    const feed = await news.subscribe(url);
    await hide(`/feeds/${feed.id}`);

    const again = await news.subscribe(url);

    expect(again.id).not.toBe(feed.id);
    expect((await news.post(`/feeds/${feed.id}/restore`)).status).toBe(404);
  });

  it('is restored by its owner only; restoring an existing feed changes nothing', async () => {
    const feed = await news.subscribe(publish('a', 'one'));
    const [item] = await news.items();
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    const cursorMicros = await app.nowMicros();

    expect(await restoreFeed(feed)).toMatchObject({ id: feed.id });
    expect(await news.changedItems(cursorMicros)).toEqual([]);
    expect(await news.item('one')).toEqual(item);
    await hide(`/feeds/${feed.id}`);
    expect((await stranger.post(`/feeds/${feed.id}/restore`)).status).toBe(404);
    expect(
      (await stranger.call('DELETE', `/feeds/${feed.id}`, { query: { undoable: true } })).status,
    ).toBe(404);
    expect((await news.feedList()).feeds).toEqual([]);
  });

  it('cannot be restored after a deletion without undo', async () => {
    const feed = await news.subscribe(publish('a', 'one'));

    await ok(news.delete(`/feeds/${feed.id}`));

    expect((await news.post(`/feeds/${feed.id}/restore`)).status).toBe(404);
  });
});

describe('a folder that was deleted with undo', () => {
  it('is hidden and restored together with its feeds and their items', async () => {
    const folder = await news.createFolder('Science');
    const inside = await news.subscribe(publish('a', 'one'), folder.id);
    await news.subscribe(publish('b', 'two'));
    const cursorMicros = await app.nowMicros();

    await hide(`/folders/${folder.id}`);

    expect(await news.folders()).toEqual([]);
    expect(titles(await news.items())).toEqual(['two']);
    expect(await news.items({ type: 1, id: folder.id })).toEqual([]);
    expect((await news.post(`/folders/${folder.id}/read`, { newestItemId: 9 })).status).toBe(404);
    expect((await news.put(`/folders/${folder.id}`, { name: 'x' })).status).toBe(404);

    expect(await restoreFolder(folder)).toMatchObject({ id: folder.id, name: 'Science' });

    expect(await news.feed(inside.id)).toMatchObject({ folderId: folder.id, unreadCount: 1 });
    expect(titles(await news.changedItems(cursorMicros))).toEqual(['one']);
  });

  it('does not restore feeds that were deleted before it', async () => {
    const folder = await news.createFolder('Science');
    const earlier = await news.subscribe(publish('a', 'one'), folder.id);
    const together = await news.subscribe(publish('b', 'two'), folder.id);
    await hide(`/feeds/${earlier.id}`);
    await hide(`/folders/${folder.id}`);

    await restoreFolder(folder);

    expect((await news.feedList()).feeds.map(({ id }) => id)).toEqual([together.id]);
  });

  it('allows to restore a single feed, to the root', async () => {
    const folder = await news.createFolder('Science');
    const feed = await news.subscribe(publish('a', 'one'), folder.id);
    await hide(`/folders/${folder.id}`);

    expect(await restoreFeed(feed)).toMatchObject({ folderId: null });
    expect(await news.folders()).toEqual([]);
    await ok(admin.get('/cleanup/before-update'));
    expect(titles(await news.items())).toEqual(['one']);
  });

  it('cannot be restored if its name has been used again', async () => {
    const folder = await news.createFolder('Science');
    await hide(`/folders/${folder.id}`);
    await news.createFolder('Science');

    expect((await news.post(`/folders/${folder.id}/restore`)).status).toBe(409);
  });

  it('cannot be deleted or restored by other users', async () => {
    const folder = await news.createFolder('Science');
    const stranger = new NewsClient(await app.signIn(), 'v1-3');

    expect(
      (await stranger.call('DELETE', `/folders/${folder.id}`, { query: { undoable: true } }))
        .status,
    ).toBe(404);
    await hide(`/folders/${folder.id}`);
    expect((await stranger.post(`/folders/${folder.id}/restore`)).status).toBe(404);
    expect(await restoreFolder(folder)).toMatchObject({ name: 'Science' });
  });

  it('requires credentials', async () => {
    const guest = new NewsClient(app.asStranger(), 'v1-3');

    expect((await guest.post('/folders/1/restore')).status).toBe(401);
    expect((await guest.post('/feeds/1/restore')).status).toBe(401);
  });
});

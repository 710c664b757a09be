import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { LifecyclePace } from '../../src/app-api/apps/lifecycle/lifecycle-pace.service.js';
import { LifecycleService } from '../../src/app-api/apps/lifecycle/lifecycle.service.js';
import { seedItems } from '../../tools/bench/seed-items.js';
import { BOOKMARKS_APP, runBookmarksApp, type BookmarksApp } from '../support/bookmarks-app.js';
import { NewsClient, ok } from '../support/news-client.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

const INFO_XML = new URL('../../examples/bookmarks-app/info.xml', import.meta.url);
const TOKEN = 'the token of the bookmark service';

let gateway: TestApp;
let app: BookmarksApp;
let ada: TestUser;
let news: NewsClient;

beforeAll(async () => {
  gateway = await startApp();
  ada = await gateway.signInOnce('ada');
  news = new NewsClient({ baseUrl: gateway.url, credentials: ada.credentials }, 'v1-3');
  await seedItems(gateway, ada, 2, 2);
  app = await runBookmarksApp(gateway.url, TOKEN);
  gateway.inside(LifecyclePace).pause = async (_milliseconds, signal) => signal?.throwIfAborted();
  await ok(
    gateway.asAdmin().post('/apps/app_api/apps/register', {
      ...BOOKMARKS_APP,
      baseUrl: app.baseUrl,
      infoXml: await readFile(INFO_XML, 'utf8'),
    }),
  );
  await app.line(/enabled: listening/);
  await gateway.inside(LifecycleService).settled();
});
afterAll(async () => {
  await app?.stop();
  await gateway?.stop();
});

async function bookmarks(token = TOKEN): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(app.bookmarksUrl, { headers })).json();
}

async function choose(fieldId: string, value: unknown): Promise<void> {
  await ada.post('/ocs/v2.php/settings/api/declarative/value', {
    app: BOOKMARKS_APP.appId,
    formId: 'bookmarks',
    fieldId,
    value,
  });
}

const star = async (...itemIds: number[]) => {
  await ok(news.change('/items/star/multiple', { itemIds }));
  return app.line(/ItemsStarredEvent/);
};
const unstar = async (...itemIds: number[]) => {
  await ok(news.change('/items/unstar/multiple', { itemIds }));
  return app.line(/ItemsUnstarredEvent/);
};

describe('the bookmarks app', () => {
  it('makes a bookmark of a starred item, and removes it with the star', async () => {
    const item = (await news.items()).find(({ id }) => id === 1);

    expect(await star(1)).toBe('ada: ItemsStarredEvent, 1 sent');
    expect(await bookmarks()).toEqual([
      { key: expect.any(String), url: item?.url, title: item?.title, user: 'ada' },
    ]);

    expect(await unstar(1)).toBe('ada: ItemsUnstarredEvent, 1 sent');
    expect(await bookmarks()).toEqual([]);
  });

  it('sends only the feeds that the user chose', async () => {
    const [chosen] = (await news.feedList()).feeds;
    const items = await news.items();
    await choose('feeds', chosen?.url);

    await star(...items.map(({ id }) => id));

    const expected = items.filter(({ feedId }) => feedId === chosen?.id).map(({ url }) => url);
    const seen = (await bookmarks()) as { url: string }[];
    expect(seen.map(({ url }) => url).toSorted()).toEqual(expected.toSorted());
    await unstar(...items.map(({ id }) => id));
    await choose('feeds', '');
  });

  it('sends nothing of a user who switched it off', async () => {
    await choose('active', false);

    expect(await star(2)).toBe('ada: ItemsStarredEvent, 0 sent');
    expect(await bookmarks()).toEqual([]);
    await choose('active', true);
  });

  it('has a bookmark service that answers only to its token', async () => {
    expect(await bookmarks('another token')).toEqual({ error: 'wrong token' });
  });
});

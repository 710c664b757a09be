import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import { json } from 'node:stream/consumers';
import { rss } from '../support/feed-server.js';
import { NewsClient, ok, type ItemJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';
import { until } from '../support/until.js';

/* Lists whose clients read slowly, or not at all. More bodies than the kernel buffers for a connection. */

const ITEMS = 32;
const BODY_BYTES = 500_000;

const { app, publisher } = await serviceAndPublisher();
let user: TestUser;
let news: NewsClient;

beforeAll(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  publisher.publish(
    '/feed.xml',
    rss({
      title: 'Feed',
      items: Array.from({ length: ITEMS }, (_, n) => ({
        title: `Title ${n}`,
        guid: `${n}`,
        body: '…',
      })),
    }),
  );
  await news.subscribe(publisher.url('/feed.xml'));
  await app.database.query('update article_body set html = repeat($1, $2)', ['x', BODY_BYTES]);
});

const ALL = '/items?batchSize=-1&type=3&getRead=true';

/** A list of the user of which only the head is read. */
async function begunList(path = ALL): Promise<http.IncomingMessage> {
  const { userId, password } = user.credentials;
  const request = http.get(`${app.url}/index.php/apps/news/api/v1-3${path}`, {
    auth: `${userId}:${password}`,
    agent: false,
  });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  expect(response.statusCode).toBe(200);
  return response;
}

const itemsOf = async (list: http.IncomingMessage) =>
  ((await json(list)) as { items: ItemJson[] }).items;

const noConnectionIsUsed = () =>
  until('unused connections', () => app.database.connections().used === 0);

const idsOf = (items: readonly ItemJson[]) => items.map(({ id }) => id);
const NEWEST_FIRST = Array.from({ length: ITEMS }, (_, n) => ITEMS - n);

describe('lists that are not read', () => {
  it.each([
    ['items', ALL],
    ['changed items', '/items/updated?lastModified=0&type=3'],
    ['found items', '/search?query=title&batchSize=1000'],
  ])('of %s hold no connection to the database', async (_what, path) => {
    const list = await begunList(path);

    await noConnectionIsUsed();

    expect(list.complete).toBe(false);
    list.destroy();
  });
});

it('a list that is read slowly hides no change from a client that goes on from its newest stamp', async () => {
  const [before] = await itemsOf(await begunList('/items?batchSize=1&type=3'));
  const list = await begunList();
  await noConnectionIsUsed();
  await ok(news.change(`/items/${ITEMS}/star`));
  // As if both happened five seconds apart.
  await app.database.query(
    'update reader set last_modified_micros = last_modified_micros + 5000000',
  );
  await ok(news.change('/items/1/star'));

  const items = await itemsOf(list);

  expect(idsOf(items)).toEqual(NEWEST_FIRST);
  // The first was sent before the changes, the last was read after them.
  expect([items[0]?.starred, items.at(-1)?.starred]).toEqual([false, true]);
  const cursor = Math.max(...items.map(({ lastModified }) => lastModified));
  expect(cursor).toBe(before?.lastModified);
  const changed = await itemsOf(await begunList(`/items/updated?type=3&lastModified=${cursor}`));
  expect(changed.filter(({ starred }) => starred).map(({ id }) => id)).toEqual([ITEMS, 1]);
});

describe('long bodies', () => {
  it.each([
    ['of a page', '/items?batchSize=10&type=3', NEWEST_FIRST.slice(0, 10)],
    ['of a later page', '/items?batchSize=10&type=3&offset=20', NEWEST_FIRST.slice(13, 23)],
    [
      'with the oldest first',
      '/items?batchSize=10&type=3&oldestFirst=true',
      NEWEST_FIRST.toReversed().slice(0, 10),
    ],
    ['of changed items', '/items/updated?lastModified=0&type=3', NEWEST_FIRST],
  ])('%s are complete', async (_what, path, ids) => {
    const items = await itemsOf(await begunList(path));

    expect(idsOf(items)).toEqual(ids);
    expect(new Set(items.map(({ body }) => body.length))).toEqual(new Set([BODY_BYTES]));
  });

  it('are read three at a time', async () => {
    const read = jest.spyOn(app.database, 'readBytes');

    const items = await itemsOf(await begunList());

    expect(idsOf(items)).toEqual(NEWEST_FIRST);
    // The first three, the ids of the others, and these.
    expect(read).toHaveBeenCalledTimes(2 + Math.ceil((ITEMS - 3) / 3));
    read.mockRestore();
  });
});

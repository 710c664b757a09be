import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { AppPasswordsService } from '../../src/platform/sign-in/app-passwords/app-passwords.service.js';
import { ApiClient } from '../support/api-client.js';
import { rss } from '../support/feed-server.js';
import { feverKey } from '../support/fever-client.js';
import { Places } from '../support/json-places.js';
import { NewsClient, type FeedJson } from '../support/news-client.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';
import type { TestUser } from '../support/start-app.js';

/**
 * Programs that speak the Fever API, as they send their requests and as strictly as they read the
 * answers. Readrops reads JSON in the order in which it is sent.
 */

const { app, publisher } = await serviceAndPublisher();
const admin = new NewsClient(app.asAdmin(), 'v1-2');

const ITEMS = [
  { title: 'plain', guid: 'urn:x:plain', link: 'https://publisher.example/plain' },
  { title: '', guid: 'urn:x:none' },
  { title: 'dated', guid: 'urn:x:dated', pubDate: new Date('1999-01-01T00:00:00Z') },
];

let user: TestUser;
let news: NewsClient;
let key: string;
let feed: FeedJson;
let host: ApiClient;
let folderId: number;
let path: string;
let nextPath = 0;

const publish = (items: readonly (typeof ITEMS)[number][]) =>
  publisher.publish(path, rss({ title: 'Feed', link: publisher.url('/'), items }));

beforeAll(() => {
  publisher.publish(
    '/root.xml',
    rss({ title: 'Root', items: [{ title: 'at the root', guid: 'urn:x:root' }] }),
  );
});

beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  const { userId } = user.credentials;
  const { token } = await app.inside(AppPasswordsService).add(userId, 'reader', { fever: true });
  key = feverKey(userId, token);
  path = `/feed-${nextPath++}.xml`;
  publish(ITEMS);
  folderId = (await news.createFolder('Folder')).id;
  feed = await news.subscribe(publisher.url(path), folderId);
  await news.createFolder('Empty');
  await news.subscribe(publisher.url('/root.xml'));
  host = new ApiClient(app.url);
});

const later = async () => {
  publish([{ title: 'later', guid: 'urn:x:later' }, ...ITEMS]);
  await admin.update(user.credentials.userId, feed.id);
};

const flags = async () =>
  new Map(
    (await news.items({ getRead: true })).map(({ id, unread, starred }) => [
      id,
      { isRead: !unread, isSaved: starred },
    ]),
  );

interface Stored {
  isRead: boolean;
  isSaved: boolean;
}

/** What a program stored: the flags of each item. */
type Stock = Map<number, Stored>;

const newestFirst = (stock: Stock) => new Map([...stock].toSorted(([a], [b]) => b - a));

describe('Readrops', () => {
  const nonEmpty = z.string().min(1);

  /** Selectors are in the query, without `api` but for the login; the key is in a multipart form. */
  async function ask(query: string): Promise<Places> {
    const boundary = 'b0f6a1c2-readrops';
    const answer = await host.call('POST', `/api/fever.php/?${query}`, {
      body: `--${boundary}\r\nContent-Disposition: form-data; name="api_key"\r\nContent-Length: 32\r\n\r\n${key}\r\n--${boundary}--\r\n`,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    expect(answer.status).toBe(200);
    return new Places(answer.json);
  }

  async function isLoggedIn(): Promise<boolean> {
    const answer = await ask('api');
    const auth = answer.skip(1).next();
    answer.skip(1).end();
    return auth === 1;
  }

  const Feed = z.object({
    id: z.int32(),
    title: nonEmpty,
    url: nonEmpty,
    site_url: z.string().nullish(),
  });
  const FeedsGroup = z.object({ group_id: z.int32(), feed_ids: z.string().regex(/^\d+(,\d+)*$/) });

  async function feeds() {
    const answer = await ask('feeds');
    const list = z.array(Feed).parse(answer.skip(3).next());
    const groups = z.array(FeedsGroup).parse(answer.next());
    answer.end();
    return { list, groups };
  }

  /** Its parser never ends at a member of a group that it does not know. */
  async function groups() {
    const Group = z.strictObject({ id: z.int32(), title: nonEmpty });
    return z.array(Group).parse((await ask('groups')).skip(3).next());
  }

  async function ids(selector: 'unread_item_ids' | 'saved_item_ids'): Promise<string[]> {
    const answer = await ask(selector);
    const text = z.string().parse(answer.skip(3).next());
    answer.end();
    return text.split(',');
  }

  const text = z.union([nonEmpty, z.int()]);
  const Item = z.object({
    id: text,
    feed_id: text,
    title: nonEmpty,
    author: z.string().nullish(),
    html: z.string().nullish(),
    url: z.string().nullish(),
    is_read: z.literal([0, 1]),
    is_saved: z.literal([0, 1]),
    created_on_time: z.int(),
  });

  async function items(query: string) {
    const answer = await ask(`items${query}`);
    const list = z.array(Item).parse(answer.skip(4).next());
    answer.end();
    return list;
  }

  function store(stock: Stock, page: z.infer<typeof Item>[]): void {
    for (const { id, is_read: isRead, is_saved: isSaved } of page) {
      stock.set(Number(id), { isRead: isRead === 1, isSaved: isSaved === 1 });
    }
  }

  async function applyIds(stock: Stock): Promise<void> {
    const [unread, saved] = [await ids('unread_item_ids'), await ids('saved_item_ids')];
    for (const [id, stored] of stock) {
      stored.isRead = !unread.includes(String(id));
      stored.isSaved = saved.includes(String(id));
    }
  }

  it('logs in', async () => {
    expect(await isLoggedIn()).toBe(true);
  });

  it('gets feeds, in groups that all exist and have feeds, and icons', async () => {
    const { list, groups: feedsGroups } = await feeds();
    const known = await groups();

    expect(list.map(({ title }) => title).toSorted()).toEqual(['Feed', 'Root']);
    for (const { group_id } of feedsGroups) {
      expect(known.map(({ id }) => id)).toContain(group_id);
    }
    expect(feedsGroups).toContainEqual({ group_id: folderId, feed_ids: String(feed.id) });
    const favicons = await ask('favicons');
    z.array(z.object({ id: z.int32(), data: z.string() })).parse(favicons.skip(3).next());
    favicons.end();
  });

  it('first gets items downwards from the newest unread one, then those since', async () => {
    const stock: Stock = new Map();
    const [newest = ''] = (await ids('unread_item_ids')).toReversed();
    // Its `max_id` leaves out the newest itself, which its next round gets.
    for (let maxId = newest; ;) {
      const page = await items(`&max_id=${maxId}`);
      if (page.length === 0) {
        break;
      }
      store(stock, page);
      maxId = String(Math.min(...page.map(({ id }) => Number(id))));
    }
    await later();
    for (let sinceId = String(Number(newest) - 1); ;) {
      const page = await items(`&since_id=${sinceId}`);
      if (page.length === 0) {
        break;
      }
      store(stock, page);
      sinceId = String(Math.max(...page.map(({ id }) => Number(id))));
    }
    await applyIds(stock);

    expect(newestFirst(stock)).toEqual(await flags());
  });

  it('marks one item after another', async () => {
    const { id } = await news.item('plain');
    await ask(`mark=item&as=read&id=${id}`);
    await ask(`mark=item&as=saved&id=${id}`);
    await ask(`mark=item&as=saved&id=${id}`);
    expect((await flags()).get(id)).toEqual({ isRead: true, isSaved: true });

    await ask(`mark=item&as=unread&id=${id}`);
    await ask(`mark=item&as=unsaved&id=${id}`);
    expect((await flags()).get(id)).toEqual({ isRead: false, isSaved: false });
  });

  it('is not logged in once its app password is revoked', async () => {
    for (const { id } of await app.inside(AppPasswordsService).list(user.credentials.userId)) {
      await app.inside(AppPasswordsService).revoke(user.credentials.userId, id);
    }

    const answer = await ask('api');
    expect(answer.skip(1).next()).toBe(0);
  });
});

describe('Fluent Reader', () => {
  /** The key first, in a form; from a page of another origin. */
  async function ask(query = '', form = ''): Promise<unknown> {
    const answer = await host.call('POST', `/fever/?api${query}`, {
      body: `api_key=${key}${form}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toMatch(/^(\*|null)$/);
    return answer.json;
  }

  const Feeds = z.object({
    feeds: z.array(z.object({ id: z.int(), title: z.string().min(1), url: z.string().min(1) })),
    feeds_groups: z.array(z.object({ group_id: z.int(), feed_ids: z.string().min(1) })),
  });
  const Groups = z.object({ groups: z.array(z.object({ id: z.int(), title: z.string() })) });
  const Items = z.object({
    items: z.array(
      z.object({
        id: z.int(),
        feed_id: z.int(),
        title: z.string(),
        url: z.string(),
        html: z.string(),
        author: z.string(),
        is_read: z.literal([0, 1]),
        is_saved: z.literal([0, 1]),
        created_on_time: z.int(),
      }),
    ),
  });

  /** Downwards from the greatest number there is, until it meets what it has. */
  async function fetchItems(stock: Stock, lastId: number): Promise<number> {
    let min = Number.MAX_SAFE_INTEGER;
    let full: boolean;
    do {
      const { items } = Items.parse(await ask(`&items&max_id=${min}`));
      for (const { id, is_read: isRead, is_saved: isSaved } of items) {
        stock.set(id, { isRead: isRead === 1, isSaved: isSaved === 1 });
      }
      min = Math.min(min, ...items.map(({ id }) => id));
      full = items.length >= 50;
    } while (min > lastId && full);
    return Math.max(lastId, ...stock.keys());
  }

  it('logs in, and gets feeds with their groups', async () => {
    expect(z.object({ auth: z.literal(1) }).safeParse(await ask()).success).toBe(true);

    const { feeds, feeds_groups: feedsGroups } = Feeds.parse(await ask('&feeds'));
    const { groups } = Groups.parse(await ask('&groups'));
    const titles = new Map(groups.map(({ id, title }) => [id, title]));
    const groupOf = (title: string) => {
      const id = String(feeds.find((each) => each.title === title)?.id);
      const of = feedsGroups.find(({ feed_ids }) => feed_ids.split(',').includes(id));
      return titles.get(of?.group_id ?? 0);
    };
    expect(groupOf('Feed')).toBe('Folder');
    expect(groupOf('Root')).toMatch(/\S/);
  });

  it('gets all items, then the new ones, and the flags of the lists', async () => {
    const stock: Stock = new Map();
    const lastId = await fetchItems(stock, 0);
    await later();
    await news.star(await news.item('plain'));
    await news.post(`/items/${(await news.item('dated')).id}/read`);
    await fetchItems(stock, lastId);
    const Ids = z.object({
      unread_item_ids: z.string().optional(),
      saved_item_ids: z.string().optional(),
    });
    const [unread, saved] = await Promise.all([
      ask('&unread_item_ids').then((json) => Ids.parse(json).unread_item_ids?.split(',')),
      ask('&saved_item_ids').then((json) => Ids.parse(json).saved_item_ids?.split(',')),
    ]);
    for (const [id, stored] of stock) {
      stored.isRead = unread?.includes(String(id)) !== true;
      stored.isSaved = saved?.includes(String(id)) === true;
    }

    expect(newestFirst(stock)).toEqual(await flags());
  });

  it('marks items, and a feed up to the next second', async () => {
    const { id } = await news.item('plain');
    await ask('', `&mark=item&as=saved&id=${id}`);
    const before = Math.floor(Date.now() / 1000) + 1;
    await ask('', `&mark=feed&as=read&id=${feed.id}&before=${before}`);

    expect((await flags()).get(id)).toEqual({ isRead: true, isSaved: true });
    expect((await news.feed(feed.id)).unreadCount).toBe(0);
    expect((await news.item('at the root')).unread).toBe(true);
  });
});

describe('Reeder and Unread', () => {
  it('Reeder asks without a key whether there is a Fever: 200 with auth 0', async () => {
    const answer = await host.call('POST', '/fever/?api', { body: '' });

    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ api_version: 3, auth: 0 });
  });

  it('Unread sends everything in the query of a GET', async () => {
    const { id } = await news.item('plain');
    const marked = await host.get(`/fever/?api&mark=item&as=read&id=${id}&api_key=${key}`);
    const { json } = await host.get(`/fever/?api&unread_item_ids&api_key=${key.toUpperCase()}`);

    expect(marked.status).toBe(200);
    const unread = [...(await flags())].filter(([, { isRead }]) => !isRead).map(([item]) => item);
    expect(json).toMatchObject({ auth: 1, unread_item_ids: unread.toReversed().join(',') });
    expect(unread).not.toContain(id);
  });

  it('FeedMe sends everything in the query of a POST without a body', async () => {
    const { json } = await host.call('POST', `/fever/?api&feeds&api_key=${key}`);

    expect(json).toMatchObject({ auth: 1, feeds: [{}, {}] });
  });
});

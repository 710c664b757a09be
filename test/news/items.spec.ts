import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { rss, type RssItem } from '../support/feed-server.js';
import {
  LEVELS,
  NewsClient,
  ok,
  titles,
  type FeedJson,
  type ItemJson,
} from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

const { app, publisher } = await sharedService();
beforeAll(async () => {
  const link = publisher.url('/');
  const items = (name: string) =>
    [3, 2, 1].map((n) => ({
      title: `${name}${n}`,
      guid: `tag:${name}/${n}?x=1`,
      link: publisher.url(`/${name}/${n}`),
      body: `<p>Text of ${name}${n}</p>`,
      author: 'Ada',
      pubDate: new Date(Date.UTC(2026, 0, n)),
    }));
  publisher.publish('/a.xml', rss({ title: 'A', link, items: items('a') }));
  publisher.publish('/b.xml', rss({ title: 'B', link, items: items('b') }));
});

describe.each(LEVELS)('%s items', (level) => {
  let user: TestUser;
  let news: NewsClient;
  let stranger: NewsClient;
  let feedA: FeedJson;
  let folderId: number;
  beforeEach(async () => {
    user = await app.signIn();
    news = new NewsClient(user, level);
    stranger = new NewsClient(await app.signIn(), level);
    folderId = (await news.createFolder('Folder')).id;
    feedA = await news.subscribe(publisher.url('/a.xml'));
    await news.subscribe(publisher.url('/b.xml'), folderId);
  });

  const unreadTitles = async () =>
    titles((await news.items()).filter(({ unread }) => unread)).toSorted();
  const starredTitles = async () =>
    titles((await news.items()).filter(({ starred }) => starred)).toSorted();
  const idsOf = async (...wanted: string[]) =>
    (await news.items()).filter(({ title }) => wanted.includes(title ?? '')).map(({ id }) => id);

  describe('as a list', () => {
    it('[N55] are all of them, newest first, without parameters', async () => {
      const items = await news.items();

      expect(titles(items)).toEqual(['b3', 'b2', 'b1', 'a3', 'a2', 'a1']);
      expect(items.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1]);
    });

    it('[N56] have all fields in their types', async () => {
      const answer = await news.get('/items');

      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(Object.keys(answer.json as object)).toEqual(['items']);
      expect(await news.item('a1')).toEqual({
        id: 1,
        guid: 'tag:a/1?x=1',
        guidHash: md5('tag:a/1?x=1'),
        url: publisher.url('/a/1'),
        title: 'a1',
        author: 'Ada',
        pubDate: Date.UTC(2026, 0, 1) / 1000,
        updatedDate: null,
        body: '<p>Text of a1</p>',
        enclosureMime: null,
        enclosureLink: null,
        mediaThumbnail: null,
        mediaDescription: null,
        feedId: feedA.id,
        unread: true,
        starred: false,
        filtered: false,
        lastModified: expect.any(Number),
        rtl: false,
        fingerprint: md5(`a1${publisher.url('/a/1')}<p>Text of a1</p>`),
        contentHash: md5(`a1${publisher.url('/a/1')}<p>Text of a1</p>Ada`),
      });
    });

    it('[N56] have the same fingerprint exactly if title, address, text and enclosure are the same', async () => {
      const entry = {
        title: 'Same',
        link: publisher.url('/same'),
        body: '<p>Text</p>',
        enclosure: { url: publisher.url('/same.mp3'), type: 'audio/mpeg' },
      };
      const others: Record<string, Partial<RssItem>> = {
        twin: { guid: 'other', author: 'Eve', pubDate: new Date(Date.UTC(2020, 1, 1)) },
        title: { title: 'Other' },
        address: { link: publisher.url('/other') },
        text: { body: '<p>Other</p>' },
        enclosure: { enclosure: { url: publisher.url('/other.mp3'), type: 'audio/mpeg' } },
      };
      const fingerprintIn = async (name: string, item: RssItem) => {
        publisher.publish(`/print-${name}.xml`, rss({ title: name, items: [item] }));
        const { id } = await news.subscribe(publisher.url(`/print-${name}.xml`));
        return (await news.items({ type: 0, id }))[0]?.fingerprint;
      };
      const own = await fingerprintIn('own', entry);

      const same: string[] = [];
      for (const [name, change] of Object.entries(others)) {
        const other = await fingerprintIn(name, { ...entry, ...change });
        same.push(...(other === own ? [name] : []));
      }

      expect(own).toBe(md5(`Same${entry.link}${entry.body}${entry.enclosure.url}`));
      expect(same).toEqual(['twin']);
    });

    it('[N57] have the lower-case MD5 of their guid', async () => {
      for (const item of await news.items()) {
        expect(item.guidHash).toBe(md5(item.guid));
      }
    });

    it('[N58] of one feed; none for a missing feed or one of another user', async () => {
      const foreign = await stranger.subscribe(publisher.url('/a.xml'));

      expect(titles(await news.items({ type: 0, id: feedA.id }))).toEqual(['a3', 'a2', 'a1']);
      expect(await news.items({ type: 0, id: foreign.id })).toEqual([]);
      expect(await news.items({ type: 0, id: 999999 })).toEqual([]);
    });

    it('[N59] of one folder, with 0 for feeds at the root', async () => {
      expect(titles(await news.items({ type: 1, id: folderId }))).toEqual(['b3', 'b2', 'b1']);
      expect(titles(await news.items({ type: 1, id: 0 }))).toEqual(['a3', 'a2', 'a1']);
      expect(await stranger.items({ type: 1, id: folderId })).toEqual([]);
    });

    it('[N60] that are starred, or starred and unread', async () => {
      await news.star(await news.item('a1'));
      await news.star(await news.item('b2'));
      await news.change('/items/read/multiple', { items: await idsOf('a1') });

      expect(titles(await news.items({ type: 2, id: 0 }))).toEqual(['b2', 'a1']);
      expect(titles(await news.items({ type: 2, getRead: false }))).toEqual(['b2']);
    });

    it('[N61] that are unread, by getRead=false or by type 6', async () => {
      await news.change('/items/read/multiple', { items: await idsOf('a1', 'b3') });

      const expected = ['b2', 'b1', 'a3', 'a2'];
      expect(titles(await news.items({ type: 3, getRead: false }))).toEqual(expected);
      expect(titles(await news.items({ type: 6 }))).toEqual(expected);
      expect(titles(await news.items({ type: 0, id: feedA.id, getRead: false }))).toEqual([
        'a3',
        'a2',
      ]);
    });

    it('[N62] are refused for another type with a message', async () => {
      for (const type of [4, 5, 7, -1, 'abc']) {
        const answer = await news.get('/items', { type });

        expect([type, answer.status]).toEqual([type, 422]);
        expect(answer.json).toEqual({ message: expect.stringContaining('type') });
      }
    });

    it('[N63] in batches; -1, 0 or no batch size lists all', async () => {
      expect(titles(await news.items({ batchSize: 2 }))).toEqual(['b3', 'b2']);
      for (const batchSize of [-1, 0]) {
        expect(await news.items({ batchSize })).toHaveLength(6);
      }
    });

    it('[N64] from an offset on, excluding it', async () => {
      expect((await news.items({ offset: 4 })).map(({ id }) => id)).toEqual([3, 2, 1]);
      expect((await news.items({ offset: 4, oldestFirst: true })).map(({ id }) => id)).toEqual([
        5, 6,
      ]);
      expect(await news.items({ offset: 0 })).toHaveLength(6);
      expect((await news.items({ type: 0, id: feedA.id, offset: 3 })).map(({ id }) => id)).toEqual([
        2, 1,
      ]);
      expect(
        (await news.items({ type: 1, id: folderId, offset: 6, batchSize: 1 })).map(({ id }) => id),
      ).toEqual([5]);
    });

    it('start from the newest at offsets that Android and Fluent Reader send', async () => {
      for (const offset of ['9223372036854775807', '9007199254740991']) {
        expect(await news.items({ offset, batchSize: 2 })).toHaveLength(2);
      }
    });

    it.each([
      ['all', {}],
      ['a feed', { type: 0 }],
      ['a folder', { type: 1 }],
      ['unread ones', { getRead: false }],
    ])('[N65] visit %s exactly once by pages while new items arrive', async (_case, query) => {
      const link = publisher.url('/');
      const entries = Array.from({ length: 7 }, (_, n) => ({ title: `page ${n}`, guid: `p${n}` }));
      publisher.publish('/pages.xml', rss({ title: 'Pages', link, items: entries.slice(2) }));
      const feed = await news.subscribe(publisher.url('/pages.xml'), folderId);
      const id = 'type' in query ? (query.type === 0 ? feed.id : folderId) : 0;
      const expected = (await news.items({ ...query, id })).map((item) => item.id);

      const visited: number[] = [];
      for (let offset = 0, page: readonly ItemJson[]; ; offset = visited.at(-1) ?? 0) {
        page = await news.items({ ...query, id, batchSize: 2, offset });
        visited.push(...page.map((item) => item.id));
        publisher.publish('/pages.xml', rss({ title: 'Pages', link, items: entries }));
        await new NewsClient(app.asAdmin(), level).update(user.credentials.userId, feed.id);
        if (page.length === 0) {
          break;
        }
      }

      expect(visited).toEqual(expected);
    });

    it('[N65] end when paged one by one', async () => {
      const visited: number[] = [];
      for (let offset = 0; visited.length < 10; offset = visited.at(-1) ?? 0) {
        const [item] = await news.items({ batchSize: 1, offset });
        if (item === undefined) {
          break;
        }
        visited.push(item.id);
      }

      expect(visited).toEqual([6, 5, 4, 3, 2, 1]);
    });

    it('[N66] oldest first', async () => {
      expect((await news.items({ oldestFirst: true })).map(({ id }) => id)).toEqual([
        1, 2, 3, 4, 5, 6,
      ]);
      expect(
        (await news.items({ type: 1, id: folderId, oldestFirst: true, batchSize: 2 })).map(
          ({ id }) => id,
        ),
      ).toEqual([4, 5]);
    });

    it('[N20] take getRead in every form of true and false', async () => {
      await news.change('/items/read/multiple', { items: [1] });

      for (const getRead of [true, 'true', 1, '1']) {
        expect([getRead, (await news.items({ getRead })).length]).toEqual([getRead, 6]);
      }
      for (const getRead of [false, 'false', 0, '0']) {
        expect([getRead, (await news.items({ getRead })).length]).toEqual([getRead, 5]);
      }
    });

    it('[N17] [N18] read parameters from a JSON body, also on GET', async () => {
      const answer = await news.call('GET', '/items', {
        json: { batchSize: '1', oldestFirst: true },
      });

      expect((answer.json as { items: ItemJson[] }).items.map(({ id }) => id)).toEqual([1]);
    });

    it('[N21] accept a GET with a JSON content type and no body', async () => {
      const answer = await news.call('GET', '/items', {
        headers: { 'content-type': 'application/json; charset=utf-8', cookie: 'JSESSIONID=' },
      });

      expect(answer.status).toBe(200);
    });

    it('are complete when there are many of them', async () => {
      const many = Array.from({ length: 300 }, (_, n) => ({
        title: `m${n}`,
        body: 'x'.repeat(2500),
      }));
      publisher.publish('/many.xml', rss({ title: 'Many', link: publisher.url('/'), items: many }));
      const feed = await news.subscribe(publisher.url('/many.xml'));

      const items = await news.items({ type: 0, id: feed.id, batchSize: -1 });

      expect(titles(items)).toEqual(many.map(({ title }) => title));
    });
  });

  describe('and their flags', () => {
    it('[N76] [N77] are marked read and unread one by one', async () => {
      const read = await news.change('/items/1/read');
      expect([read.status, read.text]).toEqual([200, '[]']);
      expect((await news.item('a1')).unread).toBe(false);

      expect((await news.change('/items/1/unread')).status).toBe(200);
      expect((await news.item('a1')).unread).toBe(true);
    });

    it('[N76] [N77] answer 404 for missing items and those of other users', async () => {
      for (const path of ['/items/999999/read', '/items/999999/unread']) {
        expect((await news.change(path)).status).toBe(404);
      }
      expect((await stranger.change('/items/1/read')).status).toBe(404);
      expect((await news.item('a1')).unread).toBe(true);
    });

    it('[N76] [N78] are starred and unstarred one by one', async () => {
      const item = await news.item('a2');

      const starred = await news.star(item);
      expect([starred.status, starred.text]).toEqual([200, '[]']);
      expect((await news.item('a2')).starred).toBe(true);

      const unstarred = await news.change(
        level === 'v1-2'
          ? `/items/${item.feedId}/${item.guidHash}/unstar`
          : `/items/${item.id}/unstar`,
      );
      expect(unstarred.status).toBe(200);
      expect((await news.item('a2')).starred).toBe(false);
    });

    it('[N76] [N78] answer 404 to starring missing items and those of other users', async () => {
      const missing = { id: 999999, feedId: feedA.id, guidHash: md5('nothing') };
      const item = await news.item('a2');

      expect((await news.star({ ...item, ...missing })).status).toBe(404);
      expect((await stranger.star(item)).status).toBe(404);
      expect((await news.item('a2')).starred).toBe(false);
    });

    it.each([
      ['items', 'POST'],
      ['items', 'PUT'],
      ['itemIds', 'POST'],
      ['itemIds', 'PUT'],
    ])('[N79] [N80] [N82] are changed in bulk by `%s` with %s', async (key, method) => {
      const bulk = async (path: string, ...wanted: string[]) => {
        const answer = await news.call(method, path, { json: { [key]: await idsOf(...wanted) } });
        expect([answer.status, answer.text]).toEqual([200, 'null']);
      };

      await bulk('/items/read/multiple', 'a1', 'a2', 'b1');
      expect(await unreadTitles()).toEqual(['a3', 'b2', 'b3']);
      await bulk('/items/unread/multiple', 'a1');
      expect(await unreadTitles()).toEqual(['a1', 'a3', 'b2', 'b3']);
      await bulk('/items/star/multiple', 'a1', 'b1');
      expect(await starredTitles()).toEqual(['a1', 'b1']);
      await bulk('/items/unstar/multiple', 'b1');
      expect(await starredTitles()).toEqual(['a1']);
    });

    it('[N81] are starred in bulk by the spelling of the synchronisation overview', async () => {
      for (const method of ['PUT', 'POST']) {
        await news.call(method, '/items/starred/multiple', { json: { itemIds: [1, 2] } });
        expect(await starredTitles()).toEqual(['a1', 'a2']);
        await news.call(method, '/items/unstarred/multiple', { json: { itemIds: [1, 2] } });
        expect(await starredTitles()).toEqual([]);
      }
    });

    it('[N83] are starred in bulk by feed and guid hash, with numbers as text', async () => {
      const { guidHash } = await news.item('a3');

      const answer = await news.put('/items/star/multiple', {
        items: [
          { feedId: String(feedA.id), guidHash },
          { feedId: feedA.id, guidHash: md5('nothing') },
          { feedId: feedA.id, guidHash: 'no hash' },
        ],
      });

      expect(answer.status).toBe(200);
      expect(await starredTitles()).toEqual(['a3']);
    });

    it('[N84] skip unknown ids and those of other users, and accept an empty list', async () => {
      const answer = await news.change('/items/read/multiple', { items: [1, '2', 999999, -5] });

      expect(answer.status).toBe(200);
      expect(await unreadTitles()).toEqual(['a3', 'b1', 'b2', 'b3']);
      expect((await news.change('/items/star/multiple', { itemIds: [] })).status).toBe(200);
      await stranger.change('/items/star/multiple', { itemIds: [1] });
      expect(await starredTitles()).toEqual([]);
    });

    it('[N85] accept ten thousand ids in one request', async () => {
      const items = Array.from({ length: 10_000 }, (_, n) => n + 1);

      expect((await news.change('/items/read/multiple', { items })).status).toBe(200);

      expect(await unreadTitles()).toEqual([]);
    });

    it('are changed in bulk by bodies of more than 1 MiB, on every route', async () => {
      const body = JSON.stringify({ itemIds: await idsOf('a1') }).padEnd(1024 * 1024 + 1);
      const headers = { 'content-type': 'application/json' };
      const statuses: Record<string, number> = {};
      for (const change of ['read', 'unread', 'star', 'unstar']) {
        const answer = await news.call('POST', `/items/${change}/multiple`, { body, headers });
        statuses[change] = answer.status;
      }

      expect(statuses).toEqual({ read: 200, unread: 200, star: 200, unstar: 200 });
    });

    it('[N86] are all marked read up to the newest item that the client knows, for this user only', async () => {
      await stranger.subscribe(publisher.url('/a.xml'));

      const answer = await news.change('/items/read', { newestItemId: 4 });

      expect([answer.status, answer.text]).toEqual([200, 'null']);
      expect(await unreadTitles()).toEqual(['b2', 'b3']);
      expect((await stranger.feedList()).feeds[0]?.unreadCount).toBe(3);
    });
  });

  describe('that changed', () => {
    const second = (item: ItemJson) => item.lastModified;

    /** All items arrive in one transaction. A later change has another stamp, usually in the same second. */
    const changedAfter = async (change: () => Promise<unknown>, query = {}) => {
      const before = new Map((await news.items()).map((item) => [item.id, item]));
      const since = await app.nowMicros();
      await change();
      const changed = await news.changedItems(since, query);
      return changed.filter(({ id }) => before.has(id));
    };

    it('[N68] are those stamped at or after a second', async () => {
      const item = await news.item('a1');

      expect(titles(await news.changedItems(second(item)))).toContain('a1');
      expect(await news.changedItems(second(item) + 3600)).toEqual([]);
    });

    it('[N69] can be requested in microseconds', async () => {
      const item = await news.item('a1');

      expect(titles(await news.changedItems(second(item) * 1_000_000))).toContain('a1');
      expect(await news.changedItems((second(item) + 3600) * 1_000_000)).toEqual([]);
    });

    it('[N69] include those stamped at that very microsecond', async () => {
      const [reader] = await app.database.query<{ micros: number }>(
        'select last_modified_micros as micros from reader where user_id = $1',
        [user.credentials.userId],
      );

      expect(await news.changedItems(reader?.micros ?? 0)).not.toEqual([]);
      expect(await news.changedItems((reader?.micros ?? 0) + 1)).toEqual([]);
    });

    it('[N70] are all of them since 0, or without a time', async () => {
      expect(await news.changedItems(0)).toHaveLength(6);
      const unasked = await ok<{ items: ItemJson[] }>(news.get('/items/updated'));
      expect(unasked.items.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1]);
    });

    it.each([
      ['read', 'items/read/multiple'],
      ['starred', 'items/star/multiple'],
    ])('[N71] include an item that was %s, and only it', async (_flag, path) => {
      const changed = await changedAfter(() => news.change(`/${path}`, { itemIds: [2] }));

      expect(titles(changed)).toEqual(['a2']);
    });

    it('[N71] include one that was marked unread or unstarred', async () => {
      await news.change('/items/read/multiple', { items: [2] });
      await news.change('/items/star/multiple', { itemIds: [3] });

      expect(titles(await changedAfter(() => news.change('/items/2/unread')))).toEqual(['a2']);
      expect(
        titles(await changedAfter(() => news.change('/items/unstar/multiple', { itemIds: [3] }))),
      ).toEqual(['a3']);
    });

    it.each([
      ['a folder', () => `/folders/${folderId}/read`, ['b3', 'b1']],
      ['a feed', () => `/feeds/${feedA.id}/read`, ['a3', 'a2', 'a1']],
      ['everything', () => '/items/read', ['b3', 'b1', 'a3', 'a2', 'a1']],
    ])(
      '[N72] are those that were unread when %s was marked read',
      async (_scope, path, expected) => {
        await news.change('/items/read/multiple', { items: await idsOf('b2') });

        const changed = await changedAfter(() => news.change(path(), { newestItemId: 99 }));

        expect(titles(changed)).toEqual(expected);
      },
    );

    it('[N73] do not include one whose flag stays the same', async () => {
      await news.change('/items/read/multiple', { items: [1] });
      const before = await news.item('a1');

      const changed = await changedAfter(async () => {
        await news.change('/items/1/read');
        await news.change('/items/read/multiple', { items: [1] });
        await news.change('/items/unstar/multiple', { itemIds: [1] });
        await news.change('/items/read', { newestItemId: 1 });
      });

      expect(changed).toEqual([]);
      expect(await news.item('a1')).toEqual(before);
    });

    it('[N74] are not missed by a client that resumes at the newest second it knows', async () => {
      await news.change('/items/read/multiple', { items: [1] });
      const cursor = Math.max(...(await news.changedItems(0)).map(second));

      await news.change('/items/read/multiple', { items: [2] });

      expect(titles(await news.changedItems(cursor))).toEqual(expect.arrayContaining(['a1', 'a2']));
    });

    it('[N75] can be those of a feed, of a folder, or starred, including read ones', async () => {
      await news.change('/items/star/multiple', { itemIds: await idsOf('b1', 'a1') });
      await news.change('/items/read', { newestItemId: 99 });

      expect(titles(await news.changedItems(0, { type: 0, id: feedA.id }))).toEqual([
        'a3',
        'a2',
        'a1',
      ]);
      expect(titles(await news.changedItems(0, { type: 1, id: folderId }))).toEqual([
        'b3',
        'b2',
        'b1',
      ]);
      expect(titles(await news.changedItems(0, { type: 1, id: 0 }))).toEqual(['a3', 'a2', 'a1']);
      expect(titles(await news.changedItems(0, { type: 2 }))).toEqual(['b1', 'a1']);
      expect(await stranger.changedItems(0, { type: 0, id: feedA.id })).toEqual([]);
    });
  });
});

describe('routes of one level only', () => {
  it('v1-3 has no star by guid hash, and v1-2 none by item id', async () => {
    const user = await app.signIn();
    const v12 = new NewsClient(user, 'v1-2');
    const v13 = new NewsClient(user, 'v1-3');
    await v12.subscribe(publisher.url('/a.xml'));
    const item = await v12.item('a1');

    expect((await v13.put(`/items/${item.feedId}/${item.guidHash}/star`)).status).toBe(404);
    expect((await v12.put(`/items/${item.id}/star`)).status).toBe(404);
  });
});

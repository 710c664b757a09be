import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rss, startFeedServer } from '../support/feed-server.js';
import { LEVELS, NewsClient, titles } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { startApp } from '../support/start-app.js';

const { app, publisher } = await sharedService();
beforeAll(() => {
  publisher.publish(
    '/three.xml',
    rss({
      title: 'Three',
      link: publisher.url('/'),
      items: [{ title: 'third' }, { title: 'second' }, { title: 'first' }],
    }),
  );
  publisher.publish(
    '/other.xml',
    rss({ title: 'Other', link: publisher.url('/'), items: [{ title: 'elsewhere' }] }),
  );
  publisher.publish('/empty.xml', rss({ title: 'Empty', link: publisher.url('/'), items: [] }));
});

describe.each(LEVELS)('%s feeds', (level) => {
  let news: NewsClient;
  let stranger: NewsClient;
  beforeEach(async () => {
    news = new NewsClient(await app.signIn(), level);
    stranger = new NewsClient(await app.signIn(), level);
  });

  it('[N35] has no feeds, starred items and newest item in a new account', async () => {
    expect((await news.get('/feeds')).json).toEqual({ feeds: [], starredCount: 0 });
  });

  it('[N36] lists each feed with all fields in their types', async () => {
    await news.subscribe(publisher.url('/three.xml'));

    const { feeds } = await news.feedList();

    expect(feeds).toEqual([
      expect.objectContaining({
        id: expect.any(Number),
        url: publisher.url('/three.xml'),
        title: 'Three',
        added: expect.any(Number),
        nextUpdateTime: expect.any(Number),
        folderId: null,
        unreadCount: 3,
        ordering: 0,
        link: publisher.url('/'),
        pinned: false,
        updateErrorCount: 0,
        lastUpdateError: null,
      }),
    ]);
    // A string in the document; null without an icon, as in the reference.
    expect(feeds[0]).toHaveProperty('faviconLink', null);
  });

  it('[N36] lists pinned feeds before others, and both by title', async () => {
    const feeds = new Map<string, number>();
    for (const title of ['b', 'C', 'a', 'D']) {
      publisher.publish(`/${title}.xml`, rss({ title, link: publisher.url('/'), items: [] }));
      feeds.set(title, (await news.subscribe(publisher.url(`/${title}.xml`))).id);
    }
    for (const title of ['b', 'D']) {
      await news.call('PATCH', `/feeds/${feeds.get(title)}`, { json: { pinned: true } });
    }

    expect((await news.feedList()).feeds.map(({ title }) => title)).toEqual(['b', 'D', 'a', 'C']);
  });

  it('schedules the next fetch within the configured interval, in spite of jitter', async () => {
    for (let n = 0; n < 20; n += 1) {
      publisher.publish(
        `/slow-${n}.xml`,
        rss({ title: 'Slow', link: publisher.url('/'), items: [] }),
      );
      await news.subscribe(publisher.url(`/slow-${n}.xml`));
    }

    const nowSeconds = (await app.nowMicros()) / 1_000_000;
    for (const { nextUpdateTime } of (await news.feedList()).feeds) {
      // The default of GATEFOLD_UPDATE_INTERVAL_SECONDS.
      expect(nextUpdateTime).toBeLessThanOrEqual(Math.ceil(nowSeconds) + 3600);
    }
  });

  it('[N37] [N38] counts unread items per feed and starred items, and reports the newest item', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));
    const third = await news.item('third');
    await news.star(await news.item('second'));
    await news.change(`/items/${third.id}/read`);

    const list = await news.feedList();

    expect(list.feeds.find(({ id }) => id === feed.id)?.unreadCount).toBe(2);
    expect(list.starredCount).toBe(1);
    expect(list.newestItemId).toBe(third.id);
  });

  it('[N39] [N47] subscribes, and returns the feed and the newest item', async () => {
    const answer = await news.post('/feeds', { url: publisher.url('/three.xml') });

    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      feeds: [expect.objectContaining({ title: 'Three', folderId: null, items: [] })],
      newestItemId: 3,
    });
  });

  it('returns null as next update time at creation, and a timestamp in lists', async () => {
    const answer = await news.post('/feeds', { url: publisher.url('/three.xml') });

    expect(answer.json).toMatchObject({ feeds: [{ nextUpdateTime: null }] });
    expect((await news.feedList()).feeds[0]?.nextUpdateTime).toEqual(expect.any(Number));
  });

  it('[N40] puts a feed into the given folder, and at the root for 0, null or none', async () => {
    const folder = await news.createFolder('Science');

    const inFolder = await news.post('/feeds', {
      url: publisher.url('/three.xml'),
      folderId: String(folder.id),
    });
    const atZero = await news.post('/feeds', { url: publisher.url('/other.xml'), folderId: 0 });
    const byQuery = await news.call('POST', '/feeds', {
      query: { url: publisher.url('/empty.xml') },
    });

    const folderIds = [inFolder, atZero, byQuery].map(
      ({ json }) => (json as { feeds: { folderId: number | null }[] }).feeds[0]?.folderId,
    );
    expect(folderIds).toEqual([folder.id, null, null]);
  });

  it('[N41] omits the newest item while the account has none', async () => {
    const answer = await news.post('/feeds', { url: publisher.url('/empty.xml') });

    expect(answer.status).toBe(200);
    expect(answer.json).not.toHaveProperty('newestItemId');
  });

  it('[N42] refuses an existing feed of the user with 409, but not for other users', async () => {
    await news.subscribe(publisher.url('/three.xml'));

    const again = await news.post('/feeds', { url: publisher.url('/three.xml') });

    expect(again.status).toBe(409);
    expect(again.json).toEqual({ message: expect.any(String) });
    expect((await stranger.post('/feeds', { url: publisher.url('/three.xml') })).status).toBe(200);
  });

  it('[N42] refuses an address that redirects permanently to a feed of the user, and the reverse', async () => {
    publisher.redirect('/old-three', '/three.xml', 301);
    publisher.redirect('/older-three', '/old-three', 308);
    publisher.redirect('/for-now', '/three.xml', 302);
    const answers = async (client: NewsClient, ...paths: string[]) => {
      const statuses: number[] = [];
      for (const path of paths) {
        statuses.push((await client.post('/feeds', { url: publisher.url(path) })).status);
      }
      return statuses;
    };

    expect(await answers(news, '/three.xml', '/old-three', '/older-three')).toEqual([
      200, 409, 409,
    ]);
    expect(await answers(stranger, '/old-three', '/older-three', '/three.xml')).toEqual([
      200, 409, 409,
    ]);
    expect(await answers(news, '/for-now')).toEqual([200]);
    expect((await news.feedList()).feeds).toHaveLength(2);
  });

  it.each([
    ['a missing page', '/missing.xml'],
    ['a web page without a feed link', '/page-without-feed.html'],
    ['a document that is not a feed', '/broken.xml'],
  ])('[N43] refuses %s with 422 and a reason', async (_case, path) => {
    publisher.publish('/page-without-feed.html', '<!doctype html><title>Hi</title><p>Hi', {
      contentType: 'text/html',
    });
    publisher.publish('/broken.xml', 'this is not a feed at all');

    const answer = await news.post('/feeds', { url: publisher.url(path) });

    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({ message: expect.stringMatching(/.{10,}/) });
    expect((await news.feedList()).feeds).toEqual([]);
  });

  it('[N43] refuses an unreachable server with 422', async () => {
    const gone = await startFeedServer();
    await gone.close();

    expect((await news.post('/feeds', { url: gone.url('/feed.xml') })).status).toBe(422);
  });

  it('[N44] discovers the feed of a web page', async () => {
    publisher.publish(
      '/page.html',
      '<!doctype html><head><link rel="alternate" type="application/rss+xml" href="three.xml"></head>',
      { contentType: 'text/html' },
    );

    const feed = await news.subscribe(publisher.url('/page.html'));

    expect(feed.url).toBe(publisher.url('/three.xml'));
    expect((await news.post('/feeds', { url: publisher.url('/page.html') })).status).toBe(409);
  });

  it.each(['three.xml', 'ftp://127.0.0.1/x', 'file:///etc/passwd', 'javascript:alert(1)', ''])(
    '[N45] refuses the address "%s" with 422',
    async (url) => {
      expect((await news.post('/feeds', { url })).status).toBe(422);
    },
  );

  it('[N48] refuses an unknown folder or one of another user, and stores no feed', async () => {
    const foreign = await stranger.createFolder('Theirs');

    for (const folderId of [999999, foreign.id]) {
      const answer = await news.post('/feeds', { url: publisher.url('/three.xml'), folderId });
      expect(answer.status).toBe(404);
    }
    expect((await news.feedList()).feeds).toEqual([]);
  });

  it('[N49] deletes a feed with its items; 404 for a deleted feed or one of another user', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));
    expect((await stranger.delete(`/feeds/${feed.id}`)).status).toBe(404);

    const answer = await news.delete(`/feeds/${feed.id}`);

    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect(await news.items()).toEqual([]);
    expect((await news.feedList()).feeds).toEqual([]);
    expect((await news.delete(`/feeds/${feed.id}`)).status).toBe(404);
  });

  it('never reuses ids of deleted items', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));
    const before = (await news.items()).map(({ id }) => id);
    await news.delete(`/feeds/${feed.id}`);

    await news.subscribe(publisher.url('/three.xml'));

    const after = (await news.items()).map(({ id }) => id);
    expect(Math.min(...after)).toBeGreaterThan(Math.max(...before));
  });

  it('[N50] moves a feed to a folder and, with null or 0, back to the root', async () => {
    const folder = await news.createFolder('Science');
    const feed = await news.subscribe(publisher.url('/three.xml'));

    const moved = await news.change(`/feeds/${feed.id}/move`, { folderId: folder.id });
    expect([moved.status, moved.text]).toEqual([200, '[]']);
    expect((await news.feed(feed.id)).folderId).toBe(folder.id);

    for (const folderId of [null, 0]) {
      await news.change(`/feeds/${feed.id}/move`, { folderId: folder.id });
      await news.change(`/feeds/${feed.id}/move`, { folderId });
      expect((await news.feed(feed.id)).folderId).toBeNull();
    }
  });

  it('[N50] leaves a feed where it is without a folder to move it to', async () => {
    const folder = await news.createFolder('Science');
    const feed = await news.subscribe(publisher.url('/three.xml'), folder.id);

    const answers = [
      await news.call('PUT', `/feeds/${feed.id}/move`, { json: {} }),
      await news.call('POST', `/feeds/${feed.id}/move`),
      await news.change(`/feeds/${feed.id}/move`, { folderID: null }),
    ];

    expect(answers.map(({ status, json }) => [status, json])).toEqual(
      answers.map(() => [422, { message: 'The parameter "folderId" is missing.' }]),
    );
    expect((await news.feed(feed.id)).folderId).toBe(folder.id);
  });

  it('[N50] answers 404 for an unknown feed or folder', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));
    const foreign = await stranger.createFolder('Theirs');

    const move = (feedId: number, folderId: number | null) =>
      news.change(`/feeds/${feedId}/move`, { folderId }).then(({ status }) => status);

    expect(await move(999999, null)).toBe(404);
    expect(await move(feed.id, 999999)).toBe(404);
    expect(await move(feed.id, foreign.id)).toBe(404);
  });

  it('[N51] renames a feed, and the next fetch keeps the name', async () => {
    publisher.publish(
      '/renamed.xml',
      rss({ title: 'Before', link: publisher.url('/'), items: [] }),
    );
    const user = await app.signIn();
    news = new NewsClient(user, level);
    const feed = await news.subscribe(publisher.url('/renamed.xml'));

    const answer = await news.change(`/feeds/${feed.id}/rename`, { feedTitle: 'My own' });
    publisher.publish('/renamed.xml', rss({ title: 'After', link: publisher.url('/'), items: [] }));
    await new NewsClient(app.asAdmin(), level).update(user.credentials.userId, feed.id);

    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect((await news.feed(feed.id)).title).toBe('My own');
    expect((await news.change('/feeds/999999/rename', { feedTitle: 'x' })).status).toBe(404);
    expect((await stranger.change(`/feeds/${feed.id}/rename`, { feedTitle: 'x' })).status).toBe(
      404,
    );
  });

  it('[N51] shows a new name as it was given, with what looks like markup', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));
    const feedTitle = '<b onclick="x()">List<T></b> & "more" &amp; &lt;i&gt;';

    await news.change(`/feeds/${feed.id}/rename`, { feedTitle });

    expect((await news.feed(feed.id)).title).toBe(feedTitle);
  });

  it('[N52] marks a feed read up to the newest item that the client knows', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));
    await news.subscribe(publisher.url('/other.xml'));
    const second = await news.item('second');

    const answer = await news.change(`/feeds/${feed.id}/read`, { newestItemId: second.id });

    expect([answer.status, answer.text]).toEqual([200, 'null']);
    const unread = (await news.items()).filter((item) => item.unread);
    expect(titles(unread).toSorted()).toEqual(['elsewhere', 'third']);
    expect((await news.change('/feeds/999999/read', { newestItemId: 9 })).status).toBe(404);
    expect((await stranger.change(`/feeds/${feed.id}/read`, { newestItemId: 9 })).status).toBe(404);
  });

  it('[N53] accepts 2^63-1 as the newest item, in the query of a PUT with an empty object', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));

    const answer = await news.call('PUT', `/feeds/${feed.id}/read`, {
      query: { newestItemId: '9223372036854775807' },
      json: {},
    });

    expect(answer.status).toBe(200);
    expect((await news.feed(feed.id)).unreadCount).toBe(0);
  });

  it('[N54] changes nothing for newest item 0', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));

    expect((await news.change(`/feeds/${feed.id}/read`, { newestItemId: 0 })).status).toBe(200);

    expect((await news.feed(feed.id)).unreadCount).toBe(3);
  });

  it('accepts the methods of both levels on its routes, and no others', async () => {
    const feed = await news.subscribe(publisher.url('/three.xml'));

    expect((await news.post(`/feeds/${feed.id}/rename`, { feedTitle: 'a' })).status).toBe(200);
    expect((await news.put(`/feeds/${feed.id}/rename`, { feedTitle: 'b' })).status).toBe(200);
    expect((await news.get(`/feeds/${feed.id}/read`, { newestItemId: 3 })).status).toBe(405);
    expect((await news.feed(feed.id)).unreadCount).toBe(3);
  });
});

describe('addresses that are not public', () => {
  it('[N46] are refused with 422, directly and after a redirect', async () => {
    const guarded = await startApp({ GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.1/32' });
    try {
      const news = new NewsClient(await guarded.signIn(), 'v1-3');
      publisher.redirect('/inward', 'http://127.0.0.2/feed.xml');
      const refused = [
        'http://127.0.0.2/feed.xml',
        'http://10.0.0.1/feed.xml',
        'http://169.254.169.254/latest/meta-data',
        'http://[::1]/feed.xml',
        'http://2130706434/feed.xml',
        'http://[::ffff:127.0.0.2]/feed.xml',
        publisher.url('/inward'),
      ];

      for (const url of refused) {
        expect([url, (await news.post('/feeds', { url })).status]).toEqual([url, 422]);
      }
      expect((await news.post('/feeds', { url: publisher.url('/three.xml') })).status).toBe(200);
    } finally {
      await guarded.stop();
    }
  });
});

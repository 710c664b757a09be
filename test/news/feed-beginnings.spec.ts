import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { Random } from '../support/histories/random.js';
import { NewsClient, ok, titles, type FeedJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';

const { app, publisher } = await sharedService();
let user: TestUser;
let news: NewsClient;
let admin: NewsClient;
let path: string;
let specs = 0;

beforeAll(() => {
  admin = new NewsClient(app.asAdmin(), 'v1-3');
});
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  path = `/beginning-${(specs += 1)}`;
});

/** Entries by title and day; the document's order is that of the list. */
function publish(entries: readonly (readonly [title: string, day: number])[]): string {
  const items = entries.map(([title, day]) => ({
    title,
    guid: title,
    pubDate: new Date(Date.UTC(2026, 0, day)),
  }));
  publisher.publish(path, rss({ title: 'Beginning', items }));
  return publisher.url(path);
}

const unread = async () =>
  titles(await news.items({ getRead: false }))
    .map(String)
    .toSorted();
const follow = async (url: string, startUnread?: number | null) =>
  (await ok<{ feeds: [FeedJson] }>(news.post('/feeds', { url, folderId: null, startUnread })))
    .feeds[0];
const fetchAgain = (feed: FeedJson) =>
  ok(admin.get('/feeds/update', { userId: user.credentials.userId, feedId: feed.id }));

describe('a new feed', () => {
  it('has all of its items unread, as clients expect', async () => {
    const feed = await follow(
      publish([
        ['b', 2],
        ['a', 1],
      ]),
    );

    expect(await unread()).toEqual(['a', 'b']);
    expect(feed.unreadCount).toBe(2);
  });

  it('has only the wanted number of its newest items unread, and later ones all', async () => {
    const feed = await follow(
      publish([
        ['old', 1],
        ['newest', 9],
        ['middle', 5],
      ]),
      1,
    );

    expect(feed.unreadCount).toBe(1);
    expect(await unread()).toEqual(['newest']);
    expect(await news.items()).toHaveLength(3);

    publish([
      ['late and old', 2],
      ['later', 10],
      ['old', 1],
      ['newest', 9],
      ['middle', 5],
    ]);
    await fetchAgain(feed);
    expect(await unread()).toEqual(['late and old', 'later', 'newest']);
    expect((await news.feedList()).feeds[0]?.unreadCount).toBe(3);
  });

  it('has none unread where none is wanted', async () => {
    await follow(publish([['one', 1]]), 0);

    expect(await unread()).toEqual([]);
    expect(await news.items()).toHaveLength(1);
  });

  it.each([-1, 10_001, 'many'])('refuses %p as a number of unread items', async (startUnread) => {
    const url = publish([['one', 1]]);

    const answer = await news.post('/feeds', { url, folderId: null, startUnread });

    expect(answer.status).toBe(422);
    expect((await news.feedList()).feeds).toEqual([]);
  });

  it('does not change what another user of the source has unread', async () => {
    const url = publish([
      ['b', 2],
      ['a', 1],
    ]);
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    await stranger.subscribe(url);
    await follow(url, 0);

    expect(await stranger.items({ getRead: false })).toHaveLength(2);
    expect(await unread()).toEqual([]);
  });
});

describe('an import', () => {
  const importing = (query: Record<string, string>, ...urls: string[]) =>
    news.call('POST', '/opml/import', {
      query,
      headers: { 'Content-Type': 'text/x-opml' },
      body: `<opml version="2.0"><body>${urls
        .map((url) => `<outline type="rss" text="x" xmlUrl="${url}"/>`)
        .join('')}</body></opml>`,
    });

  it('leaves the wanted number of each feed unread after its first fetch', async () => {
    const url = publish([
      ['c', 3],
      ['b', 2],
      ['a', 1],
    ]);

    await ok(importing({ startUnread: '2' }, url));
    const [feed] = (await news.feedList()).feeds;
    await fetchAgain(feed as FeedJson);

    expect(await unread()).toEqual(['b', 'c']);
    expect((await news.feedList()).feeds[0]?.unreadCount).toBe(2);
  });

  it('leaves everything unread without a number, and refuses a wrong one', async () => {
    const url = publish([
      ['b', 2],
      ['a', 1],
    ]);

    expect((await importing({ startUnread: '-3' }, url)).status).toBe(422);
    await ok(importing({}, url));
    const [feed] = (await news.feedList()).feeds;
    await fetchAgain(feed as FeedJson);

    expect(await unread()).toEqual(['a', 'b']);
  });
});

describe('beginnings of many feeds', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'leave unread what a model says: history %i',
    async (seed) => {
      const random = new Random(seed);
      const expected = new Set<string>();
      const published: [string, number][] = [];
      const start = random.pick([null, 0, 1, 3, 10]) ?? null;
      let feed: FeedJson | null = null;
      for (let round = 0; round < 4; round += 1) {
        const fresh = Array.from({ length: random.below(6) }, (_, n): [string, number] => [
          `${round}/${n}`,
          1 + random.below(28),
        ]);
        published.unshift(...fresh);
        const url = publish(published);
        if (feed === null) {
          feed = await follow(url, start);
          // Entries of one day have the order of the document, which is mostly rising or falling.
          const days = published.map(([, day]) => day);
          const rises = days.filter((day, place) => day > (days[place - 1] ?? day)).length;
          const falls = days.filter((day, place) => day < (days[place - 1] ?? day)).length;
          const direction = rises > falls ? -1 : 1;
          const newest = published
            .map(([title, day], place) => ({ title, day, place }))
            .toSorted((a, b) => b.day - a.day || direction * (a.place - b.place))
            .slice(0, start ?? published.length);
          // An empty document is no beginning yet.
          newest.forEach(({ title }) => expected.add(title));
          if (published.length === 0) {
            return;
          }
        } else {
          await fetchAgain(feed);
          fresh.forEach(([title]) => expected.add(title));
        }
        expect(await unread()).toEqual([...expected].toSorted());
        const [listed] = (await news.feedList()).feeds;
        expect(listed?.unreadCount).toBe(expected.size);
      }
    },
  );
});

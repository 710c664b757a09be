import { beforeEach, describe, expect, it } from '@jest/globals';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, ok, titles, type FeedJson, type ItemJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import { type TestUser } from '../support/start-app.js';

interface FilterJson {
  readonly id: number;
  readonly feedId: number;
  readonly titleKeywords: string;
  readonly bodyKeywords: string;
  readonly urlKeywords: string;
}

type FilteredItemJson = ItemJson & { readonly filtered: boolean };

const { app, publisher } = await sharedService();
let user: TestUser;
let news: NewsClient;
let path: string;
let feeds = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  feeds += 1;
  path = `/${feeds}.xml`;
});

const publish = (items: readonly RssItem[]) =>
  publisher.publish(path, rss({ title: 'Feed', link: publisher.url('/'), items }));

const update = (feed: FeedJson) =>
  new NewsClient(app.asAdmin(), 'v1-3').update(user.credentials.userId, feed.id);

const flagsOf = async (title: string) => {
  const { unread, filtered } = (await news.item(title)) as FilteredItemJson;
  return { unread, filtered };
};

const setFilter = async (feed: FeedJson, keywords: Partial<FilterJson>) =>
  (await ok<{ filter: FilterJson }>(news.post(`/feeds/${feed.id}/filter`, keywords))).filter;

const getFilter = async (feed: FeedJson) =>
  (await ok<{ filter: FilterJson }>(news.get(`/feeds/${feed.id}/filter`))).filter;

/** The response for a feed without a filter. */
const noFilter = (feed: FeedJson) => ({
  feedId: feed.id,
  titleKeywords: '',
  bodyKeywords: '',
  urlKeywords: '',
});

const TAKEN_OUT = { unread: false, filtered: true };
const UNREAD = { unread: true, filtered: false };
const READ = { unread: false, filtered: false };

describe('the filter of a feed', () => {
  it('has empty texts at first, and then those that were set', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));
    expect(await getFilter(feed)).toEqual(noFilter(feed));

    const set = await setFilter(feed, { titleKeywords: 'cat, dog', urlKeywords: '/ads/' });

    expect(set).toEqual({
      id: expect.any(Number),
      feedId: feed.id,
      titleKeywords: 'cat, dog',
      bodyKeywords: '',
      urlKeywords: '/ads/',
    });
    expect(await getFilter(feed)).toEqual(set);
  });

  it('is stored unchanged, including spaces and empty keywords', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));
    const typed = { titleKeywords: 'sponsored, ads', bodyKeywords: ' a ,, b  c,', urlKeywords: '' };

    await setFilter(feed, typed);

    expect(await getFilter(feed)).toMatchObject(typed);
  });

  it('is accepted with the enclosing object of responses, too', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));

    const { filter } = await ok<{ filter: FilterJson }>(
      news.post(`/feeds/${feed.id}/filter`, { filter: { feedId: 1, bodyKeywords: 'x' } }),
    );

    expect(filter).toMatchObject({ feedId: feed.id, bodyKeywords: 'x', titleKeywords: '' });
  });

  it('is removed by a deletion, and by setting empty texts', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));
    await setFilter(feed, { titleKeywords: 'cat' });

    const answer = await news.delete(`/feeds/${feed.id}/filter`);
    expect([answer.status, answer.text]).toEqual([200, '[]']);
    expect(await getFilter(feed)).toEqual(noFilter(feed));

    await setFilter(feed, { titleKeywords: 'cat' });
    expect(await setFilter(feed, { titleKeywords: ' , ' })).toEqual(noFilter(feed));
    expect(await getFilter(feed)).toEqual(noFilter(feed));
    expect((await news.delete(`/feeds/${feed.id}/filter`)).status).toBe(200);
  });

  it.each([
    [{ titleKeywords: 'x'.repeat(129) }, '"titleKeywords" has a keyword longer than 128'],
    [{ bodyKeywords: 'a,'.repeat(101) }, '"bodyKeywords" has at most 100 keywords'],
    [{ urlKeywords: 'a'.repeat(2049) }, '"urlKeywords" has at most 2048 characters'],
    [{ titleKeywords: ['a'] }, '"titleKeywords"'],
  ])('has limits: case %#', async (keywords, message) => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));

    const answer = await news.post(`/feeds/${feed.id}/filter`, keywords);

    expect(answer.status).toBe(422);
    expect(answer.text).toContain(JSON.stringify(message).slice(1, -1));
    expect(await getFilter(feed)).toEqual(noFilter(feed));
  });

  it('belongs to the user of the feed', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));
    await setFilter(feed, { titleKeywords: 'cat' });
    const other = new NewsClient(await app.signIn(), 'v1-3');

    expect((await other.get(`/feeds/${feed.id}/filter`)).status).toBe(404);
    expect((await other.post(`/feeds/${feed.id}/filter`, { titleKeywords: '' })).status).toBe(404);
    expect((await other.delete(`/feeds/${feed.id}/filter`)).status).toBe(404);
    expect(await getFilter(feed)).not.toBeNull();
  });

  it('does not exist at level v1-2', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));

    expect((await new NewsClient(user, 'v1-2').get(`/feeds/${feed.id}/filter`)).status).toBe(404);
  });
});

describe('a new item', () => {
  it('is read and filtered if title, body or address match, otherwise unread', async () => {
    publish([{ title: 'old' }]);
    const feed = await news.subscribe(publisher.url(path));
    await setFilter(feed, { titleKeywords: 'cat', bodyKeywords: 'dog', urlKeywords: '/ads/' });

    publish([
      { title: 'A Cat', guid: '1' },
      { title: 'b', guid: '2', body: '<p>a <b>dog</b> barks</p>' },
      { title: 'c', guid: '3', link: publisher.url('/ads/1') },
      { title: 'd', guid: '4', body: '<p class="dog">cat dogs</p>', link: publisher.url('/1') },
      { title: 'old' },
    ]);
    await update(feed);

    expect(await flagsOf('A Cat')).toEqual(TAKEN_OUT);
    expect(await flagsOf('b')).toEqual(TAKEN_OUT);
    expect(await flagsOf('c')).toEqual(TAKEN_OUT);
    expect(await flagsOf('d')).toEqual(UNREAD);
    expect((await news.feed(feed.id)).unreadCount).toBe(2);
  });

  it('is not affected by filters of other users', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));
    await setFilter(feed, { titleKeywords: 'cat' });
    const other = new NewsClient(await app.signIn(), 'v1-3');
    await other.subscribe(publisher.url(path));

    publish([{ title: 'cat' }]);
    await update(feed);

    expect(await flagsOf('cat')).toEqual(TAKEN_OUT);
    expect(await other.item('cat')).toMatchObject(UNREAD);
  });

  it('is evaluated again when it changes', async () => {
    publish([
      { title: 'a cat', guid: '1' },
      { title: 'a fish', guid: '2' },
      { title: 'cat again', guid: '3' },
    ]);
    const feed = await news.subscribe(publisher.url(path));
    await setFilter(feed, { titleKeywords: 'cat' });
    await news.change(`/items/${(await news.item('cat again')).id}/unread`);
    const since = await app.nowMicros();

    publish([
      { title: 'a bird', guid: '1' },
      { title: 'a fish and a cat', guid: '2' },
      { title: 'cat again and again', guid: '3' },
    ]);
    await update(feed);

    expect(await flagsOf('a bird')).toEqual(READ);
    expect(await flagsOf('a fish and a cat')).toEqual(TAKEN_OUT);
    // Its user has marked it unread, which a change of the article keeps.
    expect(await flagsOf('cat again and again')).toEqual({ unread: true, filtered: true });
    expect(await news.changedItems(since)).toHaveLength(3);
  });

  it('is filtered in large batches, too', async () => {
    publish([]);
    const feed = await news.subscribe(publisher.url(path));
    await setFilter(feed, { bodyKeywords: 'even' });

    publish(
      Array.from({ length: 130 }, (_, n) => ({
        title: `${n}`,
        body: n % 2 === 0 ? 'even' : 'odd',
      })),
    );
    await update(feed);

    const items = (await news.items()) as FilteredItemJson[];
    expect(items).toHaveLength(130);
    expect(
      items.every(
        ({ body, unread, filtered }) => (body === 'odd') === unread && unread !== filtered,
      ),
    ).toBe(true);
  });
});

describe('an existing item', () => {
  it('is filtered when the filter is set, if it is unread, and reported as changed', async () => {
    publish([{ title: 'cat 1' }, { title: 'cat 2' }, { title: 'fish' }]);
    const feed = await news.subscribe(publisher.url(path));
    await news.change(`/items/${(await news.item('cat 1')).id}/read`);
    await news.star(await news.item('cat 2'));
    const since = await app.nowMicros();

    await setFilter(feed, { titleKeywords: 'cat' });

    expect(await flagsOf('cat 1')).toEqual(READ);
    expect(await news.item('cat 2')).toMatchObject({ ...TAKEN_OUT, starred: true });
    expect(await flagsOf('fish')).toEqual(UNREAD);
    expect(titles(await news.changedItems(since))).toEqual(['cat 2']);
  });

  it('stays read but is no longer filtered after the filter is changed or deleted', async () => {
    publish([{ title: 'cat' }, { title: 'dog' }, { title: 'fish' }]);
    const feed = await news.subscribe(publisher.url(path));
    await setFilter(feed, { titleKeywords: 'cat,dog' });
    const since = await app.nowMicros();

    await setFilter(feed, { titleKeywords: 'dog,fish' });

    expect(await flagsOf('cat')).toEqual(READ);
    expect(await flagsOf('dog')).toEqual(TAKEN_OUT);
    expect(await flagsOf('fish')).toEqual(TAKEN_OUT);
    expect(titles(await news.changedItems(since)).toSorted()).toEqual(['cat', 'fish']);

    await news.delete(`/feeds/${feed.id}/filter`);

    expect(await flagsOf('dog')).toEqual(READ);
    expect(await flagsOf('fish')).toEqual(READ);
  });
});

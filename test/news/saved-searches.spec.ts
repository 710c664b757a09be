import { beforeEach, describe, expect, it } from '@jest/globals';
import { rss } from '../support/feed-server.js';
import { GoogleReaderClient, itemNumbers, LABEL, STATE } from '../support/google-reader-client.js';
import { NewsClient, ok, type RowJson } from '../support/news-client.js';
import { sharedService } from '../support/shared-service.js';
import type { TestUser } from '../support/start-app.js';

const { app, publisher } = await sharedService();

interface SearchJson {
  readonly id: number;
  readonly name: string;
  readonly query: string;
  readonly words: string;
  readonly unreadCount: number;
  readonly isCounted: boolean;
  readonly inClients: boolean;
  readonly usedBy: readonly string[];
}

let user: TestUser;
let news: NewsClient;
let feeds = 0;
beforeEach(async () => {
  user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  feeds += 1;
  publisher.publish(
    `/saved-${feeds}.xml`,
    rss({
      title: 'Zoo',
      link: publisher.url('/'),
      items: ['ibis flies', 'ibis walks', 'heron'].map((title) => ({ title })),
    }),
  );
  await news.subscribe(publisher.url(`/saved-${feeds}.xml`));
});

const searches = async () => (await ok<{ searches: SearchJson[] }>(news.get('/searches'))).searches;
const save = async (name: string, query: string, inClients = false): Promise<SearchJson> => {
  const answer = await ok<{ searches: [SearchJson] }>(
    news.post('/searches', { name, query, inClients }),
  );
  return answer.searches[0];
};
const found = async (searchId: number) =>
  (await ok<{ rows: RowJson[] }>(news.get('/search/rows', { searchId }))).rows.map(
    ({ title }) => title,
  );

describe('a saved search', () => {
  it('has its query as it is written by us, in words, and its unread items', async () => {
    const { id } = await save('Birds', 'title:ibis');
    await news.change(`/items/${(await news.item('ibis flies')).id}/read`);

    expect(await searches()).toEqual([
      {
        id,
        name: 'Birds',
        query: 'intitle:ibis',
        words: 'the title has “ibis”',
        unreadCount: 1,
        isCounted: true,
        inClients: false,
        usedBy: [],
      },
    ]);
    expect(await found(id)).toEqual(['ibis flies', 'ibis walks']);
  });

  it('means the same feed after that is renamed', async () => {
    const { id } = await save('Zoo', 'feed:Zoo -heron');
    const [feed] = (await news.feedList()).feeds;
    await ok(news.call('PATCH', `/feeds/${feed?.id}`, { json: { title: 'Garden' } }));

    expect((await searches()).map(({ query }) => query)).toEqual(['feed:Garden -heron']);
    expect(await found(id)).toHaveLength(2);
  });

  it('finds nothing, never more, once its feed is gone', async () => {
    const { id } = await save('Zoo', 'heron OR feed:Zoo');
    const [feed] = (await news.feedList()).feeds;
    publisher.publish('/other.xml', rss({ title: 'Other', items: [{ title: 'heron' }] }));
    await news.subscribe(publisher.url('/other.xml'));
    await ok(news.delete(`/feeds/${feed?.id}`));

    expect(await found(id)).toEqual([]);
  });

  it('is used by others, which keeps it', async () => {
    const birds = await save('Birds', 'ibis');
    const { id } = await save('Flying', 'search:Birds flies');

    expect(await found(id)).toEqual(['ibis flies']);
    expect((await searches()).map(({ usedBy }) => usedBy)).toEqual([['Flying'], []]);
    const refused = await news.delete(`/searches/${birds.id}`);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('is used by')]);

    await ok(news.put(`/searches/${birds.id}`, { name: 'Birds', query: 'heron OR walks' }));
    expect(await found(id)).toEqual([]);
    await ok(news.delete(`/searches/${id}`));
    expect(await ok(news.delete(`/searches/${birds.id}`))).toEqual([]);
    expect(await searches()).toEqual([]);
  });

  it('does not use itself', async () => {
    const { id } = await save('A', 'ibis');
    await save('B', 'search:A');
    const refused = await news.put(`/searches/${id}`, { name: 'A', query: 'x OR search:B' });

    expect([refused.status, refused.json]).toEqual([
      422,
      { message: 'The search "B" uses itself.', at: expect.any(Number) },
    ]);
  });

  it('has a name of its own and a query that can be read', async () => {
    await save('Birds', 'ibis');
    const refused: [object, number, string][] = [
      [{ name: 'Birds', query: 'x' }, 409, 'already exists'],
      [{ name: ' ', query: 'x' }, 422, 'must not be empty'],
      [{ name: 'x'.repeat(256), query: 'x' }, 422, 'at most 255'],
      [{ name: 'y', query: ' ' }, 422, 'at least one condition'],
      [{ name: 'y', query: '(ibis' }, 422, 'bracket'],
      [{ name: 'y', query: 'label:Nowhere' }, 422, 'no label'],
    ];
    for (const [search, status, message] of refused) {
      const answer = await news.post('/searches', search);

      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
    }
    expect(await searches()).toHaveLength(1);
  });

  it('is one of at most 50', async () => {
    for (let n = 0; n < 50; n += 1) {
      await save(`search ${n}`, 'ibis');
    }
    const refused = await news.post('/searches', { name: 'one more', query: 'ibis' });

    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('at most 50')]);
  });

  it('is not there for others', async () => {
    const { id } = await save('Birds', 'ibis');
    const stranger = new NewsClient(await app.signIn(), 'v1-3');
    const query = { name: 'Mine', query: 'x' };

    expect((await ok<{ searches: [] }>(stranger.get('/searches'))).searches).toEqual([]);
    expect((await stranger.put(`/searches/${id}`, query)).status).toBe(404);
    expect((await stranger.delete(`/searches/${id}`)).status).toBe(404);
    expect((await stranger.get('/search/rows', { searchId: id })).status).toBe(404);
    expect((await stranger.get('/search', { searchId: id })).status).toBe(404);
    expect((await searches()).map(({ name }) => name)).toEqual(['Birds']);
  });
});

describe('a saved search in Google Reader clients', () => {
  let client: GoogleReaderClient;
  beforeEach(async () => {
    client = await GoogleReaderClient.of(user);
  });
  const tags = async () =>
    ((await client.get('tag/list')).json as { tags: { id: string }[] }).tags.map(({ id }) => id);
  const stream = `${LABEL}Birds`;
  const titlesOf = async (query: [string, string][] = []) => {
    const ids = itemNumbers(await client.ids(stream, [['n', '100'], ...query]));
    const items = await news.items();
    return ids.map((id) => items.find((item) => item.id === id)?.title).toSorted();
  };

  it('is a label only if its user says so', async () => {
    const { id } = await save('Birds', 'ibis');
    expect(await tags()).not.toContain(stream);
    expect(await titlesOf()).toEqual([]);

    await ok(news.put(`/searches/${id}`, { name: 'Birds', query: 'ibis', inClients: true }));
    expect(await tags()).toContain(stream);
    expect(await titlesOf()).toEqual(['ibis flies', 'ibis walks']);
  });

  it('has unread items, which are marked together', async () => {
    await save('Birds', 'ibis', true);
    await news.change(`/items/${(await news.item('ibis flies')).id}/read`);
    const count = async () =>
      (
        (await client.get('unread-count')).json as { unreadcounts: { id: string; count: number }[] }
      ).unreadcounts.find(({ id }) => id === stream)?.count;

    expect(await titlesOf([['xt', `${STATE}read`]])).toEqual(['ibis walks']);
    expect(await count()).toBe(1);
    await client.post('mark-all-as-read', [['s', stream]]);
    expect(await count()).toBe(0);
    expect((await news.item('heron')) as object).toMatchObject({ unread: true });
  });

  it('is not given to items, renamed or removed', async () => {
    await save('Birds', 'ibis', true);
    const { id } = await news.item('heron');
    const refused = await client.post('edit-tag', [
      ['i', String(id)],
      ['a', stream],
    ]);

    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('saved search')]);
    expect((await client.post('disable-tag', [['s', stream]])).status).not.toBe(200);
    expect(await news.labels()).toEqual([]);
    expect((await searches()).map(({ name }) => name)).toEqual(['Birds']);
  });

  it('does not have the name of a folder or label', async () => {
    await news.createFolder('Taken');
    const refused = await news.post('/searches', { name: 'Taken', query: 'x', inClients: true });

    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('folder')]);
    expect(await save('Taken', 'x')).toMatchObject({ inClients: false });
  });
});

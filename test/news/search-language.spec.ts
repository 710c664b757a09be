import { beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/common/clock.js';
import { SearchIndex } from '../../src/news/reader/search/search-index.service.js';
import { rss, type RssItem } from '../support/feed-server.js';
import { NewsClient, ok, type RowJson } from '../support/news-client.js';
import { EXAMPLE_ARTICLES, NOW, PLACES } from '../support/query-articles.js';
import { ERRORS, SENTENCES } from '../support/query-sentences.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

const { app, publisher } = await serviceAndPublisher();

interface Found {
  readonly rows: readonly RowJson[];
  readonly reading: { readonly canonical: string; readonly words: string };
  readonly isIndexed: boolean;
}

const named = [...EXAMPLE_ARTICLES];
const nameOf = (title: string) => named.find(([, article]) => article.title === title)?.[0] ?? '';
const inOrder = (names: readonly string[]) =>
  named
    .map(([name]) => name)
    .filter((name) => names.includes(name))
    .join(' ');

let news: NewsClient;
let searchId: number;

/** The articles of the examples, of a real user, with their states. */
beforeAll(async () => {
  news = new NewsClient(await app.signIn(), 'v1-3');
  const feeds = Map.groupBy(named, ([, { feedId }]) => feedId);
  const folders = new Map<string, number>();
  for (const [feedId, articles] of feeds) {
    const title = PLACES.feed.find(({ id }) => id === feedId)?.name ?? '';
    const folderName = PLACES.folder.find(({ id }) => id === articles[0]?.[1].folderId)?.name ?? '';
    const folderId = folders.get(folderName) ?? (await news.createFolder(folderName)).id;
    folders.set(folderName, folderId);
    const items = articles.map(([, article]): RssItem => ({
      title: article.title ?? '',
      link: article.url ?? '',
      guid: article.url ?? '',
      body: `<p>${article.text().replace('&', '&amp;')}</p>`,
      pubDate: new Date(article.publishedSeconds * 1000),
      ...(article.author !== null && { author: article.author }),
      ...(article.durationSeconds !== null && {
        enclosure: {
          url: `${article.url}.media`,
          type: article.parts.audio ? 'audio/mpeg' : 'video/mp4',
        },
      }),
      xml:
        article.categories.map((name) => `<category>${name}</category>`).join('') +
        (article.durationSeconds === null
          ? ''
          : `<itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">${article.durationSeconds}</itunes:duration>`),
    }));
    publisher.publish(`/examples-${feedId}.xml`, rss({ title, items }));
    const feed = await news.subscribe(publisher.url(`/examples-${feedId}.xml`), folderId);
    const hidden = articles.find(([, { states }]) => states.filtered)?.[1].title ?? '';
    if (hidden !== '') {
      await ok(
        news.post(`/feeds/${feed.id}/filter`, { titleKeywords: hidden.split(':')[0] ?? '' }),
      );
    }
  }
  await app.inside(SearchIndex).indexPending();
  for (const { id, title } of await news.items()) {
    const article = EXAMPLE_ARTICLES.get(nameOf(title ?? ''));
    if (article?.states.starred === true) {
      await ok(news.post(`/items/${id}/star`));
    }
    if (article?.states.read === true) {
      await ok(news.post(`/items/${id}/read`));
    }
    if (article?.states.labelled === true) {
      await news.label([id], { add: ['Later'] });
    }
  }
  await news.label([(await news.items())[0]?.id ?? 0], { add: ['To do'] });
  await news.label([(await news.items())[0]?.id ?? 0], { remove: ['To do'] });
  app.inside(Clock).now = () => NOW;
  const saved = await ok<{ searches: { id: number }[] }>(
    news.post('/searches', { name: 'example', query: 'example' }),
  );
  searchId = saved.searches[0]?.id ?? 0;
});

const found = (query: Record<string, string | number>) =>
  ok<Found>(news.get('/search/rows', query));

describe('a search over HTTP', () => {
  it.each(SENTENCES)('%j finds %j', async (query, matches) => {
    await ok(news.put(`/searches/${searchId}`, { name: 'example', query }));
    const { rows, isIndexed } = await found({ searchId });

    expect(inOrder(rows.map(({ title }) => nameOf(title)))).toBe(matches);
    expect(isIndexed).toBe(true);
  });

  it.each(ERRORS)('%j cannot be read at %d: %s', async (query, at, message) => {
    for (const [path, more] of [
      ['/search/rows', {}],
      ['/search/reading', {}],
    ] as const) {
      const { status, json } = await news.get(path, { query, ...more });

      expect([status, json]).toEqual([
        422,
        expect.objectContaining({ at, message: expect.stringContaining(message) }),
      ]);
    }
  });

  it('is read back in words and as it is written by us', async () => {
    const { reading } = await found({ query: 'title:deals or tips -"new york" news' });

    expect(reading).toEqual({
      canonical: 'intitle:deals OR tips -"new york" news*',
      words: expect.stringContaining('the title has'),
    });
  });
});

describe('the language', () => {
  const reading = (query: string) =>
    ok<{ canonical: string; hints: string[]; isRule: boolean; ruleProblem: string | null }>(
      news.get('/search/reading', { query }),
    );

  it('is read while it is typed, with hints', async () => {
    expect(await reading('love or intitel:it')).toMatchObject({
      canonical: 'love "or" intitel:it',
      hints: [expect.stringContaining('intitle:')],
      isRule: true,
      ruleProblem: null,
    });
    expect(await reading('quake is:unread')).toMatchObject({
      isRule: false,
      ruleProblem: expect.stringContaining('is:unread is not possible'),
    });
  });

  it('has a list of its fields, with an example in words', async () => {
    const { fields } = await ok<{
      fields: { name: string; example: string; words: string; values: string[] }[];
    }>(news.get('/search/language'));

    expect(fields).toContainEqual({
      name: 'intitle',
      example: 'intitle:deals',
      words: 'the title has “deals”',
      values: [],
    });
    expect(fields.find(({ name }) => name === 'is')?.values).toContain('unread');
    expect(fields.every(({ words }) => words !== '')).toBe(true);
  });
});

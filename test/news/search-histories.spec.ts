import { beforeAll, expect, it } from '@jest/globals';
import { Clock } from '../../src/common/clock.js';
import { replaceLeaves } from '../../src/news/query/bind-places.js';
import { printQuery } from '../../src/news/query/print-query.js';
import { QueryMatcher } from '../../src/news/query/query-matcher.js';
import type { QueriedArticle, Query, UserPlaces } from '../../src/news/query/query.js';
import { QueriedArticlesRepository } from '../../src/news/reader/items/queried-articles.repository.js';
import { UserPlacesRepository } from '../../src/news/reader/items/user-places.repository.js';
import { SearchIndex } from '../../src/news/reader/search/search-index.service.js';
import { rss } from '../support/feed-server.js';
import { anArticle, aQuery, Chance } from '../support/generated-queries.js';
import { histories } from '../support/long.js';
import { naivelyMatches } from '../support/naive-query.js';
import { NewsClient, ok } from '../support/news-client.js';
import { NOW, PLACES } from '../support/query-articles.js';
import { readerOf } from '../support/reader-of.js';
import { serviceAndPublisher } from '../support/service-and-publisher.js';

const { app, publisher } = await serviceAndPublisher();

const ARTICLES = 60;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

let news: NewsClient;
let readerId: number;
let places: UserPlaces;
let articles: ReadonlyMap<number, QueriedArticle>;

beforeAll(async () => {
  const chance = new Chance(57);
  const user = await app.signIn();
  news = new NewsClient(user, 'v1-3');
  const written = chance.some(ARTICLES, ARTICLES, () => anArticle(chance));
  for (const [feedId, items] of Map.groupBy(written, (article) => article.feedId)) {
    const [first] = items;
    const name = PLACES.folder.find(({ id }) => id === first?.folderId)?.name ?? '';
    const { id } =
      (await news.folders()).find((folder) => folder.name === name) ??
      (await news.createFolder(name));
    publisher.publish(
      `/generated-${feedId}.xml`,
      rss({
        title: PLACES.feed.find((feed) => feed.id === feedId)?.name ?? '',
        items: items.map((article, n) => ({
          title: article.title ?? '',
          link: `${article.url}/${n}`,
          guid: `${n}`,
          body: `<p>${escaped(article.text())}</p>`,
          pubDate: new Date(article.publishedSeconds * 1000),
          ...(article.author !== null && { author: article.author }),
          xml: article.categories.map((one) => `<category>${escaped(one)}</category>`).join(''),
        })),
      }),
    );
    await news.subscribe(publisher.url(`/generated-${feedId}.xml`), id);
  }
  const ids = (await news.items()).map(({ id }) => id);
  await news.label(
    ids.filter((id) => id % 3 === 0),
    { add: ['Later'] },
  );
  await news.label(
    ids.filter((id) => id % 5 === 0),
    { add: ['To do'] },
  );
  for (const id of ids.filter((one) => one % 4 === 0)) {
    await ok(news.post(`/items/${id}/${chance.of(['read', 'star'])}`));
  }
  readerId = (await readerOf(app, user.credentials.userId)).id;
  places = await app.inside(UserPlacesRepository).placesOf(readerId);
  articles = await app.inside(QueriedArticlesRepository).ask(readerId, ids, (article) => {
    const text = article.text();
    return { ...article, text: () => text };
  });
  app.inside(Clock).now = () => NOW;
});

/** Its places are those of the user with the same names. */
const asTheirs = (query: Query) =>
  replaceLeaves(query, (leaf) =>
    leaf.kind === 'place' && leaf.id !== null
      ? { ...leaf, id: places[leaf.of].find(({ name }) => name === leaf.name)?.id ?? 0 }
      : leaf,
  );

it.each(['before', 'after'])(
  'searches find what the function decides, and a naive evaluator, %s articles are indexed',
  async (when) => {
    if (when === 'after') {
      await app.inside(SearchIndex).indexPending();
    }
    const chance = new Chance(when.length);
    const { searches } = await ok<{ searches: { id: number }[] }>(
      news.post('/searches', { name: when, query: 'a' }),
    );
    const searchId = searches[0]?.id ?? 0;
    const wrong: unknown[] = [];
    for (let n = 0; n < histories(60, 2000) && wrong.length < 5; n += 1) {
      const query = asTheirs(aQuery(chance, 3));
      const written = printQuery(query, places);
      const matcher = new QueryMatcher(query, { now: NOW, timeZone: 'UTC', places });
      const matching = [...articles].filter(([, article]) => matcher.matches(article));
      const naively = [...articles].filter(([, article]) => naivelyMatches(query, article, NOW));
      await ok(news.put(`/searches/${searchId}`, { name: when, query: written }));
      const { rows } = await ok<{ rows: { id: number }[] }>(
        news.get('/search/rows', {
          searchId,
          batchSize: 500,
          order: chance.of(['date', 'relevance']),
        }),
      );
      const ids = (some: readonly (readonly [number, unknown])[]) =>
        some.map(([id]) => id).toSorted((a, b) => a - b);
      const found = rows.map(({ id }) => id).toSorted((a, b) => a - b);
      if (String(found) !== String(ids(matching)) || String(found) !== String(ids(naively))) {
        wrong.push({ written, found, matching: ids(matching), naively: ids(naively) });
      }
    }

    expect(wrong).toEqual([]);
  },
);

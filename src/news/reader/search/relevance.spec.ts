import { describe, expect, it } from '@jest/globals';
import { NOW, PLACES, queriedArticle } from '../../../../test/support/query-articles.js';
import { RANKED_ARTICLES, RANKED_QUERIES } from '../../../../test/support/relevance-examples.js';
import { parseQuery } from '../../query/parse-query.js';
import { QueryMatcher } from '../../query/query-matcher.js';
import { Relevance } from './relevance.js';

const NOW_SECONDS = NOW.getTime() / 1000;

const articles = RANKED_ARTICLES.map(([title, author, categories, text, days]) => ({
  ...queriedArticle({ title, author, categories, text }),
  publishedSeconds: NOW_SECONDS - days * 86_400,
}));

function firstOf(written: string, isByDate = false): string | null | undefined {
  const query = parseQuery(written);
  const matcher = new QueryMatcher(query, { now: NOW, timeZone: 'UTC', places: PLACES });
  const relevance = new Relevance(query, NOW_SECONDS);
  const found = articles
    .filter((article) => matcher.matches(article))
    .toSorted((a, b) => b.publishedSeconds - a.publishedSeconds);
  return isByDate
    ? found[0]?.title
    : found.toSorted((a, b) => relevance.of(b) - relevance.of(a))[0]?.title;
}

const missedBy = (isByDate: boolean) =>
  RANKED_QUERIES.filter(([query, first]) => firstOf(query, isByDate) !== first).map(
    ([query]) => query,
  );

describe('the most relevant article', () => {
  it('is the expected one for nearly all of 75 queries', () => {
    expect(RANKED_QUERIES).toHaveLength(75);
    expect(missedBy(false)).toEqual(['york', 'c']);
  });

  it('is for every third query another than the newest one', () => {
    expect(missedBy(true).length).toBeGreaterThan(75 / 3);
  });
});

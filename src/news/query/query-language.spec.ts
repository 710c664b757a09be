import { describe, expect, it } from '@jest/globals';
import { EXAMPLE_ARTICLES, NOW, PLACES } from '../../../test/support/query-articles.js';
import { ERRORS, SENTENCES } from '../../../test/support/query-sentences.js';
import { bindPlaces } from './bind-places.js';
import { parseQuery } from './parse-query.js';
import { printQuery } from './print-query.js';
import { QueryError } from './query-error.js';
import { QueryMatcher } from './query-matcher.js';

const bound = (text: string) => bindPlaces(parseQuery(text), PLACES);

function matchesOf(text: string): string {
  const matcher = new QueryMatcher(bound(text), { now: NOW, timeZone: 'UTC', places: PLACES });
  return [...EXAMPLE_ARTICLES]
    .filter(([, article]) => matcher.matches(article))
    .map(([name]) => name)
    .join(' ');
}

describe('a query', () => {
  it.each(SENTENCES)('%j finds %j', (query, matches) => {
    expect(matchesOf(query)).toBe(matches);
  });

  it.each(SENTENCES)('%j is the same query when printed', (query) => {
    const printed = printQuery(bound(query), PLACES);

    expect({ printed, tree: bound(printed) }).toEqual({ printed, tree: bound(query) });
  });

  it.each(ERRORS)('%j cannot be read at %d: %s', (query, at, message) => {
    let error: unknown;
    try {
      bound(query);
    } catch (caught) {
      error = caught;
    }

    expect(error).toBeInstanceOf(QueryError);
    expect(error).toMatchObject({ at, message: expect.stringContaining(message) });
  });
});

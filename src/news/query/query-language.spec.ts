import { describe, expect, it } from '@jest/globals';
import { EXAMPLE_ARTICLES, NOW, PLACES } from '../../../test/support/query-articles.js';
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

/** The sentences of the design, and for its gaps some of our own. */
const SENTENCES: readonly (readonly [query: string, matches: string])[] = [
  ['deals', 'A3'],
  ['deal', 'A2'],
  ['deal*', 'A2 A3'],
  ['intitle:deals', 'A3'],
  ['author:deal', 'A2'],
  ['"kingdom come"', 'A2'],
  ['"kingdom: come"', ''],
  ['kingdom-come', ''],
  ['intitle:"(sponsored)"', 'A3'],
  ['c++', 'A5'],
  ['intitle:c', 'A5 A6'],
  ['intitle:bsd', ''],
  ['intitle:/bsd/i', 'A4'],
  ['intitle:/rules$/', 'A10'],
  ['intitle:/^Love It Or List It/i', 'A7'],
  ['love OR quake tips', 'A7'],
  ['(love OR quake OR resume) -tips', 'A1 A7 A14'],
  ['intitle:(iOS OR iPhone) -intitle:Android', 'A17'],
  ['!intitle:iphone #apps', 'A17'],
  ['NOT intitle:tips feed:"Code & Co"', 'A5 A6 A16'],
  ['resume', 'A13 A14'],
  ['résumé', 'A14'],
  ['cafe', 'A1'],
  ['αθηνα', 'A11'],
  ['"大雨"', 'A12'],
  ['"at&t"', 'A15'],
  ['trump -is:filtered', ''],
  ['#deals', 'A3'],
  ['category:"natural disasters" OR #c++', 'A1 A5'],
  ['category:(apps OR reviews) is:starred', 'A2'],
  ['inurl:/shorts/', 'A8'],
  ['site:youtube.com -duration:<60s', 'A9'],
  ['has:media -duration:>=1m', 'A8'],
  ['words:>800 in:Tech', 'A5 A6'],
  ['after:2026-03-10', 'A1 A3 A8 A9'],
  ['before:2026 OR older_than:3w', 'A14'],
  ['date:2026-03-07', 'A11 A12 A15'],
  ['has:audio older_than:5d', 'A10'],
  ['newer_than:1d has:video', 'A8 A9'],
  ['label:later OR label:"To do"', 'A9'],
  ['is:read folder:(News OR Tech)', 'A4 A15'],
  ['title:50% off', 'A3'],
  ['author:muller', 'A1'],
  ['author:müller', 'A1'],
  ['"d\'un ete"', 'A14'],
  ['', [...EXAMPLE_ARTICLES.keys()].join(' ')],
];

const ERRORS: readonly (readonly [query: string, at: number, message: string])[] = [
  ['(Google', 0, 'bracket is not closed'],
  ['intitle:', 0, 'nothing after intitle:'],
  ['love OR', 7, 'must follow OR'],
  ['*deal', 0, 'cannot begin with *'],
  ['before:2026-13-01', 7, '"2026-13-01" is no date'],
  ['intitle:/(?<!a)b/', 9, 'look-around and back references are not possible'],
  ['"open', 0, 'quotation mark is not closed'],
  ['is:important', 3, 'is:important is unknown'],
  ['a )', 2, 'not opened'],
  ['OR a', 0, 'before OR'],
  ['a AND OR b', 6, 'must follow AND'],
  ['a ()', 2, 'nothing in the brackets'],
  ['intitle:(a author:b)', 11, 'no author: field'],
  ['feed:Nowhere', 5, 'no feed "Nowhere"'],
  ['x older_than:5', 13, '"5" is no time'],
  ['older_than:99999y', 11, 'is no time'],
  ['words:many', 6, 'is no number'],
  ['date:2026-02-30', 5, 'is no date'],
  ['x /a\\bc/', 4, '\\b can only stand at the ends'],
  ['/x.*|/', 1, 'fits everything'],
  ['/(a)\\1/', 4, 'back references'],
  ['/a{1001}/', 2, 'at most 1000'],
  ['/(a{100}){100}/', 1, 'too dear'],
  ['/[a/', 1, 'not closed'],
  ['/a)/', 2, 'not opened'],
  ['/a**/', 2, 'cannot be read'],
  ['has:constructor', 4, 'has:constructor is unknown'],
  ['is:read*', 3, 'is:read* is unknown'],
  ['feed:World*', 5, 'no feed "World*"'],
  ['feed:/World/', 5, 'A pattern is not possible in feed:'],
  ['site:"a b"', 5, 'is no host'],
  ['intitle:""', 8, 'nothing between the quotation marks'],
];

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

import { expect, it } from '@jest/globals';
import { anArticle, aQuery, Chance } from '../../../test/support/generated-queries.js';
import { histories } from '../../../test/support/long.js';
import { indexFinds, naivelyMatches } from '../../../test/support/naive-query.js';
import { NOW, PLACES } from '../../../test/support/query-articles.js';
import { bindPlaces } from './bind-places.js';
import { parseQuery } from './parse-query.js';
import { printQuery } from './print-query.js';
import { QueryMatcher } from './query-matcher.js';
import { QuerySet } from './query-set.js';
import { tokensOf } from './tokens.js';
import { wantedTokens } from './wanted-tokens.js';

/** A test for each, so that none comes near its limit of time on a slow machine. */
const SETS = Array.from({ length: histories(1, 20) }, (_, number) => number);
const ROUNDS = 200;

it.each(SETS)(
  'Generated queries mean the same as for a naive evaluator, in a set, printed, and are found by their tokens: %i',
  async (number) => {
    const owner = { timeZone: 'UTC', places: PLACES };
    const wrong: unknown[] = [];
    for (let round = 0; round < ROUNDS && wrong.length < 5; round += 1) {
      const chance = new Chance(number * ROUNDS + round);
      const articles = chance.some(2, 2, () => anArticle(chance));
      const queries = chance.some(50, 50, () => aQuery(chance, 3));
      const set = new QuerySet();
      const numbers = queries.map((query) => set.add(query, owner));
      for (const article of articles) {
        const matching = await set.matching(article, NOW);
        const tokens = {
          title: tokensOf(article.title ?? ''),
          text: tokensOf(article.text()),
          author: tokensOf(article.author ?? ''),
          category: article.categories.flatMap(tokensOf),
        };
        for (const [n, query] of queries.entries()) {
          const naively = naivelyMatches(query, article, NOW);
          const matches = new QueryMatcher(query, { ...owner, now: NOW }).matches(article);
          const inSet = matching.has(numbers[n] ?? -1);
          const indexed = !matches || indexFinds(wantedTokens(query), tokens);
          if (matches !== naively || inSet !== naively || !indexed) {
            wrong.push({
              query: JSON.stringify(query),
              article: JSON.stringify([
                article.title,
                article.text(),
                article.author,
                article.categories,
                article.url,
              ]),
              naively,
              matches,
              inSet,
              indexed,
            });
          }
        }
      }
      for (const query of queries) {
        const printed = printQuery(query, PLACES);
        const read = bindPlaces(parseQuery(printed), PLACES);
        if (JSON.stringify(read) !== JSON.stringify(query)) {
          wrong.push({ printed, query: JSON.stringify(query), read: JSON.stringify(read) });
        }
      }
    }

    expect(wrong.slice(0, 5)).toEqual([]);
  },
);

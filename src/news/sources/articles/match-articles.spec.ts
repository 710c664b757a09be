import { expect, it } from '@jest/globals';
import { evidenceOf } from '../../feed-parser/items/item-identity.js';
import { matchArticles } from './match-articles.js';

const KEY = 'a'.repeat(32);

function evidence(title: string, day: number, body: string, url: string | null): string {
  return evidenceOf({ title, ownDateSeconds: day * 86_400, body, url });
}

function listed(what: string) {
  const lookup = {
    kind: 'guid',
    hasOwnPage: true,
    keyHash: KEY,
    derivedGuids: [],
    derivedGuidHashes: [],
  } as const;
  return { lookup: { ...lookup, evidence: what }, contentHash: what };
}

function stored(id: number, what: string) {
  const found = { guidHash: KEY, keyHash: null, contentHash: what, evidence: what };
  return { ...found, id, wasListed: true, isRemoved: false };
}

it('An article that is matched already leaves no doubt about those that are left.', () => {
  const withoutLink = stored(1, evidence('A', 1, 'first', null));
  const other = stored(2, evidence('Z', 1, 'second', null));
  const linked = listed(evidence('A', 1, 'first', 'https://example.org/a'));
  // Agrees with one article in title and date, and with the other in date and body.
  const between = listed(evidence('A', 1, 'second', null));

  const matches = matchArticles([linked, between], [withoutLink, other]);

  expect(matches.map(({ article }) => article?.id)).toEqual([1, 2]);
});

it('The only article of a guid needs no evidence; one of several does.', () => {
  const article = stored(1, evidence('A', 1, 'text', null));
  const item = listed(evidence('B', 2, 'other text', null));

  expect(matchArticles([item], [article])).toEqual([{ item, article, byEvidence: false }]);
  expect(matchArticles([item], [article, { ...article, id: 2 }])).toMatchObject([
    { byEvidence: true },
  ]);
});

it('Of articles that are equal, the older one is the item.', () => {
  const same = evidence('A', 1, 'text', null);

  const [match] = matchArticles([listed(same)], [stored(2, same), stored(1, same)]);

  expect(match?.article?.id).toBe(1);
});

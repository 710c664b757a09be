import { describe, expect, it } from '@jest/globals';
import { bindPlaces } from '../../query/bind-places.js';
import { parseQuery } from '../../query/parse-query.js';
import { printQuery } from '../../query/print-query.js';
import type { UserPlaces } from '../../query/query.js';
import { possibleQuery } from './possible-query.js';

const PLACES: UserPlaces = {
  feed: [
    { id: 1, name: 'World' },
    { id: 2, name: 'Radio' },
  ],
  folder: [
    { id: 3, name: 'News' },
    { id: 4, name: 'Audio' },
  ],
  label: [{ id: 5, name: 'Later' }],
  search: [],
};
const HERE = { subscriptionId: 1, folderId: 3 };

const possible = (text: string) =>
  printQuery(possibleQuery(bindPlaces(parseQuery(text), PLACES), HERE), PLACES);

describe('what may match of a query, in one feed,', () => {
  it.each([
    ['quake', 'quake'],
    ['quake feed:World', 'quake'],
    ['quake (folder:News OR feed:Radio)', 'quake'],
    ['(quake feed:Radio) OR storm', 'storm'],
    ['quake -feed:Radio -folder:Audio', 'quake'],
    ['quake label:Later', 'quake'],
    ['quake -label:Later has:label', 'quake'],
    ['quake -(storm is:filtered)', 'quake'],
    ['quake -(storm OR is:filtered)', 'quake -storm'],
    ['quake newer_than:2d after:2026-03-01', 'quake'],
    ['quake ask:"Is it about Greece?"', 'quake'],
    ['intitle:quake has:video words:>100', 'intitle:quake has:video words:>100'],
    ['(quake OR label:Later) has:audio', 'has:audio'],
  ])('%s is %s', (query, expected) => {
    expect(possible(query)).toBe(expected);
  });

  it('is nothing for a query about another feed', () => {
    const query = bindPlaces(parseQuery('quake feed:Radio'), PLACES);

    expect(possibleQuery(query, HERE)).toEqual({ kind: 'not', of: { kind: 'everything' } });
  });
});

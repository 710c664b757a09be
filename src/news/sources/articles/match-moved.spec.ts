import { expect, it } from '@jest/globals';
import { evidenceOf } from '../../feed-parser/items/item-identity.js';
import { matchMoved } from './match-moved.js';

const DAY = 20_000 * 86_400;

/** An entry without a page of its own, and the same one as it was stored under another key. */
function listedAndStored(title: string, ownDateSeconds: number | null, body: string) {
  const evidence = evidenceOf({ title, ownDateSeconds, body, url: null });
  const lookup = {
    kind: 'guid',
    hasOwnPage: false,
    keyHash: 'a'.repeat(32),
    derivedGuids: [],
    derivedGuidHashes: [],
    evidence,
  } as const;
  const listed = { guid: 'new', lookup, url: null, enclosureLink: null };
  const stored = {
    id: 1,
    guid: 'old',
    guidHash: 'b'.repeat(32),
    keyHash: null,
    contentHash: evidence,
    evidence,
    wasListed: true,
    isRemoved: false,
    url: null,
    enclosureLink: null,
  };
  return { listed, stored };
}

it.each([
  ['is found by its title, date and text', 'Tides', DAY, 'High at noon', 1],
  ['is another one without a text, as of a daily column', 'Tides', DAY, '', 0],
  ['is another one without a date', 'Tides', null, 'High at noon', 0],
])('An entry whose key changed %s.', (_what, title, date, body, count) => {
  const { listed, stored } = listedAndStored(title, date, body);

  expect(matchMoved([listed], new Set([listed]), [stored]).size).toBe(count);
});

import { expect, it } from '@jest/globals';
import { DuplicateItems } from './finish-item.js';
import { keyOf } from './item-identity.js';

const NOTHING = { author: null, pubDateSeconds: null, enclosure: null, mediaThumbnail: null };

it('An item is compared with every earlier one, not with the first alone.', () => {
  const duplicates = new DuplicateItems();
  const isRepeated = ([title, html]: readonly [string, string]) => {
    const item = { ...NOTHING, guid: 'g', url: 'https://example.org/', title, html };
    return duplicates.has(item, keyOf(item));
  };
  const items = [
    ['one', 'first'],
    ['two', 'second'],
    ['two', 'second'],
    ['three', 'third'],
  ] as const;

  expect(items.map(isRepeated)).toEqual([false, false, true, false]);
});

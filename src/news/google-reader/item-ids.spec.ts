import { describe, expect, it } from '@jest/globals';
import { decimalItemId, itemIdOf, itemIdsOf, longItemId } from './item-ids.js';

describe('the number of an item', () => {
  it('has 16 decimal digits, and 16 hexadecimal ones with zeros in front', () => {
    expect(decimalItemId(7)).toBe('1000000000000007');
    expect(longItemId(7)).toBe('tag:google.com,2005:reader/item/00038d7ea4c68007');
  });

  it.each([1, 7, 4096, 123_456_789, 2 ** 40, Number.MAX_SAFE_INTEGER - 1])(
    'is read from each form that is written: %d',
    (id) => {
      const long = longItemId(id);
      const hex = long.slice(-16);

      expect(itemIdOf(decimalItemId(id))).toBe(id);
      expect(itemIdOf(long)).toBe(id);
      expect(itemIdOf(hex)).toBe(id);
      expect(itemIdOf(long.replace('/000', '/'))).toBe(id);
    },
  );

  it.each([
    '',
    ' ',
    '7',
    '-1000000000000007',
    '1000000000000000',
    '99999999999999999999',
    'ffffffffffffffff',
    'tag:google.com,2005:reader/item/',
    'tag:google.com,2005:reader/item/2f2',
    'null',
    '１０００',
    '0x38d7ea4c68007',
  ])('is none in "%s"', (text) => {
    expect(itemIdOf(text)).toBeNull();
  });

  it('is read once from many, in their order', () => {
    expect(itemIdsOf([decimalItemId(9), 'x', longItemId(2), longItemId(9)])).toEqual([9, 2]);
  });
});

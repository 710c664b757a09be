import { describe, expect, it } from '@jest/globals';
import { newestItems } from './newest-items.js';

const kept = (dates: readonly (number | null)[], most: number): number[] | null => {
  const positions = newestItems(dates, most);
  return positions && [...positions].sort((a, b) => a - b);
};

describe('a document with too many items', () => {
  it.each<[string, (number | null)[], number[]]>([
    ['listed newest first: the first', [5, 4, 3, 2, 1], [0, 1]],
    ['listed oldest first: the last', [1, 2, 3, 4, 5], [3, 4]],
    ['in no order: those with the newest dates', [2, 5, 1, 4, 3], [1, 3]],
    ['without dates: the first', [null, null, null, null], [0, 1]],
    ['of one date: the first', [7, 7, 7, 7], [0, 1]],
    ['of few ascending dates: the last of the newest', [1, 1, 2, 2, 2], [3, 4]],
    ['undated among dated ones have the date of the one before', [1, null, 3, null, 2], [2, 3]],
    ['undated before the first date have the date of the one after', [null, null, 1, 1], [0, 1]],
    ['undated at the end of oldest first: the last', [1, 2, 3, null, null], [3, 4]],
  ])('%s', (_what, dates, expected) => {
    expect(kept(dates, 2)).toEqual(expected);
  });

  it('keeps all up to the limit', () => {
    expect(newestItems([1, 2], 2)).toBeNull();
    expect(newestItems(Array.from({ length: 2_000 }, () => null))).toBeNull();
    expect(newestItems(Array.from({ length: 2_001 }, () => null))?.size).toBe(2_000);
  });
});

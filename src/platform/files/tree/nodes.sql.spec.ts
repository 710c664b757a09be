import { describe, expect, it } from '@jest/globals';
import { type StoredNode, rowsOfNextPage } from './nodes.sql.js';

const rows = (count: number, propertyBytes: number) =>
  Array.from(
    { length: count },
    () => ({ deadProperties: { '{x}note': 'z'.repeat(propertyBytes) } }) as unknown as StoredNode,
  );

describe('a page of nodes', () => {
  it.each([
    ['500 rows at most', 64, 0, 500],
    ['about a megabyte of properties', 64, 19_000, 50],
    ['8 rows at least', 64, 1_000_000, 8],
    ['8 rows after an empty page', 0, 0, 8],
  ])('has %s', (_what, count, propertyBytes, expected) => {
    expect(rowsOfNextPage(rows(count, propertyBytes))).toBe(expected);
  });
});

import type { StoredNode } from './nodes.sql.js';

export const FIRST_PAGE_ROWS = 64;

const MOST_ROWS = 500;
const LEAST_ROWS = 8;
const PAGE_BYTES = 1_000_000;
/** Of a row without dead properties, about. */
const ROW_BYTES = 1000;

/** So many rows that the next page has about a megabyte; each node may have 64 KiB of dead properties. */
export function rowsOfNextPage(rows: readonly StoredNode[]): number {
  const bytes = rows.reduce(
    (sum, { deadProperties }) =>
      Object.values(deadProperties).reduce((ofNode, { length }) => ofNode + length, sum),
    rows.length * ROW_BYTES,
  );
  const fitting = Math.floor((PAGE_BYTES * rows.length) / Math.max(bytes, 1));
  return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, fitting));
}

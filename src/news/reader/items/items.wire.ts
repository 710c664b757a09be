import type { RowOfBytes } from '../../../database/copy-query.js';

/**
 * The JSON of an item as UTF-8 bytes, one character per byte, like the row.
 *
 * @param row of a list `asJson`
 */
export function itemJson([json, body]: RowOfBytes): string {
  return `${json?.slice(0, -1)},"body":${JSON.stringify(body ?? '')}}`;
}

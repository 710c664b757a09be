import type { RowOfBytes } from '../../../database/copy-query.js';

/**
 * The JSON of an item as UTF-8 bytes, one character per byte, like the row.
 *
 * @param row of a list `asJson`
 */
export function itemJson([json, body, labels]: RowOfBytes): string {
  const ofLabels = labels === null ? '' : `,"labels":${labels}`;
  return `${json?.slice(0, -1)}${ofLabels},"body":${JSON.stringify(body ?? '')}}`;
}

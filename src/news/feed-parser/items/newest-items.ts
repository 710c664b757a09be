/** Items kept of one document. */
export const MOST_ITEMS = 2_000;

/**
 * Chooses the newest `most` items of a document.
 *
 * @param dates as for `newestFirst`
 * @returns positions of the items to keep; null to keep all
 */
export function newestItems(
  dates: readonly (number | null)[],
  most: number = MOST_ITEMS,
): ReadonlySet<number> | null {
  return dates.length <= most ? null : new Set(newestFirst(dates).slice(0, most));
}

/**
 * Orders the items of a document by date. An undated item gets the date of the nearest dated one
 * before it, or else after it. Ties are broken by position: newest first, unless most of the dates
 * ascend.
 *
 * @param dates unix seconds per item in document order, null if undated
 * @returns positions of all items
 */
export function newestFirst(dates: readonly (number | null)[]): number[] {
  const direction = isOldestFirst(dates) ? -1 : 1;
  const filled = withNeighbours(dates);
  const order = filled.map((_, position) => position);
  return order.sort((a, b) => (filled[b] ?? 0) - (filled[a] ?? 0) || direction * (a - b));
}

/** A sentence for the status of the feed; null if all were kept. */
export function describeKept(listed: number): string | null {
  if (listed <= MOST_ITEMS) {
    return null;
  }
  return `${MOST_ITEMS} of ${listed} items of the document were kept: the newest.`;
}

function isOldestFirst(dates: readonly (number | null)[]): boolean {
  const dated = dates.filter((date) => date !== null);
  let rises = 0;
  let falls = 0;
  dated.forEach((date, i) => {
    const next = dated[i + 1] ?? date;
    if (next > date) {
      rises += 1;
    }
    if (next < date) {
      falls += 1;
    }
  });
  return rises > falls;
}

function withNeighbours(dates: readonly (number | null)[]): number[] {
  let nearest = dates.find((date) => date !== null) ?? 0;
  return dates.map((date) => (nearest = date ?? nearest));
}

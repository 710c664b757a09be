/** Most items taken from one document, in every format. */
export const MOST_ITEMS = 2_000;

/**
 * Chooses which items of a document are kept when it lists more than `most`: the newest. An item
 * without a date counts as old as the nearest dated one before it, or else behind it. Where dates do
 * not decide, the place does: publishers list the newest first, unless most of the dates rise.
 *
 * @param dates unix seconds of each item in the order of the document, null where it is not dated
 * @returns the positions of the items to keep; null when all are kept
 */
export function newestItems(
  dates: readonly (number | null)[],
  most: number = MOST_ITEMS,
): ReadonlySet<number> | null {
  if (dates.length <= most) {
    return null;
  }
  const direction = isOldestFirst(dates) ? -1 : 1;
  const filled = withNeighbours(dates);
  const order = filled.map((_, position) => position);
  order.sort((a, b) => (filled[b] ?? 0) - (filled[a] ?? 0) || direction * (a - b));
  return new Set(order.slice(0, most));
}

/** A sentence for the feed's status, null when everything was kept. */
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

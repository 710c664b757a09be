import type { Entry } from './dav.js';

export type SortKey = 'name' | 'size' | 'changed';

export interface EntryOrder {
  readonly key: SortKey;
  readonly descending: boolean;
}

/** Folders first. Names with numbers are in the order of the numbers. */
export function sorted(
  entries: readonly Entry[],
  { key, descending }: EntryOrder,
  locale: string,
): readonly Entry[] {
  return entries.toSorted((a, b) => {
    if (a.isFolder !== b.isFolder) {
      return a.isFolder ? -1 : 1;
    }
    const order = compare(a, b, key, locale);
    return descending ? -order : order;
  });
}

function compare(a: Entry, b: Entry, key: SortKey, locale: string): number {
  if (key === 'size') {
    return a.sizeBytes - b.sizeBytes;
  }
  if (key === 'changed') {
    return a.changed.getTime() - b.changed.getTime();
  }
  return a.name.localeCompare(b.name, locale, { numeric: true });
}

/** The order after a click at a column: the other direction at the second one. */
export function reordered({ key, descending }: EntryOrder, wanted: SortKey): EntryOrder {
  return { key: wanted, descending: key === wanted && !descending };
}

export function withToggled(ids: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(ids);
  if (!next.delete(id)) {
    next.add(id);
  }
  return next;
}

/** Ids of the entries between two places, both included, in either direction. */
export function idsBetween(entries: readonly Entry[], one: number, other: number): number[] {
  return entries.slice(Math.min(one, other), Math.max(one, other) + 1).map(({ fileId }) => fileId);
}

/** @param step of an arrow key to the side; 0: another key @returns undefined for keys that do not move */
export function placeAfter(
  key: string,
  {
    current,
    count,
    perRow,
    step,
  }: Readonly<Record<'current' | 'count' | 'perRow' | 'step', number>>,
): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: current + perRow,
    ArrowUp: current - perRow,
    PageDown: current + 10 * perRow,
    PageUp: current - 10 * perRow,
    Home: 0,
    End: count - 1,
  };
  return perRow > 1 && step !== 0 ? current + step : moves[key];
}

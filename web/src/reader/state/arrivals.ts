import { isBefore } from '../model/entry.js';
import type { ChangedRow, ListOrder } from '../model/items-api.js';
import type { Selection } from '../model/selection.js';

/** @param holds whether an item is in the list of a feed, folder or label, or in another list of all feeds */
export function belongsTo(
  selection: Selection,
  { unreadOnly }: ListOrder,
  item: ChangedRow,
  holds: (selection: Selection, item: ChangedRow) => boolean,
): boolean {
  if (selection.of === 'search' || (unreadOnly && !item.unread)) {
    return false;
  }
  return selection.of === 'starred' ? item.starred : holds(selection, item);
}

/** Without items that follow the last entry of a list with the oldest first, where they appear. */
export function withoutFollowing(
  arrived: ReadonlySet<number>,
  changes: readonly ChangedRow[],
  last: string,
): ReadonlySet<number> {
  const following = changes.filter(({ place }) => isBefore(last, place, true));
  const followingIds = new Set(following.map(({ id }) => id));
  return new Set([...arrived].filter((id) => !followingIds.has(id)));
}

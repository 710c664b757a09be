import type { Board, BoardEntry } from '../model/boards-api.js';

/** What a user may take away of an entry: all of it, what they have added, or nothing. */
export function removable(
  { editor }: Pick<Board, 'editor'>,
  { added }: Pick<BoardEntry, 'added'>,
  { userId, isAdmin }: { readonly userId: string; readonly isAdmin: boolean },
): 'entry' | 'own' | null {
  if (editor || isAdmin) {
    return 'entry';
  }
  return added.some((one) => one.userId === userId) ? 'own' : null;
}

/** The entries after that: one that nobody else has added is gone. */
export function afterRemoval(
  entries: readonly BoardEntry[],
  entryId: number,
  removed: 'entry' | 'own',
  userId: string,
): readonly BoardEntry[] {
  return entries.flatMap((entry) => {
    const added = entry.added.filter((one) => removed === 'own' && one.userId !== userId);
    return entry.id !== entryId ? [entry] : added.length === 0 ? [] : [{ ...entry, added }];
  });
}

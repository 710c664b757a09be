import type { Headline } from './items-api.js';

/** Fewer words are a title that many articles have. */
const FEWEST_WORDS = 5;

type Row = Pick<Headline, 'id' | 'feedId' | 'title' | 'unread' | 'starred' | 'duplicateOf'>;

/** Copies whose story another entry shows, and that need no row of their own. */
export function foldedCopies(entries: readonly Row[]): ReadonlySet<number> {
  const ids = new Set(entries.map(({ id }) => id));
  return new Set(
    entries
      .filter(
        ({ duplicateOf, unread, starred }) =>
          duplicateOf !== undefined && ids.has(duplicateOf) && !unread && !starred,
      )
      .map(({ id }) => id),
  );
}

/** Whether two feeds have an entry of one title, of at least five words. */
export function hasStoryTwice(entries: readonly Pick<Row, 'feedId' | 'title'>[]): boolean {
  const feedOf = new Map<string, number>();
  return entries.some(({ feedId, title }) => {
    const words =
      title
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    const key = words.length < FEWEST_WORDS ? '' : words.join(' ');
    const other = feedOf.get(key) ?? feedId;
    feedOf.set(key, other);
    return key !== '' && other !== feedId;
  });
}

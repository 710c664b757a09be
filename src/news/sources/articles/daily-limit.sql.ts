import type { SqlRunner } from '../../../database/database.js';
import type { ParsedItem } from '../../feed-parser/parsed-feed.js';

/**
 * Takes new articles from the daily limit of a source. A day begins with the first new article after
 * the previous day has ended. To be called under the lock of the source.
 *
 * @param wanted number of new articles in the document
 * @param most limit per day
 * @returns how many of those wanted may be stored now; they are counted
 */
export async function takeFromDailyLimit(
  tx: SqlRunner,
  sourceId: number,
  wanted: number,
  most: number,
): Promise<number> {
  if (wanted === 0) {
    return 0;
  }
  const [row] = await tx.query<{ taken: number }>(
    `with day as (
       select id, day_began_at > now() - interval '1 day' as goes_on, day_articles
         from source where id = $1
     ), room as (
       select id, goes_on, case when goes_on then day_articles else 0 end as before from day
     )
     update source set
       day_began_at = case when room.goes_on then day_began_at else now() end,
       day_articles = room.before + greatest(least($2, $3 - room.before), 0)
      from room where source.id = room.id
     returning day_articles - room.before as taken`,
    [sourceId, wanted, most],
  );
  return row?.taken ?? 0;
}

/** The newest items, in the order of the document; items without a date count as new. */
export function newestOf(items: readonly ParsedItem[], most: number): ReadonlySet<ParsedItem> {
  const ageOf = ({ pubDateSeconds }: ParsedItem) => -(pubDateSeconds ?? Number.MAX_SAFE_INTEGER);
  const ordered =
    items.length <= most ? items : items.toSorted((a, b) => ageOf(a) - ageOf(b)).slice(0, most);
  return new Set(ordered);
}

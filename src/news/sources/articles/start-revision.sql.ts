import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import type { ParsedItem } from '../../feed-parser/parsed-feed.js';
import { announcingSource } from '../../reader/delivery/announcements.sql.js';

/**
 * `$1` source, `$2` new articles that are wanted, `$3` most per day, `$4` whether stored articles or the
 * listing change. A day begins with the first new article after the previous day has ended.
 */
const START_REVISION = prepared(
  'start-revision',
  `with day as (
     select id, day_began_at > now() - interval '1 day' as goes_on, day_articles
       from source where id = $1
   ), room as (
     select id, goes_on, before, greatest(least($2::int, $3::int - before), 0) as taken
       from (select id, goes_on, case when goes_on then day_articles else 0 end as before
               from day) day
   ), revised as (
     update source set
       rev = rev + case when taken > 0 or $4::boolean then 1 else 0 end,
       day_began_at = case when goes_on or $2 = 0 then day_began_at else now() end,
       day_articles = case when $2 = 0 then day_articles else before + taken end
      from room where source.id = room.id
     returning source.id, taken
   )
   select taken, case when taken > 0 or $4 then ${announcingSource('revised.id')} end as announced
     from revised`,
);

/**
 * Takes new articles from the daily limit of a source, and starts a new revision of it if there are any
 * or `isChanged`: inserted and updated articles get that revision. To be called under the lock of the
 * source.
 *
 * @param wanted number of new articles in the document
 * @param mostPerDay limit of new articles
 * @param isChanged whether the document changes stored articles or what is listed
 * @returns how many of those wanted may be stored now; they are counted
 */
export async function startRevision(
  tx: SqlRunner,
  sourceId: number,
  wanted: number,
  mostPerDay: number,
  isChanged: boolean,
): Promise<number> {
  if (wanted === 0 && !isChanged) {
    return 0;
  }
  const [row] = await tx.query<{ taken: number }>(START_REVISION, [
    sourceId,
    wanted,
    mostPerDay,
    isChanged,
  ]);
  return row?.taken ?? 0;
}

/** The newest items, in the order of the document; items without a date count as new. */
export function newestOf(items: readonly ParsedItem[], most: number): ReadonlySet<ParsedItem> {
  const ageOf = ({ pubDateSeconds }: ParsedItem) => -(pubDateSeconds ?? Number.MAX_SAFE_INTEGER);
  const ordered =
    items.length <= most ? items : items.toSorted((a, b) => ageOf(a) - ageOf(b)).slice(0, most);
  return new Set(ordered);
}

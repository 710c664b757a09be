import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import type { ParsedItem } from '../../feed-parser/parsed-feed.js';
import { announcingSource } from '../../reader/delivery/announcements.sql.js';

/** A revision that was started, and what new articles of it get. */
export interface Revision {
  readonly rev: number;
  /** How many of the new articles may be stored now; they are counted. */
  readonly taken: number;
  /** Their ids, rising. The coordinator's sequence makes them, wherever articles are stored. */
  readonly articleIds: readonly number[];
  /** The database's time in unix seconds. */
  readonly nowSeconds: number;
}

/**
 * `$1` source, `$2` new articles that are wanted, `$3` most per day, `$4` whether stored articles or the
 * listing change, `$5` lowest revision. A day begins with the first new article after the previous day has ended.
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
       rev = case when taken > 0 or $4::boolean then greatest(rev + 1, $5::bigint) else rev end,
       day_began_at = case when goes_on or $2 = 0 then day_began_at else now() end,
       day_articles = case when $2 = 0 then day_articles else before + taken end
      from room where source.id = room.id
     returning source.id, taken, rev
   )
   select rev, taken, extract(epoch from now())::bigint as "nowSeconds",
          array(select nextval(pg_get_serial_sequence('article', 'id'))
                  from generate_series(1, taken)) as "articleIds",
          case when taken > 0 or $4 then ${announcingSource('revised.id')} end as announced
     from revised`,
);

const NONE: Revision = { rev: 0, taken: 0, articleIds: [], nowSeconds: 0 };

/**
 * Takes new articles from the daily limit of a source, and starts a new revision of it if there are any
 * or `isChanged`: inserted and updated articles get that revision. To be called under the lock of the
 * source.
 *
 * @param wanted number of new articles in the document
 * @param mostPerDay limit of new articles
 * @param isChanged whether the document changes stored articles or what is listed
 * @param atLeast see `LockedSource.rev`
 */
export async function startRevision(
  tx: SqlRunner,
  sourceId: number,
  wanted: number,
  mostPerDay: number,
  isChanged: boolean,
  atLeast = 0,
): Promise<Revision> {
  if (wanted === 0 && !isChanged) {
    return NONE;
  }
  const [row] = await tx.query<Revision & { articleIds: readonly string[] }>(START_REVISION, [
    sourceId,
    wanted,
    mostPerDay,
    isChanged,
    atLeast,
  ]);
  return row === undefined ? NONE : { ...row, articleIds: row.articleIds.map(Number) };
}

/** The newest items, in the order of the document; items without a date count as new. */
export function newestOf(items: readonly ParsedItem[], most: number): ReadonlySet<ParsedItem> {
  const ageOf = ({ pubDateSeconds }: ParsedItem) => -(pubDateSeconds ?? Number.MAX_SAFE_INTEGER);
  const ordered =
    items.length <= most ? items : items.toSorted((a, b) => ageOf(a) - ageOf(b)).slice(0, most);
  return new Set(ordered);
}

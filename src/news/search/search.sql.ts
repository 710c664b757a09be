import type { SqlRunner } from '../../database/database.js';
import type { Statement } from '../../database/statement.js';
import { queryFor, pairsIn } from './search-query.sql.js';
import {
  pickedByDate,
  placeOf,
  subscriptionConditions,
  withOpenings,
  type RowPage,
} from '../reader/rows/rows.sql.js';
import type { Place } from '../reader/rows/place.js';
import {
  folderCondition,
  itemConditions,
  withContents,
  type ItemSelection,
} from '../reader/items/item-list.sql.js';

/** A source with articles that came or changed since it was indexed up to `searchRev`. */
export interface SourceToIndex {
  readonly id: number;
  readonly rev: number;
  readonly searchRev: number;
}

export interface SearchPage {
  /** Exclusive: ids below it; null starts with the newest. */
  readonly offset: number | null;
  readonly limit: number;
}

/** Counts articles with the words, no further than `most`. By article_search_tsv_index. */
export async function countMatches(
  runner: SqlRunner,
  words: string,
  most: number,
): Promise<number> {
  const params: unknown[] = [];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const found = `select from article_search where tsv @@ (${queryFor(words, bind)}) limit ${bind(most)}`;
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from (${found}) found`,
    params,
  );
  return row?.count ?? 0;
}

/**
 * A page of a user's items whose article has the words, newest first. The planner cannot choose
 * between the two plans, since it does not know a user's share of the articles:
 * - `from-words`: article_search_tsv_index finds all articles with the words, and
 *   item_subscription_id_article_id_unique the user's items among them;
 * - `from-items`: walks the user's items downwards and checks the words of each until the page is
 *   full. For words that many articles have.
 */
export function searchedItems(
  readerId: number,
  words: string,
  selection: ItemSelection,
  { offset, limit }: SearchPage,
  plan: 'from-words' | 'from-items',
): Statement {
  const params: unknown[] = [readerId];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const conditions = ['item.reader_id = $1', ...itemConditions(selection, bind)];
  if (offset !== null) {
    conditions.push(`item.id < ${bind(offset)}`);
  }
  const followed = ['s.reader_id = $1', 's.deleted_at is null'];
  if (selection.of === 'feed') {
    followed.push(`s.id = ${bind(selection.feedId)}`);
  }
  if (selection.of === 'folder') {
    followed.push(folderCondition(selection.folderId, bind));
  }
  const query = queryFor(words, bind);

  // Each `offset 0` is a fence that keeps the planner on the chosen plan.
  const picked =
    plan === 'from-words'
      ? `select item.*
           from (select article_id, source_id from article_search
                  where tsv @@ (${query}) offset 0) found
           join lateral (select id from subscription where source_id = found.source_id
                          union all
                         select subscription_id from former_source
                          where source_id = found.source_id) origin on true
           join subscription s on s.id = origin.id
           join item on item.subscription_id = s.id and item.article_id = found.article_id
          where ${[...conditions, ...followed].join(' and ')}`
      : `select item.* from item
          where ${conditions.join(' and ')}
            and item.subscription_id in (select s.id from subscription s where ${followed.join(' and ')})
            and exists (select from article_search found
                         where found.article_id = item.article_id and found.tsv @@ (${query}) offset 0)`;
  return {
    sql: withContents(`${picked} order by item.id desc limit ${bind(limit)}`, 'desc'),
    params,
  };
}

export type FoundPage = Omit<RowPage, 'oldestFirst'>;

/** An item of a stretch. */
export interface StretchItem extends Place {
  readonly articleId: number;
}

/** The user's items among the articles with the words. By item_subscription_id_article_id_unique. */
function itemsWithWords(words: string, selection: ItemSelection, bind: Bind, most: string): string {
  return `select item.id, item.date_seconds
            from (select article_id, source_id from article_search
                   where tsv @@ (${queryFor(words, bind)}) ${most}) found
            join subscription s on s.source_id = found.source_id
            join item on item.subscription_id = s.id and item.article_id = found.article_id
           where ${[
             'item.reader_id = $1',
             ...itemConditions(selection, bind),
             ...subscriptionConditions(selection, bind),
           ].join(' and ')}`;
}

type Bind = (value: unknown) => string;

/** A page by date of the items whose article has the words, newest first. By article_search_tsv_index. */
export async function listFound(
  runner: SqlRunner,
  readerId: number,
  words: string,
  selection: ItemSelection,
  { after, limit }: FoundPage,
): Promise<Place[]> {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const found = itemsWithWords(words, selection, bind, 'offset 0');
  const from = after === null ? '' : ` and (item.date_seconds, item.id) < ${placeOf(after, bind)}`;
  return runner.query<Place>(
    `select id, date_seconds as "dateSeconds" from (${found}${from}) item
      order by date_seconds desc, id desc limit ${bind(limit)}`,
    params,
  );
}

/** A stretch of a list by date, newest first. */
export function stretch(
  readerId: number,
  selection: ItemSelection,
  { after, limit }: FoundPage,
): Statement {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const picked = pickedByDate(selection, { oldestFirst: false, after, limit }, bind);
  const sql = `select item.id, item.date_seconds as "dateSeconds", item.article_id as "articleId"
                 from (${picked}) item
                order by item.date_seconds desc, item.id desc`;
  return { sql, params };
}

/**
 * Those of these articles that have the words, by article_search_pkey. The function of the operator `@@`
 * keeps the planner from reading all articles with the words by article_search_tsv_index.
 */
export async function articlesWithWords(
  runner: SqlRunner,
  words: string,
  articleIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const params: unknown[] = [articleIds];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const rows = await runner.query<{ id: number }>(
    `select article_id as id from article_search
      where article_id = any($1::bigint[]) and ts_match_vq(tsv, ${queryFor(words, bind)})`,
    params,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Articles with the words of which a user's are counted. */
const MOST_COUNTED_ARTICLES = 20_000;

/** Counts the items whose article has the words, no further than `most`. */
export async function countFound(
  runner: SqlRunner,
  readerId: number,
  words: string,
  selection: ItemSelection,
  most: number,
): Promise<number> {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const found = itemsWithWords(words, selection, bind, `limit ${MOST_COUNTED_ARTICLES}`);
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from (${found} limit ${bind(most)}) found`,
    params,
  );
  return row?.count ?? 0;
}

/** Characters of a body in which the words are looked for. */
const SEARCHED_CHARACTERS = 20_000;

/** What the rows of some items show, newest first, with long openings. */
export function foundRows(readerId: number, itemIds: readonly number[]): Statement {
  const picked = 'select * from item where reader_id = $1 and id = any($2::bigint[])';
  return { sql: withOpenings(picked, false, SEARCHED_CHARACTERS), params: [readerId, itemIds] };
}

/** By source_to_index_for_search_index, a partial index of exactly these sources. */
export async function listSourcesToIndex(
  runner: SqlRunner,
  limit: number,
): Promise<SourceToIndex[]> {
  return runner.query<SourceToIndex>(
    `select id, rev, search_rev as "searchRev" from source where rev > search_rev order by id limit $1`,
    [limit],
  );
}

/**
 * Those of a reader's sources whose index is not current. From now on all of them are kept in the
 * index. Costs one look-up per feed.
 */
export async function listFollowedToIndex(
  runner: SqlRunner,
  readerId: number,
): Promise<SourceToIndex[]> {
  return runner.query<SourceToIndex>(
    `with behind as (
       select source.id, source.rev, source.search_rev
         from (select source_id from subscription where reader_id = $1
                union
               select source_id from former_source where reader_id = $1) followed
         join source on source.id = followed.source_id
        where (source.search_rev is null or source.rev > source.search_rev)
     ), locked as (
       select id from source where id in (select id from behind where search_rev is null)
        order by id for update
     ), wanted as (
       update source set search_rev = -1 from locked
        where source.id = locked.id and source.search_rev is null
     )
     select id, rev, coalesce(search_rev, -1) as "searchRev" from behind order by id`,
    [readerId],
  );
}

/**
 * Characters of a title's and of a body's markup that are indexed: far fewer than a tsvector can hold,
 * so that no article makes indexing fail.
 */
const INDEXED_CHARACTERS = 100_000;

/** A condition on `article`: it came or changed since revision `$2`. */
const IS_NEWER = '(article.rev > $2 or article.full_text_rev > $2)';

/**
 * Indexes articles of a source with ids above `afterArticleId` that came or changed since the source
 * was indexed. PostgreSQL's parser skips tags and character references.
 *
 * @returns the last article's id; null when there are no more
 */
export async function indexArticles(
  runner: SqlRunner,
  { id, searchRev }: SourceToIndex,
  afterArticleId: number,
  limit: number,
): Promise<number | null> {
  const [batch] = await runner.query<{ count: number; last: number | null }>(
    `select count(*)::int as count, max(id) as last
       from (select id from article where source_id = $1 and ${IS_NEWER} and id > $3
              order by id limit $4) batch`,
    [id, searchRev, afterArticleId, limit],
  );
  if (batch === undefined || batch.last === null) {
    return null;
  }
  await runner.query(
    `insert into article_search (article_id, source_id, tsv)
     select id, source_id, to_tsvector('simple', words) || ${pairsIn('words')}
       from (select article.id, article.source_id,
                    concat_ws(' ', left(article.title, ${INDEXED_CHARACTERS}),
                      left(coalesce(body.full_text_html, body.html), ${INDEXED_CHARACTERS})) as words
               from article
               left join article_body body on body.source_id = article.source_id
                                          and body.article_id = article.id
              where article.source_id = $1 and ${IS_NEWER}
                and article.id > $3 and article.id <= $4) text
     on conflict (article_id, source_id) do update set tsv = excluded.tsv`,
    [id, searchRev, afterArticleId, batch.last],
  );
  return batch.count < limit ? null : batch.last;
}

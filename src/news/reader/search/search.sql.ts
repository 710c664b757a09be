import type { SqlRunner } from '../../../database/database.js';
import type { Statement } from '../../../database/statement.js';
import { queryFor, pairsIn } from './search-query.sql.js';
import { VOWEL_MARK } from './vowel-marks.js';
import {
  pickedByDate,
  placeOf,
  subscriptionConditions,
  withOpenings,
  type RowPage,
} from '../rows/rows.sql.js';
import type { Place } from '../rows/place.js';
import { itemConditions, type ItemSelection } from '../items/item-list.sql.js';

/** A source with articles that came or changed since it was indexed up to `searchRev`. */
export interface SourceToIndex {
  readonly id: number;
  readonly rev: number;
  readonly searchRev: number;
}

/** A page newest arrival first. */
export interface SearchPage {
  /** Exclusive: ids below it; null starts with the newest. */
  readonly offset: number | null;
  readonly limit: number;
}

type Bind = (value: unknown) => string;

/** An article with the words. */
export interface Match {
  readonly articleId: number;
  readonly sourceId: number;
}

/** Articles of anyone with the words, at most `most`, in any order. By article_search_tsv_index. */
export async function matchingArticles(
  runner: SqlRunner,
  words: string,
  most: number,
): Promise<Match[]> {
  const params: unknown[] = [];
  const bind: Bind = (value) => `$${params.push(value)}`;
  return runner.query<Match>(
    `select article_id as "articleId", source_id as "sourceId" from article_search
      where tsv @@ (${queryFor(words, bind)}) limit ${bind(most)}`,
    params,
  );
}

/** A page newest date first. */
export type FoundPage = Omit<RowPage, 'oldestFirst'>;

/** An item that was found. */
export interface StretchItem extends Place {
  readonly articleId: number;
}

const STRETCH_ITEM = `item.id, item.date_seconds as "dateSeconds", item.article_id as "articleId"`;

const orderOf = (page: SearchPage | FoundPage) =>
  'offset' in page ? 'item.id desc' : 'item.date_seconds desc, item.id desc';

/** Conditions on `item`, which are none on the first page. */
function beyond(page: SearchPage | FoundPage, bind: Bind): string[] {
  if ('offset' in page) {
    return page.offset === null ? [] : [`item.id < ${bind(page.offset)}`];
  }
  return page.after === null ? [] : [`(item.date_seconds, item.id) < ${placeOf(page.after, bind)}`];
}

/** SQL of the user's items among articles. By item_subscription_id_article_id_unique, a look-up each. */
function among(matches: readonly Match[], selection: ItemSelection, bind: Bind): string {
  const articleIds = bind(matches.map(({ articleId }) => articleId));
  const sourceIds = bind(matches.map(({ sourceId }) => sourceId));
  const followed = subscriptionConditions(selection, bind).join(' and ');
  return `from unnest(${articleIds}::bigint[], ${sourceIds}::bigint[]) as found (article_id, source_id)
       join (select s.id, s.source_id from subscription s where ${followed}
              union
             select s.id, former.source_id
               from subscription s
               join former_source former on former.reader_id = $1 and former.subscription_id = s.id
              where ${followed}) origin on origin.source_id = found.source_id
      cross join lateral (
         select item.* from item
          where item.reader_id = $1 and item.subscription_id = origin.id
            and item.article_id = found.article_id offset 0) item
      where ${['true', ...itemConditions(selection, bind)].join(' and ')}`;
}

/** A page of the user's items among articles, newest first. */
export function foundItems(
  readerId: number,
  matches: readonly Match[],
  selection: ItemSelection,
  page: SearchPage | FoundPage,
): Statement {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const conditions = [among(matches, selection, bind), ...beyond(page, bind)].join(' and ');
  return {
    sql: `select ${STRETCH_ITEM} ${conditions} order by ${orderOf(page)} limit ${bind(page.limit)}`,
    params,
  };
}

/** Counts the user's items among articles, no further than `most`. */
export async function countFound(
  runner: SqlRunner,
  readerId: number,
  matches: readonly Match[],
  selection: ItemSelection,
  most: number,
): Promise<number> {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const found = `select item.id ${among(matches, selection, bind)} limit ${bind(most)}`;
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from (${found}) counted`,
    params,
  );
  return row?.count ?? 0;
}

/** A stretch of the user's list, newest first. */
export function stretch(
  readerId: number,
  selection: ItemSelection,
  page: SearchPage | FoundPage,
): Statement {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const picked =
    'offset' in page
      ? pickedById(selection, page, bind)
      : pickedByDate(selection, { oldestFirst: false, ...page }, bind);
  return {
    sql: `select ${STRETCH_ITEM} from (${picked}) item order by ${orderOf(page)}`,
    params,
  };
}

/** Walks the primary key. */
function pickedById(selection: ItemSelection, page: SearchPage, bind: Bind): string {
  const followed = subscriptionConditions(selection, bind).join(' and ');
  const conditions = [
    'item.reader_id = $1',
    ...itemConditions(selection, bind),
    ...beyond(page, bind),
    `item.subscription_id in (select s.id from subscription s where ${followed})`,
  ];
  return `select item.id, item.date_seconds, item.article_id from item
           where ${conditions.join(' and ')} order by item.id desc limit ${bind(page.limit)}`;
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

const BY_IDS = 'select * from item where reader_id = $1 and id = any($2::bigint[])';

/** Characters of a body in which the words are looked for. */
const SEARCHED_CHARACTERS = 20_000;

/** What the rows of some items show, newest first, with long openings. */
export function foundRows(readerId: number, itemIds: readonly number[]): Statement {
  return { sql: withOpenings(BY_IDS, false, SEARCHED_CHARACTERS), params: [readerId, itemIds] };
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
         from (select source_id from follower where reader_id = $1
                union
               select source_id from former_follower where reader_id = $1) followed
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
                    regexp_replace(concat_ws(' ', left(article.title, ${INDEXED_CHARACTERS}),
                      left(coalesce(body.full_text_html, body.html), ${INDEXED_CHARACTERS})),
                      '${VOWEL_MARK}', '', 'g') as words
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

import type { SqlRunner } from '../../../database/database.js';
import type { Statement } from '../../../database/statement.js';
import { queryFor } from './search-query.sql.js';
import {
  beyond as beyondPlace,
  pickedByDate,
  subscriptionConditions,
  type Bind,
  type RowPage,
} from '../rows/rows.sql.js';
import type { Place } from '../rows/place.js';
import { itemConditions, type ItemSelection } from '../items/item-list.sql.js';

/** A page newest arrival first. */
export interface SearchPage {
  /** Exclusive: ids below it; null starts with the newest. */
  readonly offset: number | null;
  readonly limit: number;
}

/** An article with the words. */
interface Match {
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
  return beyondPlace({ oldestFirst: false, ...page }, bind);
}

/** SQL of the user's items among articles. By item_subscription_id_article_id_unique, a look-up each. */
export function among(matches: readonly Match[], selection: ItemSelection, bind: Bind): string {
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

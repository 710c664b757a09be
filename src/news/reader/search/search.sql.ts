import type { SqlRunner } from '../../../database/database.js';
import type { Statement } from '../../../database/statement.js';
import { itemConditions, pickedItems } from '../items/item-list.sql.js';
import type { Place } from '../rows/place.js';
import {
  beyond as beyondPlace,
  notHidden,
  pickedRows,
  subscriptionConditions,
  type Bind,
  type RowPage,
} from '../rows/rows.sql.js';
import type { Narrowed } from './asked-query.js';

/** A page newest arrival first. */
export interface SearchPage {
  /** Exclusive: ids below it; null starts with the newest. */
  readonly offset: number | null;
  readonly limit: number;
}

/** A page newest date first. */
export type FoundPage = Omit<RowPage, 'oldestFirst'>;

/** An article that may match. */
export interface Match {
  readonly articleId: number;
  readonly sourceId: number;
  /** Whether it has the tokens for every reader. */
  readonly isExact: boolean;
}

/** An item that may match. */
export interface Candidate extends Place {
  readonly articleId: number;
  readonly isExact: boolean;
}

/** A part of a list, newest first; the candidates among its items. */
export interface Stretch {
  readonly candidates: readonly Candidate[];
  /** The last item that was looked at; null at the end of the list. */
  readonly last: Place | null;
}

/** Articles of anyone with the tokens, at most `most`, in any order. By article_tokens_tokens_index. */
export async function matchingArticles(
  runner: SqlRunner,
  tokens: string,
  most: number,
): Promise<Match[]> {
  return runner.query<Match>(
    `select article_id as "articleId", source_id as "sourceId", is_exact as "isExact"
       from article_tokens where tokens @@ $1::tsquery limit $2`,
    [tokens, most],
  );
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

/** A page of the user's items among articles, newest first; each by item_subscription_id_article_id_unique. */
export function foundItems(
  readerId: number,
  matches: readonly Match[],
  { selection, fromSeconds, beforeSeconds, hasHidden }: Narrowed,
  page: SearchPage | FoundPage,
): Statement {
  const params: unknown[] = [readerId];
  const bind: Bind = (value) => `$${params.push(value)}`;
  const articleIds = bind(matches.map(({ articleId }) => articleId));
  const sourceIds = bind(matches.map(({ sourceId }) => sourceId));
  const areExact = bind(matches.map(({ isExact }) => isExact));
  const followed = subscriptionConditions(selection, bind).join(' and ');
  const conditions = [
    ...itemConditions(selection, bind),
    ...(fromSeconds === null ? [] : [`item.date_seconds >= ${bind(fromSeconds)}`]),
    ...(beforeSeconds === null ? [] : [`item.date_seconds < ${bind(beforeSeconds)}`]),
    ...('offset' in page || hasHidden || ['label', 'starred', 'highlighted'].includes(selection.of)
      ? []
      : [notHidden('item.unread')]),
    ...beyond(page, bind),
  ];
  return {
    sql: `select ${STRETCH_ITEM}, found.is_exact as "isExact"
       from unnest(${articleIds}::bigint[], ${sourceIds}::bigint[], ${areExact}::boolean[])
            as found (article_id, source_id, is_exact)
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
      where ${['true', ...conditions].join(' and ')}
      order by ${orderOf(page)} limit ${bind(page.limit)}`,
    params,
  };
}

/** A stretch of the user's list, newest first. */
export function stretch(
  readerId: number,
  { selection, hasHidden }: Pick<Narrowed, 'selection' | 'hasHidden'>,
  page: SearchPage | FoundPage,
): Statement {
  const { sql, params } =
    'offset' in page
      ? pickedItems(readerId, selection, { oldestFirst: false, ...page })
      : pickedRows(readerId, selection, { oldestFirst: false, ...page }, hasHidden);
  return { sql: `select ${STRETCH_ITEM} from (${sql}) item order by ${orderOf(page)}`, params };
}

/**
 * Which of the articles have the tokens, by article_tokens_pkey; none for those that are not indexed. The
 * function of the operator `@@` keeps the planner from reading all articles with the tokens by the index.
 */
export async function articlesWithTokens(
  runner: SqlRunner,
  tokens: string,
  articleIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly matches: boolean; readonly isExact: boolean }>> {
  const rows = await runner.query<{ id: number; matches: boolean; isExact: boolean }>(
    `select article_id as id, ts_match_vq(tokens, $2::tsquery) as matches, is_exact as "isExact"
       from article_tokens where article_id = any($1::bigint[])`,
    [articleIds, tokens],
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

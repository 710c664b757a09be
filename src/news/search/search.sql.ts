import {
  flagConditions,
  folderCondition,
  withContents,
  type ItemSelection,
  type Statement,
} from '../reader/items/item-list.sql.js';

export interface SearchPage {
  /** Exclusive: ids below it; null starts with the newest. */
  readonly offset: number | null;
  readonly limit: number;
}

/**
 * The words as PostgreSQL's web search takes them: `"a phrase"`, `or`, `-not`. The last word counts
 * as the beginning of one, since people search while they type; not so one that is excluded or
 * ends with a quotation mark.
 */
function queryFor(words: string, bind: (value: unknown) => string): string {
  const query = `websearch_to_tsquery('simple', ${bind(words)})`;
  const quotationMarks = words.split('"').length - 1;
  const last = words.split(/\s+/).at(-1) ?? '';
  const mayGoOn =
    /[\p{L}\p{M}\p{N}]$/u.test(words) && quotationMarks % 2 === 0 && !last.startsWith('-');
  return mayGoOn
    ? `case when ${query}::text like '%''' then (${query}::text || ':*')::tsquery else ${query} end`
    : query;
}

/** Counts articles that have the words, up to a limit. Rides on article_search_tsv_index. */
export function countMatches(words: string, limit: number): Statement {
  const params: unknown[] = [];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const found = `select from article_search where tsv @@ (${queryFor(words, bind)}) limit ${bind(limit)}`;
  return { sql: `select count(*)::int as count from (${found}) found`, params };
}

/**
 * A page of a user's items whose article has the words, newest first. There are two ways, and the
 * planner cannot tell which is short, since it knows nothing of a user's share of the articles:
 * - `from-words`: article_search_tsv_index gives all articles with the words, and
 *   item_subscription_id_article_id_unique the user's items among them;
 * - `from-items`: walks the user's items downwards and looks at the words of each, until the page
 *   is full. For words that many articles have.
 */
export function searchedItems(
  readerId: number,
  words: string,
  selection: ItemSelection,
  { offset, limit }: SearchPage,
  way: 'from-words' | 'from-items',
): Statement {
  const params: unknown[] = [readerId];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const conditions = ['item.reader_id = $1', ...flagConditions(selection)];
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

  // Each `offset 0` keeps the planner on the way that was chosen.
  const picked =
    way === 'from-words'
      ? `select item.*
           from (select article_id from article_search where tsv @@ (${query}) offset 0) found
           join article on article.id = found.article_id
           join subscription s on s.source_id = article.source_id
           join item on item.subscription_id = s.id and item.article_id = article.id
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

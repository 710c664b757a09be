import type { SqlRunner } from '../../../database/database.js';
import type { Statement } from '../../../database/statement.js';
import { itemConditions, pickedItems, type ItemSelection } from '../items/item-list.sql.js';
import type { Place } from '../rows/place.js';
import {
  beyond as beyondPlace,
  pickedRows,
  subscriptionConditions,
  type Bind,
  type RowPage,
} from '../rows/rows.sql.js';
import {
  hasJoinedScript,
  JOINED_CHARACTERS_SQL,
  pairsOf,
  splitByScript,
  readSearch,
  withoutVowelMarks,
  type SearchTerm,
} from './search-words.js';

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
  const { sql, params } =
    'offset' in page
      ? pickedItems(readerId, selection, { oldestFirst: false, ...page })
      : pickedRows(readerId, selection, { oldestFirst: false, ...page });
  return { sql: `select ${STRETCH_ITEM} from (${sql}) item order by ${orderOf(page)}`, params };
}

/**
 * The articles that have the words, by article_search_pkey. The function of the operator `@@` keeps the
 * planner from reading all articles with the words by article_search_tsv_index.
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

/**
 * SQL of the tsquery of a search, with the syntax of websearch_to_tsquery. The last word is matched as a
 * prefix, since people search while they type, unless it is excluded or ends with a quotation mark.
 */
function queryFor(written: string, bind: Bind): string {
  const words = withoutVowelMarks(written);
  if (hasJoinedScript(words)) {
    return queryByPairs(words, bind);
  }
  const quotationMarks = words.split('"').length - 1;
  const last = words.split(/\s+/).at(-1) ?? '';
  const isPrefix =
    /[\p{L}\p{M}\p{N}]$/u.test(words) && quotationMarks % 2 === 0 && !last.startsWith('-');
  return webSearch(words, isPrefix, bind);
}

function webSearch(words: string, isPrefix: boolean, bind: Bind): string {
  const query = `websearch_to_tsquery('simple', ${bind(words)})`;
  return isPrefix
    ? `case when ${query}::text like '%''' then (${query}::text || ':*')::tsquery else ${query} end`
    : query;
}

/** Words of scripts without spaces are found by their pairs of characters, see `pairsIn`. */
function queryByPairs(words: string, bind: Bind): string {
  const alternatives = readSearch(words).map((terms) =>
    terms
      .map((term) => {
        const query = queryForTerm(term, bind);
        return term.isExcluded ? `!!(${query})` : `(${query})`;
      })
      .join(' && '),
  );
  return alternatives.map((query) => `(${query})`).join(' || ');
}

function queryForTerm({ text, isPhrase, isPrefix }: SearchTerm, bind: Bind): string {
  if (!hasJoinedScript(text)) {
    return webSearch(isPhrase ? `"${text}"` : text, isPrefix, bind);
  }
  const parts = splitByScript(text).filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts
    .map((part) => {
      if (!hasJoinedScript(part)) {
        // The prefix of a word may continue in the other script.
        return `(${webSearch(part, true, bind)})`;
      }
      const pairs = pairsOf(part);
      const isOne = pairs.length === 1 && [...part].length === 1;
      return `${bind(pairs.map((pair) => `'${pair}'${isOne ? ':*' : ''}`).join(' & '))}::tsquery`;
    })
    .join(' && ');
}

/** Keeps the vector of a text of one such script far below the largest. */
const MOST_PAIRS = 30_000;

/**
 * SQL of a tsvector for scripts without spaces: the pairs of neighbouring characters, the last character of
 * each run, and the adjacent words of other scripts. Empty for texts without such scripts, which costs a
 * regular expression.
 *
 * @param text SQL of the text
 */
export function pairsIn(text: string): string {
  const joined = `[${JOINED_CHARACTERS_SQL}]`;
  const others = `[^${JOINED_CHARACTERS_SQL}]`;
  return `case when ${text} ~ '${joined}' then array_to_tsvector(array(
            select distinct pair from (
              select a || trim(lead(a) over (order by n)) as pair
                from string_to_table(regexp_replace(${text}, '${others}+', ' ', 'g') || ' ', null)
                     with ordinality as one (a, n)) pairs
             where pair !~ '^ ' and pair <> '' limit ${MOST_PAIRS}))
            || to_tsvector('simple', regexp_replace(${text}, '${joined}+', ' ', 'g'))
          else ''::tsvector end`;
}

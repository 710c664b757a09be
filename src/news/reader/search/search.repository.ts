import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../../database/byte-rows.js';
import { Database, type SqlRunner } from '../../../database/database.js';
import { BY_INDEX } from '../../../database/statement-limits.js';
import type { ReaderPosition } from '../delivery/readers.repository.js';
import { itemChunks } from '../items/item-chunks.sql.js';
import { withContents } from '../items/item-list.sql.js';
import type { ListedRow } from '../rows/rows.sql.js';
import { withOpenings } from '../rows/rows.sql.js';
import type { Narrowed } from './asked-query.js';
import {
  articlesWithTokens,
  foundItems,
  matchingArticles,
  stretch,
  type Candidate,
  type FoundPage,
  type Match,
  type SearchPage,
  type Stretch,
} from './search.sql.js';
import { quoted } from './token-text.js';

export type { Candidate, FoundPage, SearchPage, Stretch } from './search.sql.js';

/** What candidates are looked for by. */
export interface Sought extends Narrowed {
  /** The text of a tsquery; null for everything. */
  readonly tokens: string | null;
  /** Articles that are not indexed as they are now; null if there are too many to name. */
  readonly pending: readonly Match[] | null;
}

const BY_IDS = 'select * from item where reader_id = $1 and id = any($2::bigint[])';

/** An item, and the address of its article. */
export interface ItemAtAddress {
  readonly itemId: number;
  readonly feedId: number;
  readonly url: string | null;
  readonly title: string | null;
  readonly guid: string;
  /** MD5 of `guid`, hexadecimal. */
  readonly guidHash: string;
}

/** Many feeds may have a page; of several pages, each in some feeds. */
const MOST_AT_ADDRESS = 1000;
const USUAL_AT_ADDRESS = 20;

const EVERYTHING = {
  selection: { of: 'all', unreadOnly: false },
  fromSeconds: null,
  beforeSeconds: null,
  hasHidden: true,
} as const;

/** Characters of a body in which the words are looked for. */
const SEARCHED_CHARACTERS = 20_000;

/**
 * Number of matching articles above which a page of a user's items is soon full. The planner cannot choose,
 * since it does not know a user's share of the articles.
 */
const MANY_ARTICLES = 8000;

/** Number of items examined together, first and at most. */
const FIRST_STRETCH = 250;
const LONGEST_STRETCH = 1000;

/** While too many articles are not indexed, the newest items are looked at for so long. */
const UNINDEXED_MS = 400;

/** Finds the items of a user that may match, by the index of the words of all articles. */
@Injectable()
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Chunks of items, `asJson`, newest first. */
  items(reader: ReaderPosition, ids: readonly number[]): AsyncIterable<readonly RowOfBytes[]> {
    return itemChunks(this.database, reader, ids, 'desc');
  }

  /** Rows of items in the order of their dates, newest first, with long openings. */
  async rows(readerId: number, ids: readonly number[]): Promise<ListedRow[]> {
    const sql = withOpenings(BY_IDS, false, SEARCHED_CHARACTERS);
    return ids.length === 0 ? [] : this.database.query<ListedRow>(sql, [readerId, ids]);
  }

  /** The user's items of articles with any of the tokens, and of these articles, oldest first. */
  async itemsWithTokens(
    readerId: number,
    tokens: readonly string[],
    pending: readonly Match[],
    tx: SqlRunner = this.database,
  ): Promise<ItemAtAddress[]> {
    const any = tokens.map(quoted).join(' | ');
    const most = MOST_AT_ADDRESS + tokens.length * USUAL_AT_ADDRESS;
    const indexed = await matchingArticles(tx, any, most);
    const matches = merged(indexed, pending);
    if (matches.length === 0) {
      return [];
    }
    const page = { offset: null, limit: matches.length };
    const { sql, params } = foundItems(readerId, matches, EVERYTHING, page);
    const items = await tx.query<Candidate>(sql, params);
    return tx.query<ItemAtAddress>(
      withContents(
        BY_IDS,
        'asc',
        `item.id as "itemId", item.subscription_id as "feedId", article.url, article.title, article.guid,
         encode(article.guid_hash, 'hex') as "guidHash"`,
      ),
      [readerId, items.map(({ id }) => id)],
    );
  }

  /**
   * The items that may match, newest first, in stretches; all of those that do match are among them, unless too
   * many articles are not indexed: then the newest items are looked at, and of the others those that are.
   */
  async *candidates(
    readerId: number,
    sought: Sought,
    page: SearchPage | FoundPage,
  ): AsyncGenerator<Stretch> {
    const { tokens, pending } = sought;
    const matches =
      tokens === null ? null : await matchingArticles(this.database, tokens, MANY_ARTICLES);
    const start = startOf(page, sought);
    if (matches === null || matches.length === MANY_ARTICLES) {
      yield* this.#walk(readerId, sought, start);
      return;
    }
    if (pending !== null) {
      yield* this.#found(readerId, merged(matches, pending), sought, start);
      return;
    }
    const until = performance.now() + UNINDEXED_MS;
    let rest = start;
    for await (const walked of this.#walk(readerId, sought, start)) {
      yield walked;
      if (walked.last === null) {
        return;
      }
      rest = after(rest, walked.last);
      if (performance.now() > until) {
        break;
      }
    }
    yield* this.#found(readerId, matches, sought, rest);
  }

  /** Walks the user's list. */
  async *#walk(
    readerId: number,
    sought: Sought,
    page: SearchPage | FoundPage,
  ): AsyncGenerator<Stretch> {
    const { tokens, pending, fromSeconds } = sought;
    const isPending = new Set(pending?.map(({ articleId }) => articleId));
    let rest = page;
    for (let limit = FIRST_STRETCH; ; limit = LONGEST_STRETCH) {
      const [, items] = await this.database.transactionOf([
        { sql: BY_INDEX, params: [] },
        stretch(readerId, sought, { ...rest, limit }),
      ]);
      const walked = items as readonly Omit<Candidate, 'isExact'>[];
      const articleIds = walked.map(({ articleId }) => articleId);
      const known =
        tokens === null
          ? new Map<number, never>()
          : await articlesWithTokens(this.database, tokens, articleIds);
      const candidates = walked.flatMap((item) => {
        const found = isPending.has(item.articleId) ? undefined : known.get(item.articleId);
        const isWithin = item.dateSeconds >= (fromSeconds ?? -Infinity);
        return isWithin && found?.matches !== false
          ? [{ ...item, isExact: found?.isExact ?? false }]
          : [];
      });
      const last = walked.at(-1);
      const isEnd =
        last === undefined ||
        walked.length < limit ||
        (!('offset' in page) && last.dateSeconds < (fromSeconds ?? -Infinity));
      yield { candidates, last: isEnd ? null : last };
      if (isEnd) {
        return;
      }
      rest = after(rest, last);
    }
  }

  /** Pages of the user's items among articles. */
  async *#found(
    readerId: number,
    matches: readonly Match[],
    sought: Sought,
    page: SearchPage | FoundPage,
  ): AsyncGenerator<Stretch> {
    let rest = page;
    for (const limit = LONGEST_STRETCH; ;) {
      const { sql, params } = foundItems(readerId, matches, sought, { ...rest, limit });
      const candidates = await this.database.query<Candidate>(sql, params);
      const last = candidates.length < limit ? undefined : candidates.at(-1);
      yield { candidates, last: last ?? null };
      if (last === undefined) {
        return;
      }
      rest = after(rest, last);
    }
  }
}

function startOf(
  page: SearchPage | FoundPage,
  { beforeSeconds }: Narrowed,
): SearchPage | FoundPage {
  if ('offset' in page || beforeSeconds === null) {
    return page;
  }
  const isLater = page.after === null || page.after.dateSeconds >= beforeSeconds;
  return isLater ? { ...page, after: { dateSeconds: beforeSeconds, id: 0 } } : page;
}

const after = (page: SearchPage | FoundPage, last: Pick<Candidate, 'id' | 'dateSeconds'>) =>
  'offset' in page ? { ...page, offset: last.id } : { ...page, after: last };

/** What is pending counts as it is now, not as it was indexed. */
function merged(matches: readonly Match[], pending: readonly Match[]): readonly Match[] {
  const ids = new Set(pending.map(({ articleId }) => articleId));
  return [...matches.filter(({ articleId }) => !ids.has(articleId)), ...pending];
}

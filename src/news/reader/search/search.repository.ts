import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../../database/byte-rows.js';
import { Database } from '../../../database/database.js';
import { BY_INDEX } from '../../../database/statement-limits.js';
import { SourceEntity } from '../../tables/source.entity.js';
import type { ReaderPosition } from '../delivery/readers.repository.js';
import { itemChunks } from '../items/item-chunks.sql.js';
import type { ItemSelection } from '../items/item-list.sql.js';
import type { ListedRow } from '../rows/rows.repository.js';
import { withOpenings, type Bind } from '../rows/rows.sql.js';
import { VOWEL_MARK } from './search-words.js';
import {
  pairsIn,
  among,
  articlesWithWords,
  foundItems,
  matchingArticles,
  stretch,
  type FoundPage,
  type SearchPage,
  type StretchItem,
} from './search.sql.js';

export type { FoundPage, SearchPage } from './search.sql.js';

/** A source with articles that came or changed since it was indexed up to `searchRev`. */
export interface SourceToIndex {
  readonly id: number;
  readonly rev: number;
  readonly searchRev: number;
}

const BY_IDS = 'select * from item where reader_id = $1 and id = any($2::bigint[])';

/** Characters of a body in which the words are looked for. */
const SEARCHED_CHARACTERS = 20_000;

/**
 * Characters of a title's and of a body's markup that are indexed: far fewer than a tsvector can hold,
 * so that no article makes indexing fail.
 */
const INDEXED_CHARACTERS = 100_000;

/** A condition on `article`: it came or changed since revision `$2`. */
const IS_NEWER = '(article.rev > $2 or article.full_text_rev > $2)';

/**
 * Number of matching articles above which a page of a user's items is soon full. The planner cannot choose,
 * since it does not know a user's share of the articles.
 */
const MANY_ARTICLES = 3000;

/** Articles with the words of which a user's are counted. */
const MOST_COUNTED_ARTICLES = 20_000;

/** Number of items examined together, first and at most. */
const FIRST_STRETCH = 250;
const LONGEST_STRETCH = 1000;

/**
 * The search index of articles. Only sources of readers who have searched are in it: indexing an article
 * costs more than storing it, and most readers never search.
 */
@Injectable()
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Chunks of items with the words, `asJson`, newest first. */
  async *find(
    reader: ReaderPosition,
    words: string,
    selection: ItemSelection,
    page: SearchPage,
  ): AsyncGenerator<readonly RowOfBytes[]> {
    const ids = await this.#find(reader.id, words, selection, page);
    yield* itemChunks(this.database, reader, ids, 'desc');
  }

  /** A page by date of the items whose article has the words, newest first, with long openings. */
  async rows(
    readerId: number,
    words: string,
    selection: ItemSelection,
    page: FoundPage,
  ): Promise<ListedRow[]> {
    const ids = await this.#find(readerId, words, selection, page);
    const sql = withOpenings(BY_IDS, false, SEARCHED_CHARACTERS);
    return ids.length === 0 ? [] : this.database.query<ListedRow>(sql, [readerId, ids]);
  }

  /** Ids of the items of a page, newest first. */
  async #find(
    readerId: number,
    words: string,
    selection: ItemSelection,
    page: SearchPage | FoundPage,
  ): Promise<number[]> {
    const matches = await matchingArticles(this.database, words, MANY_ARTICLES);
    if (matches.length === MANY_ARTICLES) {
      return this.#walk(readerId, words, selection, page);
    }
    const { sql, params } = foundItems(readerId, matches, selection, page);
    const items = await this.database.query<StretchItem>(sql, params);
    return items.map(({ id }) => id);
  }

  /** Counts the items whose article has the words, no further than `most`. */
  async count(
    readerId: number,
    words: string,
    selection: ItemSelection,
    most: number,
  ): Promise<number> {
    const matches = await matchingArticles(this.database, words, MOST_COUNTED_ARTICLES);
    const params: unknown[] = [readerId];
    const bind: Bind = (value) => `$${params.push(value)}`;
    const found = `select item.id ${among(matches, selection, bind)} limit ${bind(most)}`;
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from (${found}) counted`,
      params,
    );
    return row?.count ?? 0;
  }

  /** Walks the user's list until the page is full. */
  async #walk(
    readerId: number,
    words: string,
    selection: ItemSelection,
    page: SearchPage | FoundPage,
  ): Promise<number[]> {
    const found: number[] = [];
    let rest = page;
    for (let size = FIRST_STRETCH; found.length < page.limit; size = LONGEST_STRETCH) {
      const [, items] = await this.database.transactionOf([
        { sql: BY_INDEX, params: [] },
        stretch(readerId, selection, { ...rest, limit: size }),
      ]);
      const walked = items as StretchItem[];
      const articleIds = walked.map(({ articleId }) => articleId);
      const withWords = await articlesWithWords(this.database, words, articleIds);
      found.push(...walked.filter(({ articleId }) => withWords.has(articleId)).map(({ id }) => id));
      const last = walked.at(-1);
      if (last === undefined || walked.length < size) {
        break;
      }
      rest = 'offset' in rest ? { ...rest, offset: last.id } : { ...rest, after: last };
    }
    return found.slice(0, page.limit);
  }

  /** Uses source_to_index_for_search_index, a partial index of exactly these sources. */
  async sourcesToIndex(limit: number): Promise<SourceToIndex[]> {
    return this.database.query<SourceToIndex>(
      `select id, rev, search_rev as "searchRev" from source where rev > search_rev order by id limit $1`,
      [limit],
    );
  }

  /**
   * A reader's sources whose index is not current. From now on all of them are kept in the index. Costs one
   * look-up per feed.
   */
  async followedToIndex(readerId: number): Promise<SourceToIndex[]> {
    return this.database.query<SourceToIndex>(
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
   * Indexes articles of a source with ids above `afterArticleId` that came or changed since the source
   * was indexed. PostgreSQL's parser skips tags and character references.
   *
   * @returns the last article's id; null when there are no more
   */
  async indexArticles(
    { id, searchRev }: SourceToIndex,
    afterArticleId: number,
    limit: number,
  ): Promise<number | null> {
    const [batch] = await this.database.query<{ count: number; last: number | null }>(
      `select count(*)::int as count, max(id) as last
         from (select id from article where source_id = $1 and ${IS_NEWER} and id > $3
                order by id limit $4) batch`,
      [id, searchRev, afterArticleId, limit],
    );
    if (batch === undefined || batch.last === null) {
      return null;
    }
    await this.database.query(
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

  /** Records that the source is indexed up to the revision that was read. */
  async noteIndexed({ id, rev }: SourceToIndex): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(SourceEntity, { id, searchRev: { $lt: rev } }, { searchRev: rev }),
    );
  }
}

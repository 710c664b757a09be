import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../../database/copy-query.js';
import { Database } from '../../../database/database.js';
import type { ReaderPosition } from '../delivery/readers.repository.js';
import { itemChunks } from '../items/item-chunks.repository.js';
import { BY_INDEX, type ItemSelection } from '../items/item-list.sql.js';
import { SourceEntity } from '../../sources/source.entity.js';
import type { ListedRow } from '../rows/rows.repository.js';
import {
  articlesWithWords,
  countFound,
  foundItems,
  foundRows,
  indexArticles,
  listFollowedToIndex,
  listSourcesToIndex,
  matchingArticles,
  stretch,
  type FoundPage,
  type SearchPage,
  type SourceToIndex,
  type StretchItem,
} from './search.sql.js';

export type { FoundPage, SearchPage, SourceToIndex } from './search.sql.js';

/**
 * With this many articles that have the words, a page of a user's items is soon full. The planner cannot
 * choose, since it does not know a user's share of the articles.
 */
const MANY_ARTICLES = 3000;

/** Articles with the words of which a user's are counted. */
const MOST_COUNTED_ARTICLES = 20_000;

/** Items that are looked at together, first and at most. */
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
    const { sql, params } = foundRows(readerId, ids);
    return ids.length === 0 ? [] : this.database.query<ListedRow>(sql, params);
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
    return countFound(this.database, readerId, matches, selection, most);
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

  async sourcesToIndex(limit: number): Promise<SourceToIndex[]> {
    return listSourcesToIndex(this.database, limit);
  }

  /** Those of a reader whose index is not current; from now on all of theirs are kept in the index. */
  async followedToIndex(readerId: number): Promise<SourceToIndex[]> {
    return listFollowedToIndex(this.database, readerId);
  }

  /** Indexes a batch. @returns the last article's id; null when there are no more */
  async indexArticles(
    source: SourceToIndex,
    afterArticleId: number,
    limit: number,
  ): Promise<number | null> {
    return indexArticles(this.database, source, afterArticleId, limit);
  }

  /** Records that the source is indexed up to the revision that was read. */
  async noteIndexed({ id, rev }: SourceToIndex): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(SourceEntity, { id, searchRev: { $lt: rev } }, { searchRev: rev }),
    );
  }
}

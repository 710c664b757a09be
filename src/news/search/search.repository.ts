import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../database/copy-query.js';
import { Database } from '../../database/database.js';
import { asJson, BY_INDEX, type ItemSelection } from '../reader/items/item-list.sql.js';
import { SourceEntity } from '../sources/source.entity.js';
import type { ListedRow } from '../reader/rows/rows.repository.js';
import type { Place } from '../reader/rows/place.js';
import {
  articlesWithWords,
  countFound,
  countMatches,
  foundRows,
  indexArticles,
  listFollowedToIndex,
  listFound,
  listSourcesToIndex,
  searchedItems,
  stretch,
  type FoundPage,
  type SearchPage,
  type SourceToIndex,
  type StretchItem,
} from './search.sql.js';

export type { FoundPage, SearchPage, SourceToIndex } from './search.sql.js';

/** With this many articles that have the words, a page of a user's items is soon full. */
const MANY_ARTICLES = 3000;

/** Items that are looked at together. */
const STRETCH = 1000;

/**
 * The search index of articles. Only sources of readers who have searched are in it: indexing an article
 * costs more than storing it, and most readers never search.
 */
@Injectable()
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Batches of items with the words, `asJson`, newest first. */
  async *find(
    readerId: number,
    words: string,
    selection: ItemSelection,
    page: SearchPage,
  ): AsyncGenerator<RowOfBytes[]> {
    const matches = await countMatches(this.database, words, MANY_ARTICLES);
    const plan = matches < MANY_ARTICLES ? 'from-words' : 'from-items';
    yield* this.database.copy(
      asJson(searchedItems(readerId, words, selection, page, plan), 'desc'),
    );
  }

  /** A page by date of the items whose article has the words, newest first, with long openings. */
  async rows(
    readerId: number,
    words: string,
    selection: ItemSelection,
    page: FoundPage,
  ): Promise<ListedRow[]> {
    const matches = await countMatches(this.database, words, MANY_ARTICLES);
    const places =
      matches < MANY_ARTICLES
        ? await listFound(this.database, readerId, words, selection, page)
        : await this.#walk(readerId, words, selection, page);
    const { sql, params } = foundRows(
      readerId,
      places.map(({ id }) => id),
    );
    return places.length === 0 ? [] : this.database.query<ListedRow>(sql, params);
  }

  /** Counts the items whose article has the words, no further than `most`. */
  async count(
    readerId: number,
    words: string,
    selection: ItemSelection,
    most: number,
  ): Promise<number> {
    return countFound(this.database, readerId, words, selection, most);
  }

  /** Walks the list by date until the page is full. */
  async #walk(
    readerId: number,
    words: string,
    selection: ItemSelection,
    { after, limit }: FoundPage,
  ): Promise<Place[]> {
    const found: Place[] = [];
    for (let from = after; found.length < limit;) {
      const [, items] = await this.database.transactionOf([
        { sql: BY_INDEX, params: [] },
        stretch(readerId, selection, { after: from, limit: STRETCH }),
      ]);
      const walked = items as StretchItem[];
      const articleIds = walked.map(({ articleId }) => articleId);
      const withWords = await articlesWithWords(this.database, words, articleIds);
      found.push(...walked.filter(({ articleId }) => withWords.has(articleId)));
      from = walked.at(-1) ?? from;
      if (walked.length < STRETCH) {
        break;
      }
    }
    return found.slice(0, limit);
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

import { Injectable } from '@nestjs/common';
import type { RowOfBytes } from '../../database/copy-query.js';
import { Database } from '../../database/database.js';
import { asJson, type ItemSelection } from '../reader/items/item-list.sql.js';
import { SourceEntity } from '../sources/source.entity.js';
import {
  countMatches,
  indexArticles,
  listFollowedToIndex,
  listSourcesToIndex,
  searchedItems,
  type SearchPage,
  type SourceToIndex,
} from './search.sql.js';

export type { SearchPage, SourceToIndex } from './search.sql.js';

/** With this many articles that have the words, a page of a user's items is soon full. */
const MANY_ARTICLES = 3000;

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
    yield* this.database.copy(asJson(searchedItems(readerId, words, selection, page, plan)));
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

import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { ItemSelection, ListedItem } from '../reader/items/item-list.sql.js';
import { countMatches, searchedItems, type SearchPage } from './search.sql.js';

/** A source of which articles came or changed since it was indexed. */
export interface SourceToIndex {
  readonly id: number;
  readonly rev: number;
  readonly searchRev: number;
}

/**
 * Characters of a title's and a body's markup that are indexed. Far below what a vector can hold,
 * so that no article can stop the indexing.
 */
const INDEXED_CHARACTERS = 100_000;

/** When so many articles have the words, a page of a user's items with them is soon full. */
const MANY_ARTICLES = 3000;

const ROWS_PER_READ = 100;

/**
 * The search over articles. Its index lies beside the articles and follows them in the background:
 * building it while they are stored would cost more than storing them.
 */
@Injectable()
export class SearchRepository {
  constructor(private readonly database: Database) {}

  async *find(
    readerId: number,
    words: string,
    selection: ItemSelection,
    page: SearchPage,
  ): AsyncGenerator<ListedItem[]> {
    const counting = countMatches(words, MANY_ARTICLES);
    const [matches] = await this.database.query<{ count: number }>(counting.sql, counting.params);
    const way = (matches?.count ?? 0) < MANY_ARTICLES ? 'from-words' : 'from-items';
    const { sql, params } = searchedItems(readerId, words, selection, page, way);
    yield* this.database.stream<ListedItem>(sql, params, ROWS_PER_READ);
  }

  /** Rides on source_to_index_for_search_index, which holds nothing else. */
  async sourcesToIndex(limit: number): Promise<SourceToIndex[]> {
    return this.database.query<SourceToIndex>(
      `select id, rev, search_rev as "searchRev" from source where rev > search_rev
        order by id limit $1`,
      [limit],
    );
  }

  /**
   * Indexes articles of a source with ids above `afterArticleId`, that came or changed since the
   * source was indexed. Tags and references are no words to PostgreSQL's parser.
   *
   * @returns the last article indexed, null when there are no more
   */
  async indexArticles(
    { id, searchRev }: SourceToIndex,
    afterArticleId: number,
    limit: number,
  ): Promise<number | null> {
    const [indexed] = await this.database.query<{ count: number; last: number | null }>(
      `with chosen as (
         select article.id, article.title from article
          where source_id = $1 and (rev > $2 or full_text_rev > $2) and id > $3
          order by id limit $4
       ), indexed as (
         insert into article_search (article_id, tsv)
         select chosen.id, to_tsvector('simple', concat_ws(' ', left(chosen.title, ${INDEXED_CHARACTERS}),
                  left(coalesce(body.full_text_html, body.html), ${INDEXED_CHARACTERS})))
           from chosen left join article_body body on body.article_id = chosen.id
         on conflict (article_id) do update set tsv = excluded.tsv
       )
       select count(*)::int as count, max(id) as last from chosen`,
      [id, searchRev, afterArticleId, limit],
    );
    return indexed === undefined || indexed.count < limit ? null : indexed.last;
  }

  /** Notes that everything up to the revision that was seen can be found. */
  async noteIndexed({ id, rev }: SourceToIndex): Promise<void> {
    await this.database.query(
      'update source set search_rev = $2 where id = $1 and search_rev < $2',
      [id, rev],
    );
  }
}

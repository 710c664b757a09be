import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ArticleEntity } from '../../tables/article.entity.js';
import { SourceEntity } from '../../tables/source.entity.js';
import type { Match } from './search.sql.js';

const SOURCE = selectList(SourceEntity, 'source', ['id', 'rev', 'tokensRev']);

/** A source with articles that came or changed since it was indexed, up to `tokensRev`. */
export type SourceBehind = RowOf<typeof SOURCE>;

const ARTICLE = selectList(ArticleEntity, 'article', [
  'id',
  'rev',
  'fullTextRev',
  'url',
  'title',
  'author',
  'extras',
]);

/** Texts of an article, for the index. */
export type IndexedTexts = RowOf<typeof ARTICLE> & {
  readonly html: string | null;
  readonly fullTextHtml: string | null;
};

/** The words of an article, by which it is found. */
export interface ArticleTokens extends Pick<IndexedTexts, 'rev' | 'fullTextRev'> {
  readonly articleId: number;
  /** A tsvector as text. */
  readonly tokens: string;
  readonly isExact: boolean;
}

/** The index of the words of all articles. */
@Injectable()
export class SearchIndexRepository {
  constructor(private readonly database: Database) {}

  /** By source_to_tokenise_index, a partial index of exactly these sources. */
  async sourcesBehind(limit: number): Promise<SourceBehind[]> {
    return this.database.query<SourceBehind>(
      `select ${SOURCE} from source where rev > tokens_rev order by id limit $1`,
      [limit],
    );
  }

  /** Those that a reader follows. Costs one look-up per feed. */
  async followedBehind(readerId: number, tx: SqlRunner = this.database): Promise<SourceBehind[]> {
    return tx.query<SourceBehind>(
      `select ${SOURCE}
         from (select source_id from follower where reader_id = $1
                union
               select source_id from former_follower where reader_id = $1) followed
         join source on source.id = followed.source_id
        where source.rev > source.tokens_rev order by source.id`,
      [readerId],
    );
  }

  /** Articles of these sources that are not indexed as they are now, in any order. */
  async pendingOf(
    sources: readonly SourceBehind[],
    most: number,
    tx: SqlRunner = this.database,
  ): Promise<Match[]> {
    if (sources.length === 0) {
      return [];
    }
    return tx.query<Match>(
      `select article.id as "articleId", article.source_id as "sourceId", false as "isExact"
         from article
         join unnest($1::bigint[], $2::bigint[]) behind (source_id, rev)
           on article.source_id = behind.source_id
        where article.rev > behind.rev or article.full_text_rev > behind.rev
        limit $3`,
      [sources.map(({ id }) => id), sources.map(({ tokensRev }) => tokensRev), most],
    );
  }

  /** The first articles with ids above `afterId` that came or changed since the source was indexed, by id. */
  async textsOf(
    { id, tokensRev }: SourceBehind,
    afterId: number,
    limit: number,
  ): Promise<IndexedTexts[]> {
    return this.database.query<IndexedTexts>(
      `select ${ARTICLE}, body.html, body.full_text_html as "fullTextHtml"
         from (select * from article
                where source_id = $1 and (rev > $2 or full_text_rev > $2) and id > $3
                order by id limit $4) article
         left join article_body body on body.source_id = $1 and body.article_id = article.id
        order by article.id`,
      [id, tokensRev, afterId, limit],
    );
  }

  /** Leaves out articles that are gone or changed by now: another process may have indexed a change. */
  async write(sourceId: number, articles: readonly ArticleTokens[]): Promise<void> {
    await this.database.query(
      `insert into article_tokens (article_id, source_id, tokens, is_exact)
       select article.id, article.source_id, given.tokens::tsvector, given.is_exact
         from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[])
              given (id, rev, full_text_rev, tokens, is_exact)
         join article on article.source_id = $1 and article.id = given.id and article.rev = given.rev
                     and article.full_text_rev is not distinct from given.full_text_rev
       on conflict (article_id, source_id) do update
          set tokens = excluded.tokens, is_exact = excluded.is_exact`,
      [
        sourceId,
        articles.map(({ articleId }) => articleId),
        articles.map(({ rev }) => rev),
        articles.map(({ fullTextRev }) => fullTextRev),
        articles.map(({ tokens }) => tokens),
        articles.map(({ isExact }) => isExact),
      ],
    );
  }

  /** Records that the source is indexed up to the revision that was read. */
  async noteIndexed({ id, rev }: SourceBehind): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(SourceEntity, { id, tokensRev: { $lt: rev } }, { tokensRev: rev }),
    );
  }
}

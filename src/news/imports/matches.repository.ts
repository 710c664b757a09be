import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import { selectList, type RowOf } from '../../database/select-list.js';
import { hexBytes } from '../sources/articles/known-articles.sql.js';
import { SourceEntity } from '../tables/source.entity.js';

const SOURCE = selectList(SourceEntity, 'source', ['link']);

/** A feed of a user and a source that it has, or had. */
export type FollowedSource = RowOf<typeof SOURCE> & {
  readonly feedId: number;
  readonly sourceId: number;
  readonly url: string | null;
  readonly sourceUrl: string | null;
  readonly movedTo: string | null;
  readonly title: string;
  /** Hexadecimal. */
  readonly urlKey: string;
  /** Whether its articles come from requests. */
  readonly isGiven: boolean;
  /** Whether the feed had this source before. */
  readonly isFormer: boolean;
};

/** An article that a feed may have. */
export interface WantedArticle {
  readonly feedId: number;
  readonly sourceId: number;
  /** Hexadecimal MD5. */
  readonly guidHash: string;
}

/** Items whose guids are hashed one by one. */
const MOST_HASHED = 5000;

/** Finds what a user has already of a file. */
@Injectable()
export class MatchesRepository {
  constructor(private readonly database: Database) {}

  async feeds(readerId: number, tx: SqlRunner = this.database): Promise<FollowedSource[]> {
    const feeds = await tx.query<FollowedSource>(
      `select s.id as "feedId", source.id as "sourceId", s.url, source.url as "sourceUrl",
              coalesce(source.moving_to, source.effective_url) as "movedTo",
              coalesce(s.title, source.title) as title, ${SOURCE},
              encode(source.url_key, 'hex') as "urlKey", source.given_to is not null as "isGiven",
              false as "isFormer"
         from subscription s join source on source.id = s.source_id
        where s.reader_id = $1 and s.deleted_at is null`,
      [readerId],
    );
    const former = await tx.query<{ feedId: number; sourceId: number }>(
      'select subscription_id as "feedId", source_id as "sourceId" from former_source where reader_id = $1',
      [readerId],
    );
    const byId = new Map(feeds.map((feed) => [feed.feedId, feed]));
    return [
      ...feeds,
      ...former.flatMap(({ feedId, sourceId }) => {
        const feed = byId.get(feedId);
        const none = { url: null, sourceUrl: null, movedTo: null, isFormer: true };
        return feed === undefined ? [] : [{ ...feed, ...none, sourceId }];
      }),
    ];
  }

  /** Where these addresses are known to be redirected. @param keys of normalised addresses */
  async moves(
    keys: readonly Buffer[],
    tx: SqlRunner = this.database,
  ): Promise<{ readonly url: string; readonly to: string }[]> {
    return tx.query(
      `select url, coalesce(moving_to, effective_url) as "to" from source
        where url_key = any($1::bytea[]) and coalesce(moving_to, effective_url) is not null`,
      [keys],
    );
  }

  /** Items of articles by `feedId/guidHash`, the hash of the guid or of the key that it was made of. */
  async itemsByGuid(
    readerId: number,
    wanted: readonly WantedArticle[],
    tx: SqlRunner = this.database,
  ): Promise<Map<string, number>> {
    if (wanted.length === 0) {
      return new Map();
    }
    const articles = await tx.query<{ id: number; sourceId: number; guidHash: string }>(
      ['guid_hash', 'key_hash']
        .map(
          (column) => `select id, source_id as "sourceId", encode(${column}, 'hex') as "guidHash"
             from article where source_id = any($1::bigint[]) and ${column} = any($2::bytea[])`,
        )
        .join(' union '),
      [
        [...new Set(wanted.map(({ sourceId }) => sourceId))],
        [...new Set(wanted.map(({ guidHash }) => guidHash))].map((hash) => hexBytes(hash)),
      ],
    );
    const byKey = Map.groupBy(articles, ({ sourceId, guidHash }) => `${sourceId}/${guidHash}`);
    const pairs = wanted.flatMap(({ feedId, sourceId, guidHash }) =>
      (byKey.get(`${sourceId}/${guidHash}`) ?? []).map(({ id }) => ({ feedId, id, guidHash })),
    );
    const items = await tx.query<{ id: number; feedId: number; guidHash: string }>(
      `select item.id, wanted.feed_id as "feedId", wanted.guid_hash as "guidHash"
         from unnest($2::bigint[], $3::bigint[], $4::text[]) as wanted (feed_id, article_id, guid_hash)
         join item on item.reader_id = $1 and item.subscription_id = wanted.feed_id
                  and item.article_id = wanted.article_id
        order by item.id desc`,
      [
        readerId,
        pairs.map(({ feedId }) => feedId),
        pairs.map(({ id }) => id),
        pairs.map(({ guidHash }) => guidHash),
      ],
    );
    return new Map(items.map(({ id, feedId, guidHash }) => [`${feedId}/${guidHash}`, id]));
  }

  /** The newest items of a feed, with what programs hash. */
  async hashable(
    readerId: number,
    feedId: number,
    tx: SqlRunner = this.database,
  ): Promise<{ readonly itemId: number; readonly guid: string; readonly url: string | null }[]> {
    const items = await tx.query<{ itemId: number; articleId: number }>(
      `select id as "itemId", article_id as "articleId" from item
        where reader_id = $1 and subscription_id = $2 order by id desc limit ${MOST_HASHED}`,
      [readerId, feedId],
    );
    // A statement of its own: articles may be on another server.
    const articles = await tx.query<{ id: number; guid: string; url: string | null }>(
      'select id, guid, url from article where id = any($1::bigint[])',
      [items.map(({ articleId }) => articleId)],
    );
    const byId = new Map(articles.map((article) => [article.id, article]));
    return items.flatMap(({ itemId, articleId }) => {
      const article = byId.get(articleId);
      return article === undefined ? [] : [{ itemId, guid: article.guid, url: article.url }];
    });
  }
}

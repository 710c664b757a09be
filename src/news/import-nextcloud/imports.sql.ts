import type { SqlRunner } from '../../database/database.js';
import type { ArticleContent } from '../feed-parser/items/parsed-item.js';
import { itemDate } from '../reader/delivery/found-changes.sql.js';
import { recordItemEvents } from '../reader/delivery/item-events.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import {
  ARTICLE_COLUMNS,
  articleValues,
  asArrays,
  givenRows,
} from '../sources/articles/article-writes.sql.js';
import type { PlannedFeed } from './plan-import.js';

export interface ImportedArticle {
  readonly sourceId: number;
  /** Gets an id below all existing articles. */
  readonly archived: boolean;
  readonly article: ArticleContent;
}

export interface ImportedFeed extends Pick<
  PlannedFeed,
  | 'id'
  | 'folderId'
  | 'url'
  | 'title'
  | 'addedSeconds'
  | 'ordering'
  | 'pinned'
  | 'fullText'
  | 'updateMode'
> {
  readonly sourceId: number;
}

/** Items as columns of equal length. */
export interface ImportedItems {
  readonly ids: readonly number[];
  readonly feedIds: readonly number[];
  readonly articleIds: readonly number[];
  readonly stamps: readonly number[];
  readonly unread: readonly boolean[];
  readonly starred: readonly boolean[];
}

/** An article of an import that is stored. */
interface KnownImport {
  readonly id: number;
  /** `sourceId/guidHash` */
  readonly key: string;
  /** Not yet found by any fetch. */
  readonly isImported: boolean;
}

/** Selects the articles that are stored. */
export async function findKnown(
  articles: readonly ImportedArticle[],
  tx: SqlRunner,
): Promise<KnownImport[]> {
  return tx.query<KnownImport>(
    `select article.id, article.source_id || '/' || encode(article.guid_hash, 'hex') as key,
            article.rev = 0 as "isImported"
       from unnest($1::bigint[], $2::bytea[]) as given (source_id, guid_hash)
       join article using (source_id, guid_hash)`,
    [
      articles.map(({ sourceId }) => sourceId),
      articles.map(({ article }) => Buffer.from(article.guidHash, 'hex')),
    ],
  );
}

const COLUMNS = Object.keys(ARTICLE_COLUMNS);

const UPSERT_ARTICLES = `
  insert into article (id, source_id, first_rev, rev, ${COLUMNS.join(', ')}) overriding system value
  select id, source_id, 0, 0, ${COLUMNS.join(', ')}
    from ${givenRows({ id: 'bigint', source_id: 'bigint', ...ARTICLE_COLUMNS }, 1)}
  on conflict (source_id, guid_hash) do update
     set ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/**
 * Writes articles with revision 0, new or stored with revision 0, and their bodies.
 *
 * @param ids of the articles, in their order
 */
export async function upsertArticles(
  articles: readonly ImportedArticle[],
  ids: readonly number[],
  tx: SqlRunner,
): Promise<void> {
  const sourceIds = articles.map(({ sourceId }) => sourceId);
  const values = articles.map(({ article }) => articleValues(article));
  await tx.query(UPSERT_ARTICLES, [ids, sourceIds, ...asArrays(ARTICLE_COLUMNS, values)]);
  await tx.query(
    `insert into article_body (article_id, source_id, html)
     select id, source_id, html
       from unnest($1::bigint[], $2::bigint[], $3::text[]) as given (id, source_id, html)
     on conflict (article_id, source_id) do update set html = excluded.html`,
    [ids, sourceIds, articles.map(({ article }) => article.body)],
  );
}

const DELIVERED = `select id, 'ItemsDeliveredEvent' as subtype from inserted`;

/** Unix seconds by article. */
export async function listPubDates(
  runner: SqlRunner,
  articleIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await runner.query<{ id: number; seconds: number }>(
    'select id, pub_date_seconds as seconds from article where id = any($1::bigint[])',
    [articleIds],
  );
  return new Map(rows.map(({ id, seconds }) => [id, seconds]));
}

/** `items.feedIds` are ids of subscriptions. All arrive at the moment of the import. */
export async function insertItems(
  { id: readerId, stampMicros }: LockedReader,
  items: ImportedItems & { readonly pubDates: readonly number[] },
  tx: SqlRunner,
): Promise<void> {
  await tx.query(
    `with inserted as (
     insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread, starred,
                       date_seconds, arrived_micros)
     select $1, id, subscription_id, article_id, stamp, unread, starred,
            ${itemDate('pub_date_seconds', '(extract(epoch from now()) * 1000000)')}, $8
       from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[],
                   $7::boolean[], $9::bigint[])
            as given (id, subscription_id, article_id, stamp, unread, starred, pub_date_seconds)
     returning id
     ), ${recordItemEvents('$1', DELIVERED)} select`,
    [
      readerId,
      items.ids,
      items.feedIds,
      items.articleIds,
      items.stamps,
      items.unread,
      items.starred,
      stampMicros,
      items.pubDates,
    ],
  );
}

/** A feed with its publisher's current list. */
interface ListedFeed {
  readonly feedId: number;
  readonly sourceId: number;
  /** Revision at the moment of the list. */
  readonly rev: number;
  readonly articleIds: readonly number[];
}

/** An article that a feed lacks. */
interface MissingArticle {
  readonly articleId: number;
  readonly feedId: number;
  readonly sourceId: number;
}

/** Feeds of a reader; without their imported lists, which are delivered already. */
export async function listListed(readerId: number, tx: SqlRunner): Promise<ListedFeed[]> {
  const feeds = await tx.query<{ feedId: number; sourceId: number }>(
    'select id as "feedId", source_id as "sourceId" from subscription where reader_id = $1',
    [readerId],
  );
  const sources = await tx.query<{ id: number; rev: number; articleIds: readonly string[] | null }>(
    `select source.id, source.rev, document.article_ids as "articleIds"
       from source
       left join source_document document on document.source_id = source.id
                                         and document.body_hash <> ''::bytea
      where source.id = any($1::bigint[])`,
    [feeds.map(({ sourceId }) => sourceId)],
  );
  const byId = new Map(sources.map((source) => [source.id, source]));
  return feeds.flatMap(({ feedId, sourceId }) => {
    const source = byId.get(sourceId);
    const articleIds = source?.articleIds?.map(Number) ?? [];
    return source === undefined ? [] : [{ feedId, sourceId, rev: source.rev, articleIds }];
  });
}

/** Articles that feeds list and the reader has no items of. */
export async function listMissing(
  readerId: number,
  feeds: readonly ListedFeed[],
  tx: SqlRunner,
): Promise<MissingArticle[]> {
  const listed = feeds.flatMap(({ feedId, sourceId, articleIds }) =>
    articleIds.map((articleId) => ({ feedId, sourceId, articleId })),
  );
  const had = await tx.query<{ feedId: number; articleId: number }>(
    `select item.subscription_id as "feedId", item.article_id as "articleId"
       from unnest($2::bigint[], $3::bigint[]) as listed (feed_id, article_id)
       join item on item.reader_id = $1 and item.subscription_id = listed.feed_id
                and item.article_id = listed.article_id`,
    [readerId, listed.map(({ feedId }) => feedId), listed.map(({ articleId }) => articleId)],
  );
  const keyOf = (one: { readonly feedId: number; readonly articleId: number }) =>
    `${one.feedId}/${one.articleId}`;
  const keys = new Set(had.map(keyOf));
  return listed.filter((one) => !keys.has(keyOf(one)));
}

/**
 * Delivers articles that publishers list and the reader lacks, because other users' fetches brought them,
 * in the order of their ids; and moves watermarks and the reader's counters.
 *
 * @param stampMicros stamp of delivered items; at least every imported item's stamp and arrival
 */
export async function deliverListed(
  readerId: number,
  feeds: readonly ListedFeed[],
  missing: readonly (MissingArticle & { readonly pubDateSeconds: number })[],
  nextItemId: number,
  stampMicros: number,
  tx: SqlRunner,
): Promise<void> {
  await tx.query(
    `with inserted as (
       insert into item (reader_id, id, subscription_id, article_id, last_modified_micros, unread,
                         date_seconds, arrived_micros)
       select $1, $2::bigint + place - 1, subscription_id, article_id, $3, true,
              ${itemDate('pub_date_seconds', '$3')}, $3
         from unnest($4::bigint[], $5::bigint[], $6::bigint[]) with ordinality
              as missing (subscription_id, article_id, pub_date_seconds, place)
       returning id
     ), marked as (
       update subscription set delivered_rev = followed.rev
         from unnest($7::bigint[], $8::bigint[]) as followed (subscription_id, rev)
        where subscription.reader_id = $1 and subscription.id = followed.subscription_id
     ), ${recordItemEvents('$1', DELIVERED)}
     update reader set next_item_id = $2 + cardinality($5::bigint[]), last_modified_micros = $3
      where id = $1`,
    [
      readerId,
      nextItemId,
      stampMicros,
      missing.map(({ feedId }) => feedId),
      missing.map(({ articleId }) => articleId),
      missing.map(({ pubDateSeconds }) => pubDateSeconds),
      feeds.map(({ feedId }) => feedId),
      feeds.map(({ rev }) => rev),
    ],
  );
}

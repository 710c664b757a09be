import type { SqlRunner } from '../../database/database.js';
import type { ArticleContent } from '../feed-parser/parsed-feed.js';
import { recordItemEvents } from '../reader/events/item-events.sql.js';
import { itemDate } from '../reader/delivery/item-dates.sql.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { ARTICLE_COLUMNS } from '../sources/articles/article-writes.sql.js';

/** An article to be imported. */
export interface ImportedArticle {
  readonly sourceId: number;
  /** Gets an id below those of all existing articles. */
  readonly archived: boolean;
  readonly article: ArticleContent;
}

export interface ImportedFeed {
  readonly id: number;
  readonly sourceId: number;
  readonly folderId: number | null;
  readonly url: string;
  readonly title: string | null;
  readonly addedSeconds: number;
  readonly ordering: number;
  readonly pinned: boolean;
  readonly fullText: boolean;
  /** 0 a changed article keeps its unread flag, 1 it becomes unread. */
  readonly updateMode: number;
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

/** The tables whose ids an import may keep. */
export type NumberedTable = 'folder' | 'subscription';

/** @returns those of the ids that exist */
export async function listTakenIds(
  runner: SqlRunner,
  table: NumberedTable,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `select id from ${table} where id = any($1::bigint[]) order by id`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

export async function listFolderNames(runner: SqlRunner, readerId: number): Promise<string[]> {
  const folders = await runner.query<{ name: string }>(
    'select folder.name from folder where folder.reader_id = $1',
    [readerId],
  );
  return folders.map(({ name }) => name);
}

/** Keys of the user's sources, hexadecimal. */
export async function listSourceKeys(runner: SqlRunner, readerId: number): Promise<string[]> {
  const feeds = await runner.query<{ urlKey: string }>(
    `select encode(source.url_key, 'hex') as "urlKey"
       from subscription s
       join source on source.id = s.source_id
      where s.reader_id = $1`,
    [readerId],
  );
  return feeds.map(({ urlKey }) => urlKey);
}

export async function removeUnfollowedByKey(
  tx: SqlRunner,
  urlKeys: readonly Buffer[],
): Promise<void> {
  await tx.query(
    `delete from source where url_key = any($1::bytea[])
        and not exists (select 1 from follower where source_id = source.id)`,
    [urlKeys],
  );
}

export async function removeUnfollowedById(
  runner: SqlRunner,
  sourceIds: readonly number[],
): Promise<void> {
  await runner.query(
    `delete from source where id = any($1::bigint[])
        and not exists (select 1 from follower where source_id = source.id)`,
    [sourceIds],
  );
}

/** @returns those of the sources that have followers */
export async function listFollowed(tx: SqlRunner, sourceIds: readonly number[]): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    'select distinct source_id as id from follower where source_id = any($1::bigint[])',
    [sourceIds],
  );
  return rows.map(({ id }) => id);
}

/** @returns the lowest id of any article, 1 at most */
export async function findLowestArticleId(runner: SqlRunner): Promise<number> {
  const [row] = await runner.query<{ lowest: number }>(
    'select least(coalesce(min(id), 1), 1) as lowest from article',
  );
  return row?.lowest ?? 1;
}

/** By id, so that two writers cannot deadlock. */
export async function lockSources(tx: SqlRunner, sourceIds: readonly number[]): Promise<void> {
  await tx.query('select 1 from source where id = any($1::bigint[]) order by id for update', [
    sourceIds,
  ]);
}

/** An article of an import that is stored. */
export interface KnownImport {
  readonly id: number;
  /** `sourceId/guidHash` */
  readonly key: string;
  /** No fetch has brought it yet. */
  readonly isImported: boolean;
}

/** Those of these articles that are stored. */
export async function findKnown(
  tx: SqlRunner,
  articles: readonly ImportedArticle[],
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

/** @returns the next ids of the sequence of articles */
export async function takeArticleIds(runner: SqlRunner, count: number): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('article', 'id')) as id from generate_series(1, $1::int)`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/**
 * Writes articles with revision 0, new or stored with revision 0, and their bodies.
 *
 * @param ids of the articles, in their order
 */
export async function upsertArticles(
  tx: SqlRunner,
  articles: readonly ImportedArticle[],
  ids: readonly number[],
): Promise<void> {
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  const column = <Value>(value: (article: ArticleContent) => Value) =>
    articles.map(({ article }) => value(article));
  const sourceIds = articles.map(({ sourceId }) => sourceId);
  await tx.query(
    `insert into article (id, source_id, first_rev, rev, ${ARTICLE_COLUMNS.join(', ')})
     overriding system value
     select id, source_id, 0, 0, ${ARTICLE_COLUMNS.join(', ')}
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[], $5::bytea[], $6::bytea[],
                   $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::text[],
                   $13::text[], $14::text[], $15::text[], $16::boolean[])
            as given (id, source_id, ${ARTICLE_COLUMNS.join(', ')})
     on conflict (source_id, guid_hash) do update
        set ${ARTICLE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [
      ids,
      sourceIds,
      column(({ guid }) => guid),
      column(({ guidHash }) => bytes(guidHash)),
      column(({ fingerprint }) => bytes(fingerprint)),
      column(({ contentHash }) => bytes(contentHash)),
      column(({ title }) => title),
      column(({ author }) => author),
      column(({ url }) => url),
      column(({ pubDateSeconds }) => pubDateSeconds),
      column(({ updatedDateSeconds }) => updatedDateSeconds),
      column(({ enclosureMime }) => enclosureMime),
      column(({ enclosureLink }) => enclosureLink),
      column(({ mediaThumbnail }) => mediaThumbnail),
      column(({ mediaDescription }) => mediaDescription),
      column(({ rtl }) => rtl),
    ],
  );
  await tx.query(
    `insert into article_body (article_id, source_id, html)
     select id, source_id, html
       from unnest($1::bigint[], $2::bigint[], $3::text[]) as given (id, source_id, html)
     on conflict (article_id, source_id) do update set html = excluded.html`,
    [ids, sourceIds, column(({ body }) => body)],
  );
}

/**
 * Makes the newest articles of sources that were never fetched their current list. The empty hash
 * makes the first fetch read the whole document.
 *
 * @param longest entries of the longest document, by source
 */
export async function insertDocuments(
  runner: SqlRunner,
  longest: ReadonlyMap<number, number>,
): Promise<void> {
  const newest = await runner.query<{ sourceId: number; articleIds: string }>(
    `select source_id as "sourceId", array_agg(id order by id desc)::text as "articleIds"
       from (select article.source_id, id, given.longest,
                    row_number() over (partition by article.source_id order by id desc) as place
               from article
               join unnest($2::bigint[], $3::int[]) as given (source_id, longest)
                 on given.source_id = article.source_id
              where article.source_id = any($1::bigint[])) ranked
      where place <= longest
      group by source_id`,
    [[...longest.keys()], [...longest.keys()], [...longest.values()]],
  );
  const idsOf = new Map(newest.map(({ sourceId, articleIds }) => [sourceId, articleIds]));
  await runner.query(
    `insert into source_document (source_id, body_hash, article_ids)
     select source_id, ''::bytea, article_ids::bigint[]
       from unnest($1::bigint[], $2::text[]) as given (source_id, article_ids)
     on conflict (source_id) do nothing`,
    [[...longest.keys()], Array.from(longest.keys(), (id) => idsOf.get(id) ?? '{}')],
  );
}

/** Also has the search index the imported articles, whose revision is 0. */
export async function noteLongestDocuments(
  runner: SqlRunner,
  longest: ReadonlyMap<number, number>,
): Promise<void> {
  await runner.query(
    `update source
        set largest_document = greatest(largest_document, given.longest),
            search_rev = case when search_rev is not null then -1 end
       from unnest($1::bigint[], $2::int[]) as given (source_id, longest)
      where source.id = given.source_id`,
    [[...longest.keys()], [...longest.values()]],
  );
}

/** Moves the sequence of a table beyond an id. */
export async function raiseSequence(
  runner: SqlRunner,
  table: NumberedTable,
  highest: number,
): Promise<void> {
  await runner.query(
    `select setval(pg_get_serial_sequence($1, 'id'),
                   greatest($2::bigint, nextval(pg_get_serial_sequence($1, 'id'))))`,
    [table, highest],
  );
}

export async function takeIds(
  runner: SqlRunner,
  table: NumberedTable,
  count: number,
): Promise<number[]> {
  const rows = await runner.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2::int)`,
    [table, count],
  );
  return rows.map(({ id }) => id);
}

/** Whether a reader has any folder or feed, marked for deletion or not. */
export async function hasFoldersOrFeeds(tx: SqlRunner, readerId: number): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from folder where reader_id = $1
     union all select 1 from subscription where reader_id = $1 limit 1`,
    [readerId],
  );
  return rows.length > 0;
}

export async function insertFolders(
  tx: SqlRunner,
  readerId: number,
  folders: readonly { readonly id: number; readonly name: string }[],
): Promise<void> {
  await tx.query(
    `insert into folder (id, reader_id, name) overriding system value
     select id, $1, name from unnest($2::bigint[], $3::text[]) as given (id, name)`,
    [readerId, folders.map(({ id }) => id), folders.map(({ name }) => name)],
  );
}

/** Subscriptions that count as delivered up to the source's present revision. */
export async function insertFeeds(
  tx: SqlRunner,
  readerId: number,
  feeds: readonly ImportedFeed[],
): Promise<void> {
  await tx.query(
    `insert into subscription
            (id, reader_id, source_id, folder_id, url, title, added_at, ordering, pinned, update_mode,
             full_text, delivered_rev)
     overriding system value
     select given.id, $1, source.id, given.folder_id, given.url, nullif(given.title, source.title),
            to_timestamp(given.added_seconds), given.ordering, given.pinned,
            given.update_mode, given.full_text, source.rev
       from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
                   $8::smallint[], $9::boolean[], $10::smallint[], $11::boolean[])
            as given (id, source_id, folder_id, url, title, added_seconds, ordering, pinned,
                      update_mode, full_text)
       join source on source.id = given.source_id`,
    [
      readerId,
      feeds.map(({ id }) => id),
      feeds.map(({ sourceId }) => sourceId),
      feeds.map(({ folderId }) => folderId),
      feeds.map(({ url }) => url),
      feeds.map(({ title }) => title),
      feeds.map(({ addedSeconds }) => addedSeconds),
      feeds.map(({ ordering }) => ordering),
      feeds.map(({ pinned }) => pinned),
      feeds.map(({ updateMode }) => updateMode),
      feeds.map(({ fullText }) => fullText),
    ],
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
  tx: SqlRunner,
  { id: readerId, stampMicros }: LockedReader,
  items: ImportedItems & { readonly pubDates: readonly number[] },
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

/** A feed with what its publisher lists. */
export interface ListedFeed {
  readonly feedId: number;
  readonly sourceId: number;
  /** Of the same moment as the list. */
  readonly rev: number;
  readonly articleIds: readonly number[];
}

/** An article that a feed lacks. */
export interface MissingArticle {
  readonly articleId: number;
  readonly feedId: number;
  readonly sourceId: number;
}

/** Feeds of a reader; without their imported lists, which are delivered already. */
export async function listListed(tx: SqlRunner, readerId: number): Promise<ListedFeed[]> {
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
  tx: SqlRunner,
  readerId: number,
  feeds: readonly ListedFeed[],
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
 * Delivers articles that publishers list and the reader lacks, because other users' fetches brought
 * them, in the order of their ids; and moves watermarks and the reader's counters.
 *
 * @param stampMicros for delivered items; at least that of every imported item, and its arrival
 */
export async function deliverListed(
  tx: SqlRunner,
  readerId: number,
  feeds: readonly ListedFeed[],
  missing: readonly (MissingArticle & { readonly pubDateSeconds: number })[],
  nextItemId: number,
  stampMicros: number,
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

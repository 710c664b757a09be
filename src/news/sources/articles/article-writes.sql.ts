import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { columnOf } from '../../../database/select-list.js';
import type { ParsedFeed, ParsedItem } from '../../feed-parser/parsed-feed.js';
import { NO_EVIDENCE, partOf } from '../../feed-parser/items/item-identity.js';
import { ArticleEntity } from './article.entity.js';
import { hexBytes, type KnownArticle } from './known-articles.sql.js';
import type { ArticleName } from './name-articles.js';

/** Columns of an article's content, in the order in which they are written; the body is separate. */
const CONTENT_COLUMNS = (
  [
    'fingerprint',
    'contentHash',
    'title',
    'author',
    'url',
    'pubDateSeconds',
    'updatedDateSeconds',
    'enclosureMime',
    'enclosureLink',
    'mediaThumbnail',
    'mediaDescription',
    'rtl',
  ] as const
).map((property) => columnOf(ArticleEntity, property));

/** The same after the guid of the article, which never changes. */
export const ARTICLE_COLUMNS = ['guid', 'guid_hash', ...CONTENT_COLUMNS];

/** An article to insert. */
export interface NewArticle {
  readonly item: ParsedItem;
  readonly name: ArticleName;
  /** Its tombstone, when it was stored before and removed. */
  readonly removed: KnownArticle | null;
  /** Whether the evidence is needed to identify it. */
  readonly byEvidence: boolean;
}

/** A stored article and the item of the document that it is. */
export interface ListedArticle {
  readonly id: number;
  readonly guidHash: string;
  readonly item: ParsedItem;
  readonly byEvidence: boolean;
}

const NEW_COLUMNS = [...ARTICLE_COLUMNS, 'key_hash', 'evidence', 'extras'];

const INSERT_ARTICLES = prepared(
  'insert-articles',
  `with given as materialized (
     select * from unnest($2::text[], $3::bytea[], $4::bytea[], $5::bytea[],
            $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::text[],
            $13::text[], $14::text[], $15::boolean[], $16::text[], $17::bytea[], $18::bytea[],
            $19::jsonb[], $20::bigint[], $21::bigint[]) with ordinality as given
            (${ARTICLE_COLUMNS.join(', ')}, html, key_hash, evidence, extras, first_rev, unlisted_rev, place)
   ), created as (
     insert into article (source_id, first_rev, rev, unlisted_rev, ${NEW_COLUMNS.join(', ')})
     select $1, coalesce(given.first_rev, source.rev), source.rev, given.unlisted_rev,
            ${givenColumns(NEW_COLUMNS, 'extract(epoch from now())::bigint')}
       from given join source on source.id = $1
      order by given.place
     returning id, guid_hash
   ), bodies as (
     insert into article_body (article_id, html)
     select created.id, given.html from created join given using (guid_hash)
   )
   select id, encode(guid_hash, 'hex') as "guidHash" from created`,
);

/**
 * Inserts all new articles in one statement; ids rise in the order given. A removed one gets its
 * former first revision again, and its tombstone is deleted.
 *
 * @returns ids in the order given
 */
export async function insertArticles(
  tx: SqlRunner,
  sourceId: number,
  articles: readonly NewArticle[],
): Promise<number[]> {
  if (articles.length === 0) {
    return [];
  }
  const rows = await tx.query<{ id: number; guidHash: string }>(INSERT_ARTICLES, [
    sourceId,
    articles.map(({ name }) => name.guid),
    articles.map(({ name }) => hexBytes(name.guidHash)),
    ...contentArrays(articles.map(({ item }) => item)),
    articles.map(({ item }) => item.body),
    articles.map(({ item, name }) => keyHash(item, name.guidHash)),
    articles.map(evidence),
    articles.map(extras),
    articles.map(({ removed }) => removed?.firstRev ?? null),
    articles.map(({ removed }) => removed?.unlistedRev ?? 0),
  ]);
  const removed = articles.filter((article) => article.removed !== null);
  if (removed.length > 0) {
    await tx.query(
      'delete from article_tombstone where source_id = $1 and guid_hash = any($2::bytea[])',
      [sourceId, removed.map(({ name }) => hexBytes(name.guidHash))],
    );
  }
  const ids = new Map(rows.map(({ id, guidHash }) => [guidHash, id]));
  return articles.flatMap(({ name }) => ids.get(name.guidHash) ?? []);
}

/** Updates all changed articles in one statement; everything but the guid is replaced. */
export async function updateArticles(
  tx: SqlRunner,
  sourceId: number,
  articles: readonly ListedArticle[],
): Promise<void> {
  if (articles.length === 0) {
    return;
  }
  const columns = [...CONTENT_COLUMNS, 'key_hash', 'evidence', 'extras'];
  await tx.query(
    `with given as (select * from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::text[],
            $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[],
            $13::text[], $14::boolean[], $15::text[], $16::bytea[], $17::bytea[],
            $18::jsonb[])
            as given (id, ${CONTENT_COLUMNS.join(', ')}, html, key_hash, evidence, extras)),
     changed as (
       update article set (rev, ${columns.join(', ')}) =
              (source.rev, ${givenColumns(columns, 'article.pub_date_seconds')})
         from given, source
        where source.id = $1 and article.source_id = $1 and article.id = given.id
       returning article.id, given.html
     )
     insert into article_body (article_id, html) select id, html from changed
     on conflict (article_id) do update set html = excluded.html`,
    [
      sourceId,
      articles.map(({ id }) => id),
      ...contentArrays(articles.map(({ item }) => item)),
      articles.map(({ item }) => item.body),
      articles.map(({ item, guidHash }) => keyHash(item, guidHash)),
      articles.map(evidence),
      articles.map(extras),
    ],
  );
}

/** Updates lookup key and evidence, which no client sees. */
export async function noteIdentity(
  tx: SqlRunner,
  articles: readonly ListedArticle[],
): Promise<void> {
  if (articles.length === 0) {
    return;
  }
  await tx.query(
    `update article set key_hash = given.key_hash, evidence = given.evidence
       from unnest($1::bigint[], $2::bytea[], $3::bytea[]) as given (id, key_hash, evidence)
      where article.id = given.id`,
    [
      articles.map(({ id }) => id),
      articles.map(({ item, guidHash }) => keyHash(item, guidHash)),
      articles.map(({ item }) => hexBytes(item.lookup.evidence)),
    ],
  );
}

/**
 * Queues articles that are listed again for late delivery: to feeds that were subscribed while the
 * source did not list them, and to feeds before their first delivery, which may have read the
 * previous listing.
 *
 * @returns whether there is any such feed
 */
export async function deliverLate(
  tx: SqlRunner,
  sourceId: number,
  articleIds: readonly number[],
): Promise<boolean> {
  if (articleIds.length === 0) {
    return false;
  }
  const rows = await tx.query(
    `insert into late_delivery (subscription_id, article_id)
     select s.id, article.id
       from article join subscription s on s.source_id = article.source_id
      where article.source_id = $1 and article.id = any($2::bigint[])
        and (s.started_rev >= article.unlisted_rev or s.delivered_rev < 0)
        and not exists (select from item where item.subscription_id = s.id
                                           and item.article_id = article.id)
     on conflict do nothing returning 1`,
    [sourceId, articleIds],
  );
  return rows.length > 0;
}

const writingDocument = (unlisted: string) => `
  with ${unlisted} described as (
    -- A truncated document may lack title and link at its end; then the former ones stay.
    update source set title = case when $9 and $4 = '' then title else $4 end,
                      link = case when $9 then coalesce($5, link) else $5 end,
                      largest_document = greatest(largest_document, $6),
                      publishing_hints = $7, warning = $8
     where id = $1
  )
  insert into source_document (source_id, body_hash, article_ids) values ($1, $2, $3)
  on conflict (source_id) do update
     set body_hash = excluded.body_hash, article_ids = excluded.article_ids,
         listed_at = case when source_document.article_ids = excluded.article_ids
                       then source_document.listed_at else now() end`;

const WRITE_DOCUMENT = prepared('write-document', writingDocument(''));

/** `$10`: articles that are not listed any more. */
const WRITE_SHORTER_DOCUMENT = writingDocument(`unlisted as (
    update article set unlisted_rev = source.rev from source
     where source.id = $1 and article.source_id = $1 and article.id = any($10::bigint[])
  ),`);

/**
 * Writes what a document says of the feed, its hash and its listing.
 *
 * @param listing `articleIds` are listed now, `unlisted` were in the previous document only
 */
export async function writeDocument(
  tx: SqlRunner,
  sourceId: number,
  feed: ParsedFeed,
  listing: {
    readonly bodyHash: Buffer;
    readonly articleIds: readonly number[];
    readonly unlisted: readonly number[];
  },
): Promise<void> {
  await tx.query(listing.unlisted.length === 0 ? WRITE_DOCUMENT : WRITE_SHORTER_DOCUMENT, [
    sourceId,
    listing.bodyHash,
    listing.articleIds,
    feed.title,
    feed.link,
    feed.items.length,
    JSON.stringify(feed.publishing),
    feed.warning,
    feed.cut,
    ...(listing.unlisted.length === 0 ? [] : [listing.unlisted]),
  ]);
}

function keyHash({ lookup }: ParsedItem, guidHash: string): Buffer | null {
  return lookup.keyHash === guidHash ? null : hexBytes(lookup.keyHash);
}

/** Null where it can be computed from the columns, which is impossible for an article without a date. */
function evidence({ item, byEvidence }: NewArticle | ListedArticle): Buffer | null {
  const { evidence: evidenceOfItem } = item.lookup;
  return byEvidence || partOf(evidenceOfItem, 'date') === NO_EVIDENCE
    ? hexBytes(evidenceOfItem)
    : null;
}

function extras({ item }: NewArticle | ListedArticle): string | null {
  return item.extras && JSON.stringify(item.extras);
}

/** One array per column of CONTENT_COLUMNS, in the same order. */
function contentArrays(items: readonly ParsedItem[]): unknown[][] {
  return [
    items.map((item) => hexBytes(item.fingerprint)),
    items.map((item) => hexBytes(item.contentHash)),
    items.map((item) => item.title),
    items.map((item) => item.author),
    items.map((item) => item.url),
    items.map((item) => item.pubDateSeconds),
    items.map((item) => item.updatedDateSeconds),
    items.map((item) => item.enclosureMime),
    items.map((item) => item.enclosureLink),
    items.map((item) => item.mediaThumbnail),
    items.map((item) => item.mediaDescription),
    items.map((item) => item.rtl),
  ];
}

/** @param undated SQL of the date of an article that the publisher did not date */
function givenColumns(columns: readonly string[], undated: string): string {
  return columns
    .map((column) =>
      column === 'pub_date_seconds' ? `coalesce(given.${column}, ${undated})` : `given.${column}`,
    )
    .join(', ');
}

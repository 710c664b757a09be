import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { columnOf } from '../../../database/select-list.js';
import { NO_EVIDENCE, partOf } from '../../feed-parser/items/item-identity.js';
import {
  CONTENT_COLUMNS,
  CONTENT_TYPES,
  type ArticleContent,
  type ParsedItem,
} from '../../feed-parser/items/parsed-item.js';
import type { ParsedFeed } from '../../feed-parser/parsed-feed.js';
import { ArticleEntity } from '../../tables/article.entity.js';
import { hexBytes, type KnownArticle } from './known-articles.sql.js';
import type { ArticleName } from './name-articles.js';

type ColumnTypes = Readonly<Record<string, string>>;

/** Types of the columns with what a document may change, in the order of `contentValues`. */
const CHANGEABLE: ColumnTypes = {
  fingerprint: 'bytea',
  content_hash: 'bytea',
  ...Object.fromEntries(
    CONTENT_COLUMNS.map((property) => [columnOf(ArticleEntity, property), CONTENT_TYPES[property]]),
  ),
};

/** In the order of `articleValues`: `CHANGEABLE` after the guid of the article, which never changes. */
export const ARTICLE_COLUMNS: ColumnTypes = { guid: 'text', guid_hash: 'bytea', ...CHANGEABLE };

/** SQL of rows whose values are given as an array for each column, from this parameter on. */
export function givenRows(columns: ColumnTypes, parameter: number): string {
  const arrays = Object.values(columns).map((type, place) => `$${parameter + place}::${type}[]`);
  return `unnest(${arrays.join(', ')}) as given (${Object.keys(columns).join(', ')})`;
}

/** A started revision, and the values for its new articles. */
export interface Revision {
  readonly rev: number;
  /** Number of new articles that may be stored now; they are counted. */
  readonly taken: number;
  /** Their ids, rising. The coordinator's sequence makes them, wherever articles are stored. */
  readonly articleIds: readonly number[];
  /** The database's time in unix seconds. */
  readonly nowSeconds: number;
  /** Whether any follower is an early reader. */
  readonly isAwaited: boolean;
}

/** An article to insert. */
export interface NewArticle {
  readonly item: ParsedItem;
  readonly name: ArticleName;
  /** The article's tombstone, if it was stored before and removed. */
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

/** A stored article that the document changes. */
export interface ChangedArticle extends ListedArticle {
  /** Whether more changes than its date and the servers of its addresses. */
  readonly isText: boolean;
}

const NEW_COLUMNS = [
  'id',
  'source_id',
  'rev',
  'first_rev',
  'unlisted_rev',
  ...Object.keys(ARTICLE_COLUMNS),
  'key_hash',
  'evidence',
  'extras',
];
const BODY_COLUMNS = ['article_id', 'source_id', 'html'];

/** Articles of one statement, which has some twenty parameters for each. */
const MOST_IN_STATEMENT = 250;

/** Characters of their bodies together: writing a statement for the server is one piece of work. */
const LONGEST_IN_STATEMENT = 2 * 1024 * 1024;

/**
 * Numbers of new articles of one statement, since each is prepared: most documents list a round number, and most
 * later fetches bring at most five.
 */
const INSERTED_TOGETHER = [30, 20, 10, 5, 4, 3, 2, 1];

/**
 * Rows as `values`, because Citus sends rows of one source to their shard as a part of the transaction. The
 * rows of an `insert … select` would be committed after the revision is visible. `$1` source, `$2`
 * revision, `$3` articles that are not listed any more; then the articles.
 */
function insertingArticles(count: number): string {
  let parameters = 3;
  const rows = Array.from({ length: count }, () => {
    const article = NEW_COLUMNS.map((column) => {
      const shared = column === 'source_id' ? 1 : column === 'rev' ? 2 : null;
      return `$${shared ?? (parameters += 1)}`;
    });
    return { article, body: [article[0], '$1', `$${(parameters += 1)}`] };
  });
  return `
    with created as (
      insert into article (${NEW_COLUMNS.join(', ')}) overriding system value
      values ${rows.map(({ article }) => `(${article.join(', ')})`).join(', ')}
    ), unlisted as (
      update article set unlisted_rev = $2 where source_id = $1 and id = any($3::bigint[])
    )
    insert into article_body (${BODY_COLUMNS.join(', ')})
    values ${rows.map(({ body }) => `(${body.join(', ')})`).join(', ')}`;
}

const INSERTS = new Map(
  INSERTED_TOGETHER.map((count) => [
    count,
    prepared(`insert-${count}-articles`, insertingArticles(count)),
  ]),
);

/**
 * Inserts new articles. A removed one gets its former first revision again, and its tombstone is
 * deleted.
 *
 * @param unlisted ids of stored articles that are not listed any more
 * @returns ids in the order given, rising
 */
export async function insertArticles(
  sourceId: number,
  { rev, articleIds, nowSeconds }: Revision,
  articles: readonly NewArticle[],
  unlisted: readonly number[],
  tx: SqlRunner,
): Promise<number[]> {
  const ids = articleIds.slice(0, articles.length);
  let first = 0;
  for (const [insert, some] of perInsert(articles)) {
    await tx.query(insert, [
      sourceId,
      rev,
      first === 0 ? unlisted : [],
      ...some.flatMap((article, place) => [
        ids[first + place],
        ...newValues(article, rev, nowSeconds),
      ]),
    ]);
    first += some.length;
  }
  const removed = articles.filter((article) => article.removed !== null);
  if (removed.length > 0) {
    await tx.query(
      'delete from article_tombstone where source_id = $1 and guid_hash = any($2::bytea[])',
      [sourceId, removed.map(({ name }) => hexBytes(name.guidHash))],
    );
  }
  return ids;
}

/** Divides articles into those of one prepared statement each. */
function* perInsert<Article extends Pick<ListedArticle, 'item'>>(
  articles: readonly Article[],
): Generator<readonly [insert: string, articles: readonly Article[]]> {
  for (const some of perStatement(articles)) {
    let rest = some;
    for (const [count, insert] of INSERTS) {
      while (rest.length >= count) {
        yield [insert, rest.slice(0, count)];
        rest = rest.slice(count);
      }
    }
  }
}

/** Divides articles into those of one statement each. */
function* perStatement<Article extends Pick<ListedArticle, 'item'>>(
  articles: readonly Article[],
): Generator<readonly Article[]> {
  let some: Article[] = [];
  let length = 0;
  for (const article of articles) {
    length += article.item.body.length;
    if (some.length === MOST_IN_STATEMENT || (some.length > 0 && length > LONGEST_IN_STATEMENT)) {
      yield some;
      some = [];
      length = article.item.body.length;
    }
    some.push(article);
  }
  if (some.length > 0) {
    yield some;
  }
}

/** Values of NEW_COLUMNS after the id, without source and revision; then the body. */
function newValues(article: NewArticle, rev: number, nowSeconds: number): unknown[] {
  const { item, name, removed } = article;
  return [
    removed?.firstRev ?? rev,
    removed?.unlistedRev ?? 0,
    ...articleValues({ ...item, ...name, pubDateSeconds: item.pubDateSeconds ?? nowSeconds }),
    keyHash(item, name.guidHash),
    evidence(article),
    extras(article),
    item.body,
  ];
}

/** Updates changed articles; everything but the guid is replaced. */
export async function updateArticles(
  sourceId: number,
  rev: number,
  articles: readonly ChangedArticle[],
  tx: SqlRunner,
): Promise<void> {
  for (const some of perStatement(articles)) {
    await updateSome(sourceId, rev, some, tx);
  }
}

const UPDATED: ColumnTypes = {
  ...CHANGEABLE,
  key_hash: 'bytea',
  evidence: 'bytea',
  extras: 'jsonb',
};
const GIVEN: ColumnTypes = { id: 'bigint', html: 'text', is_text: 'boolean', ...UPDATED };

const UPDATE_ARTICLES = `
  with given as (select * from ${givenRows(GIVEN, 3)}), changed as (
    update article set (rev, text_rev, ${Object.keys(UPDATED).join(', ')}) =
           ($2, case when not given.is_text then coalesce(article.text_rev, article.rev) end,
            ${Object.keys(UPDATED).map(givenValue).join(', ')})
      from given
     where article.source_id = $1 and article.id = given.id
    returning article.id, given.html
  )
  update article_body set html = changed.html
    from changed where article_body.source_id = $1 and article_id = changed.id`;

/** An article that the publisher did not date keeps its date. */
function givenValue(column: string): string {
  return column === 'pub_date_seconds'
    ? 'coalesce(given.pub_date_seconds, article.pub_date_seconds)'
    : `given.${column}`;
}

async function updateSome(
  sourceId: number,
  rev: number,
  articles: readonly ChangedArticle[],
  tx: SqlRunner,
): Promise<void> {
  const rows = articles.map((article) => {
    const { id, item, guidHash, isText } = article;
    const identity = [keyHash(item, guidHash), evidence(article)];
    return [id, item.body, isText, ...contentValues(item), ...identity, extras(article)];
  });
  await tx.query(UPDATE_ARTICLES, [sourceId, rev, ...asArrays(GIVEN, rows)]);
}

/** Updates lookup key, evidence, and the parameters of addresses, without telling clients. */
export async function noteIdentity(
  sourceId: number,
  articles: readonly ListedArticle[],
  tx: SqlRunner,
): Promise<void> {
  if (articles.length === 0) {
    return;
  }
  await tx.query(
    `update article set (key_hash, evidence, url, enclosure_link, fingerprint, content_hash) =
            (given.key_hash, given.evidence, given.url, given.enclosure_link, given.fingerprint,
             given.content_hash)
       from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::bytea[],
                   $8::bytea[])
         as given (id, key_hash, evidence, url, enclosure_link, fingerprint, content_hash)
      where article.source_id = $1 and article.id = given.id`,
    [
      sourceId,
      articles.map(({ id }) => id),
      articles.map(({ item, guidHash }) => keyHash(item, guidHash)),
      articles.map(({ item }) => hexBytes(item.lookup.evidence)),
      articles.map(({ item }) => item.url),
      articles.map(({ item }) => item.enclosureLink),
      articles.map(({ item }) => hexBytes(item.fingerprint)),
      articles.map(({ item }) => hexBytes(item.contentHash)),
    ],
  );
}

/**
 * Queues relisted articles for late delivery: to feeds that were subscribed while the source did not list
 * them, and to feeds before their first delivery, which may have read the previous listing.
 *
 * @returns whether there is any such feed
 */
export async function deliverLate(
  sourceId: number,
  articles: readonly { readonly id: number; readonly unlistedRev: number }[],
  tx: SqlRunner,
): Promise<boolean> {
  if (articles.length === 0) {
    return false;
  }
  const readers = await tx.query<{ id: number }>(
    'select distinct reader_id as id from follower where source_id = $1',
    [sourceId],
  );
  const late = await tx.query<{ feedId: number; articleId: number }>(
    `select s.id as "feedId", relisted.id as "articleId"
       from unnest($2::bigint[], $3::bigint[]) as relisted (id, unlisted_rev)
       join subscription s on s.source_id = $1
      where s.reader_id = any($4::bigint[])
        and (s.started_rev >= relisted.unlisted_rev or s.delivered_rev < 0)
        and not exists (select 1 from item where item.reader_id = s.reader_id
                                           and item.subscription_id = s.id
                                           and item.article_id = relisted.id)`,
    [
      sourceId,
      articles.map(({ id }) => id),
      articles.map(({ unlistedRev }) => unlistedRev),
      readers.map(({ id }) => id),
    ],
  );
  if (late.length === 0) {
    return false;
  }
  const rows = await tx.query(
    `insert into late_delivery (subscription_id, article_id)
     select late.* from unnest($1::bigint[], $2::bigint[]) as late (feed_id, article_id)
      where exists (select 1 from follower where subscription_id = late.feed_id)
     on conflict do nothing returning 1`,
    [late.map(({ feedId }) => feedId), late.map(({ articleId }) => articleId)],
  );
  return rows.length > 0;
}

const WRITE_DOCUMENT = prepared(
  'write-document',
  `with described as (
    -- A truncated document may lack title and link at its end; then the former ones stay.
    update source set title = case when $9 and $4 = '' then title else $4 end,
                      link = case when $9 then coalesce($5, link) else $5 end,
                      largest_document = greatest(largest_document, $6),
                      publishing_hints = $7, warning = $8
     where id = $1
  )
  insert into source_document (source_id, body_hash, article_ids, recent_pub_dates)
  values ($1, $2, $3, $10)
  on conflict (source_id) do update
     set body_hash = excluded.body_hash, article_ids = excluded.article_ids,
         recent_pub_dates = excluded.recent_pub_dates,
         listed_at = case when source_document.article_ids = excluded.article_ids
                       then source_document.listed_at else now() end`,
);

/** Stores a document's feed metadata, its hash and its list. */
export async function writeDocument(
  sourceId: number,
  feed: ParsedFeed,
  listing: {
    readonly bodyHash: Buffer;
    readonly articleIds: readonly number[];
    /** Publication times of the newest listed articles, in any order. */
    readonly pubDatesSeconds: readonly number[];
  },
  tx: SqlRunner,
): Promise<void> {
  await tx.query(WRITE_DOCUMENT, [
    sourceId,
    listing.bodyHash,
    listing.articleIds,
    feed.title,
    feed.link,
    feed.items.length,
    JSON.stringify(feed.publishing),
    feed.warning,
    feed.cut,
    listing.pubDatesSeconds,
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

export function articleValues(article: ArticleContent): unknown[] {
  return [article.guid, hexBytes(article.guidHash), ...contentValues(article)];
}

function contentValues(article: ArticleContent): unknown[] {
  const { fingerprint, contentHash } = article;
  return [
    hexBytes(fingerprint),
    hexBytes(contentHash),
    ...CONTENT_COLUMNS.map((name) => article[name]),
  ];
}

/** An array for each column. */
export function asArrays(columns: ColumnTypes, rows: readonly (readonly unknown[])[]): unknown[][] {
  return Object.keys(columns).map((_, place) => rows.map((row) => row[place]));
}

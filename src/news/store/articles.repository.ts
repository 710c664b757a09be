import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../database/database.js';
import type { ParsedFeed, ParsedItem } from '../fetch/parsed-feed.js';
import type { Lease } from './schedule.repository.js';

/** The two validators a server gave with one and the same document. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What a fetch found out, to be written in one go. */
export type FetchResult =
  | { readonly outcome: 'unchanged'; readonly validators: Validators | null }
  | {
      readonly outcome: 'document';
      readonly feed: ParsedFeed;
      readonly bodyHash: Buffer;
      readonly validators: Validators;
    }
  | { readonly outcome: 'failed'; readonly message: string };

/**
 * Writes what fetches brought. Ingest holds the source's lock and checks the lease in the same
 * transaction: revisions are committed in order, and a worker that lost its lease writes nothing.
 */
@Injectable()
export class ArticlesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes the result of a fetch and when the source is due next.
   *
   * @param dueAtSeconds unix seconds of the next fetch
   * @returns whether it was written; false when somebody else took the source over meanwhile
   */
  async complete(lease: Lease, result: FetchResult, dueAtSeconds: number): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query('select 1 from source where id = $1 for update', [lease.sourceId]);
      const finished = await tx.query(
        `update source_schedule set due_at = to_timestamp($3), lease_token = null
          where source_id = $1 and lease_token = $2 returning 1`,
        [lease.sourceId, lease.token, dueAtSeconds],
      );
      if (finished.length === 0) {
        return false;
      }
      if (result.outcome === 'document') {
        await this.#ingest(tx, lease.sourceId, result.feed, result.bodyHash);
      }
      await noteOutcome(tx, lease.sourceId, result);
      return true;
    });
  }

  async #ingest(
    tx: Transaction,
    sourceId: number,
    feed: ParsedFeed,
    bodyHash: Buffer,
  ): Promise<void> {
    const known = await knownArticles(tx, sourceId, feed.items);
    const fresh = feed.items.filter((item) => !known.has(item.guidHash));
    const changed = feed.items.filter((item) => {
      const article = known.get(item.guidHash);
      return article !== undefined && article.contentHash !== item.contentHash;
    });

    if (fresh.length > 0 || changed.length > 0) {
      await tx.query('update source set rev = rev + 1 where id = $1', [sourceId]);
    }
    // Publishers list the newest entry first; the newest is to get the highest id.
    const created = await insertArticles(tx, sourceId, fresh.toReversed());
    await updateArticles(tx, sourceId, changed);

    const listed = [...[...known.values()].map(({ id }) => id), ...created];
    await tx.query(
      `insert into source_document (source_id, body_hash, article_ids) values ($1, $2, $3)
       on conflict (source_id) do update
          set body_hash = excluded.body_hash, article_ids = excluded.article_ids`,
      [sourceId, bodyHash, listed],
    );
    await tx.query(
      `update source set title = $2, link = $3, largest_document = greatest(largest_document, $4)
        where id = $1`,
      [sourceId, feed.title, feed.link, feed.items.length],
    );
  }
}

interface KnownArticle {
  readonly id: number;
  readonly guidHash: string;
  readonly contentHash: string;
}

/** Rides on article_source_id_guid_hash_unique. */
async function knownArticles(
  tx: SqlRunner,
  sourceId: number,
  items: readonly ParsedItem[],
): Promise<Map<string, KnownArticle>> {
  const rows = await tx.query<KnownArticle>(
    `select id, encode(guid_hash, 'hex') as "guidHash", encode(content_hash, 'hex') as "contentHash"
       from article where source_id = $1 and guid_hash = any($2::bytea[])`,
    [sourceId, items.map((item) => Buffer.from(item.guidHash, 'hex'))],
  );
  return new Map(rows.map((row) => [row.guidHash, row]));
}

/** One statement for all new articles; ids rise in the order given. @returns their ids */
async function insertArticles(
  tx: SqlRunner,
  sourceId: number,
  items: readonly ParsedItem[],
): Promise<number[]> {
  if (items.length === 0) {
    return [];
  }
  const rows = await tx.query<{ id: number }>(
    `with given as (select * from unnest(${ARTICLE_ARRAYS}) with ordinality as given
                      (${ARTICLE_COLUMNS.join(', ')}, html, place)),
     created as (
       insert into article (source_id, first_rev, rev, ${ARTICLE_COLUMNS.join(', ')})
       select $1, source.rev, source.rev, ${givenColumns('extract(epoch from now())::bigint')}
         from given, source where source.id = $1 order by given.place
       returning id, guid_hash
     )
     insert into article_body (article_id, html)
     select created.id, given.html from created join given using (guid_hash)
     returning article_id as id`,
    [sourceId, ...articleArrays(items)],
  );
  return rows.map(({ id }) => id);
}

/** One statement for all changed articles; everything but identity is replaced. */
async function updateArticles(
  tx: SqlRunner,
  sourceId: number,
  items: readonly ParsedItem[],
): Promise<void> {
  if (items.length === 0) {
    return;
  }
  await tx.query(
    `with given as (select * from unnest(${ARTICLE_ARRAYS}) as given (${ARTICLE_COLUMNS.join(', ')}, html)),
     changed as (
       update article set (rev, ${ARTICLE_COLUMNS.join(', ')}) =
              (source.rev, ${givenColumns('article.pub_date_seconds')})
         from given, source
        where source.id = $1 and article.source_id = $1 and article.guid_hash = given.guid_hash
       returning article.id, given.html
     )
     insert into article_body (article_id, html) select id, html from changed
     on conflict (article_id) do update set html = excluded.html`,
    [sourceId, ...articleArrays(items)],
  );
}

const ARTICLE_COLUMNS = [
  'guid',
  'guid_hash',
  'fingerprint',
  'content_hash',
  'title',
  'author',
  'url',
  'pub_date_seconds',
  'updated_date_seconds',
  'enclosure_mime',
  'enclosure_link',
  'media_thumbnail',
  'media_description',
  'rtl',
];

const ARTICLE_ARRAYS =
  '$2::text[], $3::bytea[], $4::bytea[], $5::bytea[], $6::text[], $7::text[], $8::text[], ' +
  '$9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::boolean[], ' +
  '$16::text[]';

/** One array per column, bodies last. */
function articleArrays(items: readonly ParsedItem[]): unknown[][] {
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  return [
    items.map((item) => item.guid),
    items.map((item) => bytes(item.guidHash)),
    items.map((item) => bytes(item.fingerprint)),
    items.map((item) => bytes(item.contentHash)),
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
    items.map((item) => item.body),
  ];
}

/** An article the publisher did not date keeps `undated`: the time of the fetch, or what it had. */
function givenColumns(undated: string): string {
  return ARTICLE_COLUMNS.map((column) =>
    column === 'pub_date_seconds' ? `coalesce(given.${column}, ${undated})` : `given.${column}`,
  ).join(', ');
}

async function noteOutcome(tx: SqlRunner, sourceId: number, result: FetchResult): Promise<void> {
  if (result.outcome === 'failed') {
    await tx.query(
      `update source set fetched_at = now(), error_count = error_count + 1, last_error = $2
        where id = $1`,
      [sourceId, result.message],
    );
    return;
  }
  if (result.validators === null) {
    await tx.query(
      'update source set fetched_at = now(), error_count = 0, last_error = null where id = $1',
      [sourceId],
    );
    return;
  }
  await tx.query(
    `update source set fetched_at = now(), error_count = 0, last_error = null,
                       etag = $2, last_modified = $3
      where id = $1`,
    [sourceId, result.validators.etag, result.validators.lastModified],
  );
}

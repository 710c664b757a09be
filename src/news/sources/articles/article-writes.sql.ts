import type { SqlRunner } from '../../../database/database.js';
import type { ParsedItem } from '../../feed-parser/parsed-feed.js';
import { NO_EVIDENCE, partOf } from '../../feed-parser/items/item-identity.js';
import { ARTICLE_COLUMNS, CONTENT_COLUMNS } from './article-columns.js';
import { hexBytes, type KnownArticle } from './known-articles.sql.js';
import type { ArticleName } from './name-articles.js';

/** An article on its way in; `removed` is what is left of it when it was here before. */
export interface NewArticle {
  readonly item: ParsedItem;
  readonly name: ArticleName;
  readonly removed: KnownArticle | null;
  readonly byEvidence: boolean;
}

/** What a document says of an article that is stored. */
export interface ListedArticle {
  readonly id: number;
  readonly guidHash: string;
  readonly item: ParsedItem;
  readonly byEvidence: boolean;
}

/**
 * One statement for all new articles; ids rise in the order given. One that was removed comes back
 * under the revision it first had, and its tombstone goes.
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
  const columns = [...ARTICLE_COLUMNS, 'key_hash', 'evidence'];
  const rows = await tx.query<{ id: number; guidHash: string }>(
    `with given as (select * from unnest($2::text[], $3::bytea[], $4::bytea[], $5::bytea[],
            $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::text[],
            $13::text[], $14::text[], $15::boolean[], $16::text[], $17::bytea[], $18::bytea[],
            $19::bigint[], $20::bigint[]) with ordinality as given
            (${ARTICLE_COLUMNS.join(', ')}, html, key_hash, evidence, first_rev, unlisted_rev, place)),
     created as (
       insert into article (source_id, first_rev, rev, unlisted_rev, ${columns.join(', ')})
       select $1, coalesce(given.first_rev, source.rev), source.rev, given.unlisted_rev,
              ${givenColumns(columns, 'extract(epoch from now())::bigint')}
         from given join source on source.id = $1
        order by given.place
       returning id, guid_hash
     ), unearthed as (
       delete from article_tombstone using given
        where article_tombstone.source_id = $1 and article_tombstone.guid_hash = given.guid_hash
     ), bodies as (
       insert into article_body (article_id, html)
       select created.id, given.html from created join given using (guid_hash)
     )
     select id, encode(guid_hash, 'hex') as "guidHash" from created`,
    [
      sourceId,
      articles.map(({ name }) => name.guid),
      articles.map(({ name }) => hexBytes(name.guidHash)),
      ...contentArrays(articles.map(({ item }) => item)),
      articles.map(({ item }) => item.body),
      articles.map(({ item, name }) => keyHash(item, name.guidHash)),
      articles.map(evidence),
      articles.map(({ removed }) => removed?.firstRev ?? null),
      articles.map(({ removed }) => removed?.unlistedRev ?? 0),
    ],
  );
  const ids = new Map(rows.map(({ id, guidHash }) => [guidHash, id]));
  return articles.flatMap(({ name }) => ids.get(name.guidHash) ?? []);
}

/** One statement for all changed articles; all but their names is replaced. */
export async function updateArticles(
  tx: SqlRunner,
  sourceId: number,
  articles: readonly ListedArticle[],
): Promise<void> {
  if (articles.length === 0) {
    return;
  }
  const columns = [...CONTENT_COLUMNS, 'key_hash', 'evidence'];
  await tx.query(
    `with given as (select * from unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::text[],
            $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[],
            $13::text[], $14::boolean[], $15::text[], $16::bytea[], $17::bytea[])
            as given (id, ${CONTENT_COLUMNS.join(', ')}, html, key_hash, evidence)),
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
    ],
  );
}

/** Notes by what articles are found and compared; nothing that anybody sees. */
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

function keyHash({ lookup }: ParsedItem, guidHash: string): Buffer | null {
  return lookup.keyHash === guidHash ? null : hexBytes(lookup.keyHash);
}

/** Null where the columns say the same: those of an article without a date of its own have another. */
function evidence({ item, byEvidence }: NewArticle | ListedArticle): Buffer | null {
  const { evidence: evidenceOfItem } = item.lookup;
  return byEvidence || partOf(evidenceOfItem, 'date') === NO_EVIDENCE
    ? hexBytes(evidenceOfItem)
    : null;
}

/** One array per column of CONTENT_COLUMNS. */
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

/** An article the publisher did not date keeps `undated`: the time of the fetch, or what it had. */
function givenColumns(columns: readonly string[], undated: string): string {
  return columns
    .map((column) =>
      column === 'pub_date_seconds' ? `coalesce(given.${column}, ${undated})` : `given.${column}`,
    )
    .join(', ');
}

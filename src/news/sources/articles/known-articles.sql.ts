import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { EVIDENCE_DIGITS, NO_EVIDENCE } from '../../feed-parser/items/item-identity.js';
import type { ParsedItem } from '../../feed-parser/items/parsed-item.js';
import type { LockedSource } from './fetch-record.sql.js';
import { articlesToCompare, type StoredArticle } from './match-articles.js';

const hashed = (text: string) =>
  `coalesce(left(md5(${text}), ${EVIDENCE_DIGITS}), '${NO_EVIDENCE}')`;

/** The title part of the evidence of an article, as hex digits. */
export const TITLE = hashed('article.title');

/** The date of an article without one is the time of its first fetch, which is no evidence. */
const DATE = hashed(`(nullif(article.pub_date_seconds,
                             extract(epoch from article.fetched_at)::bigint))::text`);

/** The date part of the evidence of an article, as hex digits. */
export const DATE_EVIDENCE = `coalesce(
  substr(encode(article.evidence, 'hex'), ${EVIDENCE_DIGITS + 1}, ${EVIDENCE_DIGITS}), ${DATE})`;

/**
 * The evidence of an article, as bytes: the stored one, else the same as `evidenceOf` computes from
 * the columns. For queries that join `article_body`.
 */
export const EVIDENCE = `coalesce(article.evidence, decode(
  ${TITLE} ||
  ${DATE} ||
  ${hashed("nullif(article_body.html, '')")} ||
  ${hashed('article.url')}, 'hex'))`;

/** A stored or removed article that may be an item of the document. */
export interface KnownArticle extends StoredArticle {
  /** The stored evidence; `evidence` may be computed. */
  readonly notedEvidence: string | null;
  /** The date part of its evidence; null for a removed article. */
  readonly dateEvidence: string | null;
  /** The revision that added it; a removed article gets it again. */
  readonly firstRev: number;
  /** The revision that last changed it; 0 for a removed article. */
  readonly rev: number;
  /** The revision in which it was no longer listed; 0 if there is none. */
  readonly unlistedRev: number;
  /** Null for a removed article. */
  readonly pubDateSeconds: number | null;
  /** The guid of a removed article, if it is not the lookup key; else null. */
  readonly guid: string | null;
}

/**
 * Limit of articles with the same lookup key that are compared, most recent first: several times the
 * longest document. An older one is still found by its guid if nothing in it changed.
 */
const MOST_WITH_ONE_KEY = 8_000;

const COMPARED = `id, guid_hash, key_hash, content_hash, evidence, ${DATE_EVIDENCE} as date_evidence,
              first_rev, rev, unlisted_rev, pub_date_seconds`;

const KNOWN_ARTICLES = prepared(
  'known-articles',
  `with same_guid as (
       select ${COMPARED} from article where source_id = $1 and guid_hash = any($2::bytea[])
     ), same_key as (
       select ${COMPARED} from article where source_id = $1 and key_hash = any($3::bytea[])
        order by (id = any($4::bigint[])) desc, id desc limit ${MOST_WITH_ONE_KEY}
     ), unpublished as (
       select ${COMPARED} from article where source_id = $1 and rev > $5
     ), removed as (
       select * from article_tombstone where source_id = $1 and guid_hash = any($2)
       union
       (select * from article_tombstone where source_id = $1 and key_hash = any($3)
         order by buried_at desc limit ${MOST_WITH_ONE_KEY})
     )
     select id, encode(guid_hash, 'hex') as "guidHash", encode(key_hash, 'hex') as "keyHash",
            encode(content_hash, 'hex') as "contentHash", encode(evidence, 'hex') as "evidence",
            date_evidence as "dateEvidence", false as "isRemoved", first_rev as "firstRev", rev,
            unlisted_rev as "unlistedRev", pub_date_seconds as "pubDateSeconds", null as guid
       from (select * from same_guid union select * from same_key
              union select * from unpublished) article
      union all
     select 0, encode(guid_hash, 'hex'), encode(key_hash, 'hex'), null, encode(evidence, 'hex'),
            null, true, first_rev, 0, unlisted_rev, null, guid
       from removed`,
);

/**
 * All articles of a source that may be items of a document, with the columns to compare. Uses
 * article_source_id_guid_hash_unique and article_source_id_key_hash_index. Bodies are read only where the
 * lookup key is ambiguous and no evidence is stored yet. Includes articles of an ingest that was lost
 * before its revision was committed.
 */
export async function knownArticles(
  sourceId: number,
  { rev, listing }: LockedSource,
  items: readonly ParsedItem[],
  tx: SqlRunner,
): Promise<KnownArticle[]> {
  const bytes = (hashes: Iterable<string>) => [...new Set(hashes)].map((hash) => hexBytes(hash));
  const rows = await tx.query<Omit<KnownArticle, 'wasListed' | 'notedEvidence'>>(KNOWN_ARTICLES, [
    sourceId,
    bytes(items.flatMap((item) => [item.guidHash, ...item.lookup.derivedGuidHashes])),
    bytes(items.map(({ lookup }) => lookup.keyHash)),
    listing,
    rev,
  ]);
  const listed = new Set(listing);
  const articles = rows.map((row) => ({
    ...row,
    wasListed: listed.has(row.id),
    notedEvidence: row.evidence,
  }));
  return withEvidence(sourceId, items, articles, tx);
}

async function withEvidence(
  sourceId: number,
  items: readonly ParsedItem[],
  articles: readonly KnownArticle[],
  tx: SqlRunner,
): Promise<KnownArticle[]> {
  const ids = articlesToCompare(items, articles).map(({ id }) => id);
  if (ids.length === 0) {
    return [...articles];
  }
  const rows = await tx.query<{ id: number; evidence: string }>(
    `select article.id, encode(${EVIDENCE}, 'hex') as evidence
       from article
       left join article_body on article_body.source_id = article.source_id
                             and article_body.article_id = article.id
      where article.source_id = $1 and article.id = any($2::bigint[])`,
    [sourceId, ids],
  );
  const computed = new Map(rows.map(({ id, evidence }) => [id, evidence]));
  return articles.map((article) => ({
    ...article,
    evidence: article.evidence ?? computed.get(article.id) ?? null,
  }));
}

/** Hex digits as a `bytea` parameter. */
export function hexBytes(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}

import { entityOf, p } from '../../database/entity-of.js';
import type { ArticleExtras } from '../feed-parser/items/extras.js';
import {
  CONTENT_COLUMNS,
  CONTENT_TYPES,
  type ContentColumn,
} from '../feed-parser/items/parsed-item.js';

const PROPERTIES = {
  text: () => p.text().strictNullable(),
  bigint: () => p.bigint('number').strictNullable(),
  boolean: () => p.boolean(),
};

const content = Object.fromEntries(
  CONTENT_COLUMNS.map((name) => [name, PROPERTIES[CONTENT_TYPES[name]]()]),
) as {
  [Name in ContentColumn]: ReturnType<(typeof PROPERTIES)[(typeof CONTENT_TYPES)[Name]]>;
};

/** An entry of a source's document, stored once for all users; the body is in `article_body`. */
export class ArticleEntity extends entityOf('article', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  sourceId: p.bigint('number'),
  guid: p.text(),
  /** MD5 of `guid`. */
  guidHash: p.blob(),
  /** MD5s of the content. @see docs/news-api.md */
  fingerprint: p.blob(),
  contentHash: p.blob(),
  /** Revisions of the source that added and last changed it. */
  firstRev: p.bigint('number'),
  rev: p.bigint('number'),
  /** Revision that last changed its text, where `rev` changed only the date or addresses. */
  textRev: p.bigint('number').strictNullable(),
  ...content,
  /** The time of the first fetch where the publisher gave no date. */
  pubDateSeconds: p.bigint('number'),
  /** Not part of the content that hashes cover; null if there is nothing. */
  extras: p.json().$type<ArticleExtras>().strictNullable(),
  fetchedAt: p.datetime().defaultRaw('now()'),
  /** Revision of the source that last changed the full text. */
  fullTextRev: p.bigint('number').strictNullable(),
  /** MD5 of the lookup key; null where it is `guidHash`. */
  keyHash: p.blob().strictNullable(),
  /** Distinguishes articles with the same lookup key; null where it can be computed. */
  evidence: p.blob().strictNullable(),
  /** Revision of the source in which it was no longer listed. */
  unlistedRev: p.bigint('number').default(0),
}) {}

/** The HTML of an article, sanitised: as the feed has it, and as extracted from its page. */
export class ArticleBodyEntity extends entityOf('article_body', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number').primary(),
  html: p.text(),
  fullTextHtml: p.text().strictNullable(),
}) {}

/** Identity of a removed article, so that it is not new when it is listed again. */
export class ArticleTombstoneEntity extends entityOf('article_tombstone', {
  sourceId: p.bigint('number').primary(),
  guidHash: p.blob().primary(),
  firstRev: p.bigint('number'),
  keyHash: p.blob().strictNullable(),
  evidence: p.blob().strictNullable(),
  unlistedRev: p.bigint('number').default(0),
  /** Null where it is the lookup key. */
  guid: p.text().strictNullable(),
  buriedAt: p.datetime().defaultRaw('now()'),
}) {}

/** The last document of a source that was read, and the articles that it listed. */
export class SourceDocumentEntity extends entityOf('source_document', {
  sourceId: p.bigint('number').primary(),
  /** SHA-256; zeros when the same bytes have to be read again. */
  bodyHash: p.blob(),
  articleIds: p.array().columnType('bigint[]').$type<number[]>(),
  /** Publication times of the newest of them in unix seconds, in any order. */
  recentPubDates: p.array().columnType('bigint[]').$type<number[]>().defaultRaw("'{}'::bigint[]"),
  /** When the listing last changed. */
  listedAt: p.datetime().defaultRaw('now()'),
}) {}

import { entityOf, p } from '../../../database/entity-of.js';

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

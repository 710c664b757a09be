import { entityOf, p } from '../../database/entity-of.js';

/** Result of an attempt. */
type AttemptOutcome =
  | 'read'
  /** The document had not changed. */
  | 'unchanged'
  | 'failed'
  /** Our own network was down; not counted as a failure of the source. */
  | 'outage';

export class FetchAttemptEntity extends entityOf('fetch_attempt', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  sourceId: p.bigint('number'),
  at: p.datetime().defaultRaw('now()'),
  outcome: p.text().$type<AttemptOutcome>(),
  /** HTTP status; null without a response. */
  status: p.smallint().strictNullable(),
  durationMs: p.integer().strictNullable(),
  /** Decoded bytes of the document. */
  bytes: p.integer().strictNullable(),
  /** Processor time of reading the document, and time of storing it; null without a document. */
  workMs: p.integer().strictNullable(),
  newItems: p.integer().default(0),
  changedItems: p.integer().default(0),
  message: p.text().strictNullable(),
  /** Why the source is due at `dueAt`. */
  decision: p.text(),
  dueAt: p.datetime(),
}) {}

/** The last document of a source that could not be read, truncated and compressed. */
export class FailedDocumentEntity extends entityOf('failed_document', {
  sourceId: p.bigint('number').primary(),
  at: p.datetime().defaultRaw('now()'),
  message: p.text(),
  contentType: p.text().strictNullable(),
  /** Length of the whole document. */
  byteCount: p.integer(),
  gzipped: p.blob(),
}) {}

import { entityOf, p } from '../../../database/entity-of.js';

/** The last document of a source that could not be read, truncated and compressed. */
export class FailedDocumentEntity extends entityOf('failed_document', {
  sourceId: p.bigint('number').primary(),
  at: p.datetime().defaultRaw('now()'),
  message: p.text(),
  contentType: p.text().strictNullable(),
  /** Of the whole document. */
  byteCount: p.integer(),
  gzipped: p.blob(),
}) {}

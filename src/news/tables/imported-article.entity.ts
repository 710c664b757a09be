import { entityOf, p } from '../../database/entity-of.js';

/**
 * What an import did for a row of its file: the memory by which a second import does it no more, also what its user
 * took back since. Kept for as long as the item exists.
 */
export class ImportedArticleEntity extends entityOf('imported_article', {
  readerId: p.bigint('number').primary(),
  /** SHA-256 of what identifies the article in files. */
  identity: p.blob().$type<Buffer>().primary(),
  importId: p.bigint('number').primary(),
  itemId: p.bigint('number'),
  /** Whether the import made the item. */
  created: p.boolean(),
  /** What the file said of it. */
  read: p.boolean(),
  starred: p.boolean(),
  noted: p.boolean(),
  labels: p.array().$type<string[]>(),
  /** Highlights and the note that it made. */
  highlightIds: p.array().columnType('bigint[]').$type<number[]>(),
}) {}

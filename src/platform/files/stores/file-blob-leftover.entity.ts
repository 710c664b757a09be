import { entityOf, p } from '../../../database/entity-of.js';

/**
 * Bytes that may be in a store without being the content of a file there: of an upload or a copy in
 * progress, or left after a move. Deleted when they are due, unless they have become content by then.
 */
export class FileBlobLeftoverEntity extends entityOf('file_blob_leftover', {
  id: p.bigint('number').primary().autoincrement().generated('by default as identity'),
  blobId: p.uuid(),
  /** Null for the folder. */
  storeId: p.uuid().strictNullable(),
  dueAt: p.datetime(),
}) {}

import { entityOf, p } from '../../database/entity-of.js';

/** A user's folder for feeds. */
export class FolderEntity extends entityOf('folder', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** Unique among the reader's folders that are not marked for deletion. */
  name: p.text(),
  /** When it was marked for deletion. */
  deletedAt: p.datetime().strictNullable(),
}) {}

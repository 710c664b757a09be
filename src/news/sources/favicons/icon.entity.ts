import { entityOf, p } from '../../../database/entity-of.js';

/** A raster image that one or several sources show as their icon. */
export class IconEntity extends entityOf('icon', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** SHA-256 of `bytes`. */
  contentHash: p.blob(),
  mime: p.text(),
  bytes: p.blob(),
}) {}

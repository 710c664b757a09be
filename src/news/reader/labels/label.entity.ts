import { entityOf, p } from '../../../database/entity-of.js';

/** A name that a user gives to items. */
export class LabelEntity extends entityOf('label', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** Unique among the reader's labels. */
  name: p.text(),
}) {}

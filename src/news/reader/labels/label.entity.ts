import { entityOf, p } from '../../../database/entity-of.js';

/** A name that a user gives to items. */
export class LabelEntity extends entityOf('label', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** Unique among the reader's labels. */
  name: p.text(),
}) {}

/** An item that has a label. */
export class ItemLabelEntity extends entityOf('item_label', {
  labelId: p.bigint('number').primary(),
  itemId: p.bigint('number').primary(),
  /** That of the label and of the item. */
  readerId: p.bigint('number'),
}) {}

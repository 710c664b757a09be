import { entityOf, p } from '../../../database/entity-of.js';

/** An item that has a label. */
export class ItemLabelEntity extends entityOf('item_label', {
  labelId: p.bigint('number').primary(),
  itemId: p.bigint('number').primary(),
  /** That of the label and of the item. */
  readerId: p.bigint('number'),
}) {}

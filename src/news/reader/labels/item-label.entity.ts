import { defineEntity, p } from '@mikro-orm/core';

const ItemLabelSchema = defineEntity({
  name: 'ItemLabelEntity',
  tableName: 'item_label',
  properties: {
    labelId: p.bigint('number').primary(),
    itemId: p.bigint('number').primary(),
    /** That of the label and of the item. */
    readerId: p.bigint('number'),
  },
});

/** An item that has a label. */
export class ItemLabelEntity extends ItemLabelSchema.class {}

ItemLabelSchema.setClass(ItemLabelEntity);

import { defineEntity, p } from '@mikro-orm/core';

const ItemSchema = defineEntity({
  name: 'ItemEntity',
  tableName: 'item',
  properties: {
    readerId: p.bigint('number').primary(),
    id: p.bigint('number').primary(),
    subscriptionId: p.bigint('number'),
    articleId: p.bigint('number'),
    lastModifiedMicros: p.bigint('number'),
    unread: p.boolean(),
    starred: p.boolean().default(false),
    filtered: p.boolean().default(false),
    late: p.boolean().default(false),
  },
});

export class ItemEntity extends ItemSchema.class {}

ItemSchema.setClass(ItemEntity);

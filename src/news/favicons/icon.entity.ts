import { defineEntity, p } from '@mikro-orm/core';

const IconSchema = defineEntity({
  name: 'IconEntity',
  tableName: 'icon',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    contentHash: p.blob(),
    mime: p.text(),
    bytes: p.blob(),
  },
});

export class IconEntity extends IconSchema.class {}

IconSchema.setClass(IconEntity);

import { defineEntity, p } from '@mikro-orm/core';

const FullTextSourceSchema = defineEntity({
  name: 'FullTextSourceEntity',
  tableName: 'full_text_source',
  properties: {
    sourceId: p.bigint('number').primary(),
    plannedRev: p.bigint('number'),
  },
});

export class FullTextSourceEntity extends FullTextSourceSchema.class {}

FullTextSourceSchema.setClass(FullTextSourceEntity);

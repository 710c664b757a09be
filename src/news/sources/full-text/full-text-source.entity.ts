import { defineEntity, p } from '@mikro-orm/core';

const FullTextSourceSchema = defineEntity({
  name: 'FullTextSourceEntity',
  tableName: 'full_text_source',
  properties: {
    sourceId: p.bigint('number').primary(),
    plannedRev: p.bigint('number'),
  },
});

/** A source whose full text somebody wants, and the revision up to which its pages are planned. */
export class FullTextSourceEntity extends FullTextSourceSchema.class {}

FullTextSourceSchema.setClass(FullTextSourceEntity);

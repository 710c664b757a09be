import { defineEntity, p } from '@mikro-orm/core';

const FormerSourceSchema = defineEntity({
  name: 'FormerSourceEntity',
  tableName: 'former_source',
  properties: {
    readerId: p.bigint('number').primary(),
    subscriptionId: p.bigint('number').primary(),
    sourceId: p.bigint('number').primary(),
    /** The subscription's `deliveredRev` and `startedRev` when its address was changed. */
    deliveredRev: p.bigint('number'),
    startedRev: p.bigint('number').strictNullable(),
  },
});

/** A source that a feed had before its address was changed; the feed keeps the items from it. */
export class FormerSourceEntity extends FormerSourceSchema.class {}

FormerSourceSchema.setClass(FormerSourceEntity);

import { defineEntity, p } from '@mikro-orm/core';

const RemovedSourceSchema = defineEntity({
  name: 'RemovedSourceEntity',
  tableName: 'removed_source',
  properties: {
    sourceId: p.bigint('number').primary(),
  },
});

/** A source that was deleted, until its articles are; written by a trigger. */
export class RemovedSourceEntity extends RemovedSourceSchema.class {}

RemovedSourceSchema.setClass(RemovedSourceEntity);

import { defineEntity, p } from '@mikro-orm/core';

const SourceScheduleSchema = defineEntity({
  name: 'SourceScheduleEntity',
  tableName: 'source_schedule',
  properties: {
    sourceId: p.bigint('number').primary(),
    hostKey: p.text(),
    dueAt: p.datetime(),
    leaseToken: p.uuid().strictNullable(),
    wantedAgain: p.boolean().default(false),
    setAt: p.datetime().defaultRaw('now()'),
  },
});

export class SourceScheduleEntity extends SourceScheduleSchema.class {}

SourceScheduleSchema.setClass(SourceScheduleEntity);

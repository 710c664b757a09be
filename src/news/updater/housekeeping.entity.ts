import { defineEntity, p } from '@mikro-orm/core';

const HousekeepingSchema = defineEntity({
  name: 'HousekeepingEntity',
  tableName: 'housekeeping',
  properties: {
    task: p.text().primary(),
    doneAt: p.datetime(),
  },
});

export class HousekeepingEntity extends HousekeepingSchema.class {}

HousekeepingSchema.setClass(HousekeepingEntity);

import { defineEntity, p } from '@mikro-orm/core';

const HousekeepingSchema = defineEntity({
  name: 'HousekeepingEntity',
  tableName: 'housekeeping',
  properties: {
    task: p.text().primary(),
    doneAt: p.datetime(),
    note: p.text().strictNullable(),
  },
});

/** When a task that all processes share was last done. */
export class HousekeepingEntity extends HousekeepingSchema.class {}

HousekeepingSchema.setClass(HousekeepingEntity);

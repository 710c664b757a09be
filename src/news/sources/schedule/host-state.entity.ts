import { defineEntity, p } from '@mikro-orm/core';

const HostStateSchema = defineEntity({
  name: 'HostStateEntity',
  tableName: 'host_state',
  properties: {
    hostKey: p.text().primary(),
    nextSlotAt: p.datetime(),
    previousSlotAt: p.datetime().strictNullable(),
    notBefore: p.datetime().strictNullable(),
    unspaced: p.boolean().default(false),
    notBeforeSetAt: p.datetime().defaultRaw('now()'),
  },
});

export class HostStateEntity extends HostStateSchema.class {}

HostStateSchema.setClass(HostStateEntity);

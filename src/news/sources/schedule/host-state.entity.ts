import { defineEntity, p } from '@mikro-orm/core';

const HostStateSchema = defineEntity({
  name: 'HostStateEntity',
  tableName: 'host_state',
  properties: {
    hostKey: p.text().primary(),
    /** Start of the first free slot. */
    nextSlotAt: p.datetime(),
    previousSlotAt: p.datetime().strictNullable(),
    /** The host asked for no requests before this. */
    notBefore: p.datetime().strictNullable(),
    /** An allow-listed host, which needs no gap between requests. */
    unspaced: p.boolean().default(false),
    notBeforeSetAt: p.datetime().defaultRaw('now()'),
  },
});

/** Rate limiting of one host, for all processes together. */
export class HostStateEntity extends HostStateSchema.class {}

HostStateSchema.setClass(HostStateEntity);

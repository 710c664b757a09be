import { defineEntity, p } from '@mikro-orm/core';

const ServiceAddressSchema = defineEntity({
  name: 'ServiceAddressEntity',
  tableName: 'service_address',
  properties: {
    address: p.text().primary(),
    announcedAt: p.datetime().defaultRaw('now()'),
  },
});

/** An address at which a process of the service listens. */
export class ServiceAddressEntity extends ServiceAddressSchema.class {}

ServiceAddressSchema.setClass(ServiceAddressEntity);

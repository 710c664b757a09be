import { defineEntity, p } from '@mikro-orm/core';

// Rows are only counted and deleted in bulk; the table itself has no key.
const GatewayFailureSchema = defineEntity({
  name: 'GatewayFailureEntity',
  tableName: 'gateway_failure',
  properties: {
    network: p.text().primary(),
    failedAt: p.datetime().primary(),
    claimHash: p.text().primary().default(''),
  },
});

export class GatewayFailureEntity extends GatewayFailureSchema.class {}

GatewayFailureSchema.setClass(GatewayFailureEntity);

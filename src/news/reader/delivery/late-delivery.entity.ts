import { defineEntity, p } from '@mikro-orm/core';

const LateDeliverySchema = defineEntity({
  name: 'LateDeliveryEntity',
  tableName: 'late_delivery',
  properties: {
    subscriptionId: p.bigint('number').primary(),
    articleId: p.bigint('number').primary(),
    since: p.datetime().defaultRaw('now()'),
  },
});

export class LateDeliveryEntity extends LateDeliverySchema.class {}

LateDeliverySchema.setClass(LateDeliveryEntity);

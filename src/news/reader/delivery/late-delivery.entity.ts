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

/** An article that was listed again after the feed had started without it, until its delivery. */
export class LateDeliveryEntity extends LateDeliverySchema.class {}

LateDeliverySchema.setClass(LateDeliveryEntity);

import { defineEntity, p } from '@mikro-orm/core';

const SubscriptionFilterSchema = defineEntity({
  name: 'SubscriptionFilterEntity',
  tableName: 'subscription_filter',
  properties: {
    subscriptionId: p.bigint('number').primary(),
    id: p.bigint('number').autoincrement().generated('identity'),
    titleKeywords: p.text(),
    bodyKeywords: p.text(),
    urlKeywords: p.text(),
  },
});

export class SubscriptionFilterEntity extends SubscriptionFilterSchema.class {}

SubscriptionFilterSchema.setClass(SubscriptionFilterEntity);

import { defineEntity, p } from '@mikro-orm/core';

const SubscriptionFilterSchema = defineEntity({
  name: 'SubscriptionFilterEntity',
  tableName: 'subscription_filter',
  properties: {
    readerId: p.bigint('number').primary(),
    subscriptionId: p.bigint('number').primary(),
    id: p.bigint('number').autoincrement().generated('identity'),
    /** Comma-separated as typed by the user; empty for none. */
    titleKeywords: p.text(),
    bodyKeywords: p.text(),
    urlKeywords: p.text(),
  },
});

/** The keyword filter of a feed. */
export class SubscriptionFilterEntity extends SubscriptionFilterSchema.class {}

SubscriptionFilterSchema.setClass(SubscriptionFilterEntity);

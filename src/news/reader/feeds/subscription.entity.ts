import { defineEntity, p } from '@mikro-orm/core';

const SubscriptionSchema = defineEntity({
  name: 'SubscriptionEntity',
  tableName: 'subscription',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    readerId: p.bigint('number'),
    sourceId: p.bigint('number'),
    folderId: p.bigint('number').strictNullable(),
    url: p.text(),
    title: p.text().strictNullable(),
    ordering: p.smallint().default(0),
    pinned: p.boolean().default(false),
    addedAt: p.datetime().defaultRaw('now()'),
    deliveredRev: p.bigint('number').defaultRaw("'-1'::integer"),
    updateServedAt: p.datetime().strictNullable(),
    deletedAt: p.datetime().strictNullable(),
    fullText: p.boolean().default(false),
    updateMode: p.smallint().default(0),
    startedRev: p.bigint('number').strictNullable(),
  },
});

export class SubscriptionEntity extends SubscriptionSchema.class {}

SubscriptionSchema.setClass(SubscriptionEntity);

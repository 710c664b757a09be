import { defineEntity, p } from '@mikro-orm/core';

const ConversationSchema = defineEntity({
  name: 'ConversationEntity',
  tableName: 'conversation',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    token: p.text(),
    type: p.smallint(),
    name: p.text(),
    description: p.text().default(''),
    pair: p.array().$type<string[]>().strictNullable(),
    lastMessageId: p.bigint('number').strictNullable(),
    lastActivityAt: p.datetime().defaultRaw('now()'),
    createdAt: p.datetime().defaultRaw('now()'),
    messageCount: p.bigint('number').default(0),
  },
});

export class ConversationEntity extends ConversationSchema.class {}

ConversationSchema.setClass(ConversationEntity);

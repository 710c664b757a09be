import { defineEntity, p } from '@mikro-orm/core';

const ConversationBotSchema = defineEntity({
  name: 'ConversationBotEntity',
  tableName: 'conversation_bot',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    conversationId: p.bigint('number'),
    botId: p.text(),
  },
});

export class ConversationBotEntity extends ConversationBotSchema.class {}

ConversationBotSchema.setClass(ConversationBotEntity);

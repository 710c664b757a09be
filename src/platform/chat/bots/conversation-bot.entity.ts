import { defineEntity, p } from '@mikro-orm/core';

const ConversationBotSchema = defineEntity({
  name: 'ConversationBotEntity',
  tableName: 'conversation_bot',
  properties: {
    /** Changes when the bot is removed and enabled again. */
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    conversationId: p.bigint('number'),
    botId: p.text(),
  },
});

/** A bot that is a member of a conversation. */
export class ConversationBotEntity extends ConversationBotSchema.class {}

ConversationBotSchema.setClass(ConversationBotEntity);

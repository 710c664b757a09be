import { defineEntity, p } from '@mikro-orm/core';

const ChatBotSchema = defineEntity({
  name: 'ChatBotEntity',
  tableName: 'chat_bot',
  properties: {
    id: p.integer().primary().autoincrement().generated('identity'),
    botId: p.text(),
    errorCount: p.integer().default(0),
    lastErrorAt: p.datetime().strictNullable(),
    lastError: p.text().default(''),
    appId: p.text().strictNullable(),
  },
});

export class ChatBotEntity extends ChatBotSchema.class {}

ChatBotSchema.setClass(ChatBotEntity);

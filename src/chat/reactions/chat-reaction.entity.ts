import { defineEntity, p } from '@mikro-orm/core';

const ChatReactionSchema = defineEntity({
  name: 'ChatReactionEntity',
  tableName: 'chat_reaction',
  properties: {
    messageId: p.bigint('number').primary(),
    actorType: p.text().primary(),
    actorId: p.text().primary(),
    actorDisplayName: p.text(),
    reaction: p.text().primary(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
});

export class ChatReactionEntity extends ChatReactionSchema.class {}

ChatReactionSchema.setClass(ChatReactionEntity);

import { defineEntity, p } from '@mikro-orm/core';
import type { Actor } from '../conversations/messages/message.js';

const ChatReactionSchema = defineEntity({
  name: 'ChatReactionEntity',
  tableName: 'chat_reaction',
  properties: {
    messageId: p.bigint('number').primary(),
    /** See `Actor`. */
    actorType: p.text().$type<Actor['type']>().primary(),
    actorId: p.text().primary(),
    actorDisplayName: p.text(),
    reaction: p.text().primary(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
});

/** An emoji of one user or bot under a message. */
export class ChatReactionEntity extends ChatReactionSchema.class {}

ChatReactionSchema.setClass(ChatReactionEntity);

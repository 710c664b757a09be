import { defineEntity, p } from '@mikro-orm/core';

const ConversationParticipantSchema = defineEntity({
  name: 'ConversationParticipantEntity',
  tableName: 'conversation_participant',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    conversationId: p.bigint('number'),
    userId: p.text(),
    participantType: p.smallint(),
    lastReadMessageId: p.bigint('number').default(0),
    lastMentionMessageId: p.bigint('number').default(0),
    joinedAt: p.datetime().defaultRaw('now()'),
  },
});

export class ConversationParticipantEntity extends ConversationParticipantSchema.class {}

ConversationParticipantSchema.setClass(ConversationParticipantEntity);

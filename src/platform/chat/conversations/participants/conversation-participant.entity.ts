import { entityOf, p } from '../../../../database/entity-of.js';
import type { ParticipantType } from '../conversation.js';

/** A user in a conversation, and how far they have read. */
export class ConversationParticipantEntity extends entityOf('conversation_participant', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  conversationId: p.bigint('number'),
  userId: p.text(),
  /** See `ParticipantType`. */
  type: p.smallint().$type<ParticipantType>().fieldName('participant_type'),
  /** 0 for none. */
  lastReadMessageId: p.bigint('number').default(0),
  /** Last message that mentions the user; 0 for none. */
  lastMentionMessageId: p.bigint('number').default(0),
  joinedAt: p.datetime().defaultRaw('now()'),
}) {}

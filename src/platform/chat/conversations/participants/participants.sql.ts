import { selectList, type RowOf } from '../../../../database/select-list.js';
import { ConversationParticipantEntity } from './conversation-participant.entity.js';

/** Columns of the participant `p`. */
export const PARTICIPANT = selectList(ConversationParticipantEntity, 'p', [
  'id',
  'conversationId',
  'userId',
  'type',
  'lastReadMessageId',
  'lastMentionMessageId',
]);

/** A user in a conversation. Clients call the id the attendee's. */
export type Participant = RowOf<typeof PARTICIPANT>;

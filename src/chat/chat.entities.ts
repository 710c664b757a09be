import { ChatBotEntity } from './chat-bot.entity.js';
import { ChatMessageEntity } from './chat-message.entity.js';
import { ChatReactionEntity } from './chat-reaction.entity.js';
import { ConversationEntity } from './conversation.entity.js';
import { ConversationBotEntity } from './conversation-bot.entity.js';
import { ConversationParticipantEntity } from './conversation-participant.entity.js';

/** Every table that this room owns. */
export const CHAT_ENTITIES = [
  ChatBotEntity,
  ChatMessageEntity,
  ChatReactionEntity,
  ConversationEntity,
  ConversationBotEntity,
  ConversationParticipantEntity,
];

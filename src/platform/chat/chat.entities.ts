import { ChatBotEntity } from './bots/chat-bot.entity.js';
import { ConversationBotEntity } from './bots/conversation-bot.entity.js';
import { ConversationEntity } from './conversations/conversation.entity.js';
import { ChatMessageEntity } from './conversations/messages/chat-message.entity.js';
import { ConversationParticipantEntity } from './conversations/participants/conversation-participant.entity.js';
import { ChatReactionEntity } from './reactions/chat-reaction.entity.js';

/** Entities of all tables of this room. */
export const CHAT_ENTITIES = [
  ChatBotEntity,
  ChatMessageEntity,
  ChatReactionEntity,
  ConversationEntity,
  ConversationBotEntity,
  ConversationParticipantEntity,
];

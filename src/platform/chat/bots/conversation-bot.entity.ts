import { entityOf, p } from '../../../database/entity-of.js';

/** A bot that is a member of a conversation. */
export class ConversationBotEntity extends entityOf('conversation_bot', {
  /** Changes when the bot is removed and enabled again. */
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  conversationId: p.bigint('number'),
  botId: p.text(),
}) {}

import { entityOf, p } from '../../../database/entity-of.js';

/** The number of a bot of an external app, and its errors. */
export class ChatBotEntity extends entityOf('chat_bot', {
  /** For clients; apps use `botId`. */
  id: p.integer().primary().autoincrement().generated('identity'),
  botId: p.text(),
  /** Failed deliveries since the last successful one. */
  errorCount: p.integer().default(0),
  lastErrorAt: p.datetime().strictNullable(),
  lastError: p.text().default(''),
  /** Null for bots of before this column, until they are listed again. */
  appId: p.text().strictNullable(),
}) {}

/** A bot that is a member of a conversation. */
export class ConversationBotEntity extends entityOf('conversation_bot', {
  /** Changes when the bot is removed and enabled again. */
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  conversationId: p.bigint('number'),
  botId: p.text(),
}) {}

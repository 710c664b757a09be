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

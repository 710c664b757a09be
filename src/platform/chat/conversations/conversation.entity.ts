import { entityOf, p } from '../../../database/entity-of.js';
import type { ConversationType } from './conversation.js';

/** A conversation; clients call it a room. */
export class ConversationEntity extends entityOf('conversation', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  /** In the addresses of the API. */
  token: p.text(),
  /** See `ConversationType`. */
  type: p.smallint().$type<ConversationType>(),
  /** Empty for one-to-one. */
  name: p.text(),
  description: p.text().default(''),
  /** Both user ids of one-to-one, sorted; unique. */
  pair: p.array().$type<string[]>().strictNullable(),
  /** The last message that lists show. */
  lastMessageId: p.bigint('number').strictNullable(),
  lastActivityAt: p.datetime().defaultRaw('now()'),
  createdAt: p.datetime().defaultRaw('now()'),
  /** Messages ever sent, deleted ones included. Long ones count as several. */
  messageCount: p.bigint('number').default(0),
}) {}

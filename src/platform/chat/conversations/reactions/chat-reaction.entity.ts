import { entityOf, p } from '../../../../database/entity-of.js';
import type { Actor } from '../messages/message.js';

/** An emoji of one user or bot under a message. */
export class ChatReactionEntity extends entityOf('chat_reaction', {
  messageId: p.bigint('number').primary(),
  /** See `Actor`. */
  actorType: p.text().$type<Actor['type']>().primary(),
  actorId: p.text().primary(),
  actorDisplayName: p.text(),
  reaction: p.text().primary(),
  createdAt: p.datetime().defaultRaw('clock_timestamp()'),
}) {}

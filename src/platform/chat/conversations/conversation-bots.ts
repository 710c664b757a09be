import { Offer } from '../../../common/ports/offer.js';
import type { SqlRunner } from '../../../database/database.js';
import type { Conversation } from './conversations.repository.js';
import type { Message } from './messages/messages.repository.js';

/** What a change to a conversation asks and tells its bots, within its transaction. */
interface ConversationBots {
  isMember(conversationId: number, botId: string, tx: SqlRunner): Promise<boolean>;
  /** @returns the number of deliveries */
  queue(conversation: Conversation, message: Message, tx: SqlRunner): Promise<number>;
  /**
   * Tells all bots that they leave a conversation, since it ends.
   *
   * @param name for the bots
   * @returns the number of deliveries
   */
  queueEnd(conversation: Conversation, name: string, tx: SqlRunner): Promise<number>;
  /** Starts deliveries whose transaction has committed. */
  wake(deliveries: number): void;
}

export class ConversationBotsOffer extends Offer<ConversationBots> {}

import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import { ConversationEntity } from './conversation.entity.js';
import { ConversationType } from './conversation.js';
import {
  countMessage,
  findConversation,
  findTokenOfPair,
  insertConversation,
  listSummaries,
  listTokensOfUser,
  recordLastMessage,
  type MessageCounts,
  type Conversation,
  type ConversationSummary,
  type NewConversation,
} from './conversations.sql.js';

/** Conversations. Reads for a user include the user's participation. */
@Injectable()
export class ConversationsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when the pair has a conversation */
  async create(conversation: NewConversation, tx: Transaction): Promise<boolean> {
    return insertConversation(tx, conversation);
  }

  /** Serialises writers of the conversation until the transaction ends. */
  async lock(token: string, tx: Transaction): Promise<Conversation | null> {
    return findConversation(tx, token, true);
  }

  /** Call under the lock. @returns the counts, this message included */
  async countMessage(id: number, weight: number, tx: Transaction): Promise<MessageCounts> {
    return countMessage(tx, id, weight);
  }

  async find(token: string): Promise<Conversation | null> {
    return findConversation(this.database, token, false);
  }

  /** @param pair sorted */
  async tokenOfPair(pair: readonly string[], tx: Transaction): Promise<string | null> {
    return findTokenOfPair(tx, pair);
  }

  /** Includes one-to-one conversations that the user has left. */
  async tokensOf(userId: string): Promise<string[]> {
    return listTokensOfUser(this.database, userId);
  }

  /** @returns null when the user is no participant */
  async findFor(token: string, userId: string): Promise<ConversationSummary | null> {
    const [found] = await listSummaries(this.database, userId, { token });
    return found ?? null;
  }

  /** Most recent activity first. @param modifiedSinceSeconds only those with activity since then */
  async listFor(userId: string, modifiedSinceSeconds: number): Promise<ConversationSummary[]> {
    return listSummaries(this.database, userId, { modifiedSinceSeconds });
  }

  async rename(id: number, name: string, tx: Transaction): Promise<void> {
    await tx.em.nativeUpdate(ConversationEntity, { id }, { name });
  }

  async describe(id: number, description: string, tx: Transaction): Promise<void> {
    await tx.em.nativeUpdate(ConversationEntity, { id }, { description });
  }

  /** Call under the lock. */
  async recordLastMessage(id: number, messageId: number, tx: Transaction): Promise<void> {
    await recordLastMessage(tx, id, messageId);
  }

  /** Makes a one-to-one conversation read-only, after one of the accounts was deleted. */
  async makeFormer(id: number, name: string, tx: Transaction): Promise<void> {
    const former = { type: ConversationType.formerOneToOne, pair: null, name };
    await tx.em.nativeUpdate(ConversationEntity, { id }, former);
  }

  async remove(id: number, tx: Transaction): Promise<void> {
    await tx.em.nativeDelete(ConversationEntity, { id });
  }
}

import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../../database/count-up-to.js';
import { Database, type SqlRunner, type Transaction } from '../../../../database/database.js';
import { ParticipantType } from '../conversation.js';
import { ConversationParticipantEntity } from './conversation-participant.entity.js';
import {
  findCommonRead,
  findParticipant,
  insertParticipant,
  listParticipants,
  resetReadMarker,
  updateLastMentions,
  updateReadMarker,
  type Participant,
} from './participants.sql.js';

/** Participants of conversations, and how far they have read. */
@Injectable()
export class ParticipantsRepository {
  constructor(private readonly database: Database) {}

  /** Longest participation first. */
  async list(conversationId: number, runner: SqlRunner = this.database): Promise<Participant[]> {
    return listParticipants(runner, conversationId);
  }

  async find(
    conversationId: number,
    userId: string,
    runner: SqlRunner = this.database,
  ): Promise<Participant | null> {
    return findParticipant(runner, conversationId, { userId });
  }

  async findById(conversationId: number, id: number, tx: Transaction): Promise<Participant | null> {
    return findParticipant(tx, conversationId, { id });
  }

  /** All messages so far count as read. @returns false when the user is a participant */
  async add(
    conversationId: number,
    userId: string,
    type: ParticipantType,
    tx: Transaction,
  ): Promise<boolean> {
    return insertParticipant(tx, { conversationId, userId, type });
  }

  /** Counts participants up to `limit`. */
  async count(conversationId: number, limit: number, tx: Transaction): Promise<number> {
    const from = 'conversation_participant where conversation_id = $1';
    return countUpTo(tx, from, [conversationId], limit);
  }

  /** Counts conversations that the user owns, up to `limit`. */
  async countOwned(userId: string, limit: number, tx: Transaction): Promise<number> {
    const from = `conversation_participant where user_id = $1 and participant_type = $2`;
    return countUpTo(tx, from, [userId, ParticipantType.owner], limit);
  }

  async remove(id: number, tx: Transaction): Promise<void> {
    await tx.em.nativeDelete(ConversationParticipantEntity, { id });
  }

  async changeType(id: number, type: ParticipantType, tx: Transaction): Promise<void> {
    await tx.em.nativeUpdate(ConversationParticipantEntity, { id }, { type });
  }

  /**
   * Moves the read marker, to the newest message at most.
   *
   * @param messageId undefined for the newest message
   * @returns null when the marker does not change
   */
  async markRead(
    id: number,
    messageId: number | undefined,
    runner: SqlRunner = this.database,
  ): Promise<Participant | null> {
    return updateReadMarker(runner, id, messageId ?? null);
  }

  /** Moves the read marker before the newest message of a user or bot. */
  async markUnread(id: number): Promise<void> {
    await resetReadMarker(this.database, id);
  }

  /** @returns those of the users who are participants */
  async markMentioned(
    conversationId: number,
    userIds: readonly string[],
    messageId: number,
    tx: Transaction,
  ): Promise<string[]> {
    return updateLastMentions(tx, conversationId, userIds, messageId);
  }

  /** The last message that all participants have read. */
  async commonRead(conversationId: number): Promise<number> {
    return findCommonRead(this.database, conversationId);
  }
}

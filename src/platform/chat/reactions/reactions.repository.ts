import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import type { Actor } from '../conversations/messages/message.js';
import { ChatReactionEntity } from './chat-reaction.entity.js';
import { insertReaction, listReactions, type Reaction } from './reactions.sql.js';

/** Reactions to messages; each actor gives each emoji at most once. */
@Injectable()
export class ReactionsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when the actor has given this reaction */
  async add(messageId: number, actor: Actor, reaction: string, tx: Transaction): Promise<boolean> {
    return insertReaction(tx, messageId, actor, reaction);
  }

  /** Reactions of one actor to a message. */
  async countOf(messageId: number, { type, id }: Actor, tx: Transaction): Promise<number> {
    return tx.em.count(ChatReactionEntity, { messageId, actorType: type, actorId: id });
  }

  /** @returns false when there was none */
  async remove(
    messageId: number,
    { type, id }: Actor,
    reaction: string,
    tx: Transaction,
  ): Promise<boolean> {
    const which = { messageId, actorType: type, actorId: id, reaction };
    return (await tx.em.nativeDelete(ChatReactionEntity, which)) > 0;
  }

  async removeAll(messageId: number, tx: Transaction): Promise<void> {
    await tx.em.nativeDelete(ChatReactionEntity, { messageId });
  }

  async removeAllOfUser(userId: string): Promise<void> {
    await this.database.entities((em) =>
      em.nativeDelete(ChatReactionEntity, { actorType: 'users', actorId: userId }),
    );
  }

  /** Oldest first. */
  async ofMessages(messageIds: readonly number[]): Promise<Reaction[]> {
    return messageIds.length === 0 ? [] : listReactions(this.database, messageIds);
  }
}

import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../../database/database.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';
import { ChatReactionEntity } from './conversations.entity.js';
import type { Actor } from './message.js';

const REACTION_COLUMNS = selectList(ChatReactionEntity, 'r', ['messageId', 'reaction']);

export type Reaction = RowOf<typeof REACTION_COLUMNS> & {
  readonly actor: Actor;
  readonly createdSeconds: number;
};

/** An emoji under a message. */
export interface ReactionCount {
  readonly reaction: string;
  readonly count: number;
  /** Whether the reader has given it, too. */
  readonly own: boolean;
}

/** By message. */
export type ReactionCounts = ReadonlyMap<number, readonly ReactionCount[]>;

/** Shown with a message, besides the reader's own. */
const MOST_EMOJIS = 50;

/** Reactions to messages; each actor gives each emoji at most once. */
@Injectable()
export class ReactionsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when the actor has given this reaction */
  async add(messageId: number, actor: Actor, reaction: string, tx: Transaction): Promise<boolean> {
    const rows = await tx.query(
      `insert into chat_reaction (message_id, actor_type, actor_id, actor_display_name, reaction)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning 1`,
      [messageId, actor.type, actor.id, actor.displayName, reaction],
    );
    return rows.length > 0;
  }

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
  async ofMessage(messageId: number): Promise<Reaction[]> {
    return this.database.query<Reaction>(
      `select ${REACTION_COLUMNS},
              jsonb_build_object('type', r.actor_type, 'id', r.actor_id,
                                 'displayName', r.actor_display_name) as actor,
              floor(extract(epoch from r.created_at))::bigint as "createdSeconds"
         from chat_reaction r where r.message_id = $1 order by r.created_at`,
      [messageId],
    );
  }

  /**
   * Counts reactions by emoji, the first given first: of each message the most frequent emojis, and the
   * user's own.
   */
  async counts(messageIds: readonly number[], userId: string): Promise<ReactionCounts> {
    const rows =
      messageIds.length === 0
        ? []
        : await this.database.query<ReactionCount & { readonly messageId: number }>(
            `select message_id as "messageId", reaction, count, own
               from (select message_id, reaction, count(*) as count, min(created_at) as first,
                            bool_or(actor_type = 'users' and actor_id = $2) as own,
                            row_number() over (partition by message_id
                                               order by count(*) desc, min(created_at)) as place
                       from chat_reaction where message_id = any($1)
                      group by message_id, reaction) emoji
              where own or place <= $3 order by message_id, first`,
            [messageIds, userId, MOST_EMOJIS],
          );
    return Map.groupBy(rows, ({ messageId }) => messageId);
  }
}

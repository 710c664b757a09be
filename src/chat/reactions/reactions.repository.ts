import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import type { Actor, Reaction } from '../messages/message.js';

/** Emojis under messages, one of a kind from everybody. */
@Injectable()
export class ReactionsRepository {
  constructor(private readonly database: Database) {}

  /** @returns whether it is new */
  async add(messageId: number, actor: Actor, reaction: string, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      `insert into chat_reaction (message_id, actor_type, actor_id, actor_display_name, reaction)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning 1`,
      [messageId, actor.type, actor.id, actor.displayName, reaction],
    );
    return rows.length > 0;
  }

  /** How many reactions somebody has given to a message. */
  async countOf(messageId: number, actor: Actor, tx: SqlRunner): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from chat_reaction
        where message_id = $1 and actor_type = $2 and actor_id = $3`,
      [messageId, actor.type, actor.id],
    );
    return row?.count ?? 0;
  }

  /** @returns whether there was one */
  async remove(messageId: number, actor: Actor, reaction: string, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      `delete from chat_reaction
        where message_id = $1 and actor_type = $2 and actor_id = $3 and reaction = $4 returning 1`,
      [messageId, actor.type, actor.id, reaction],
    );
    return rows.length > 0;
  }

  async removeAll(messageId: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from chat_reaction where message_id = $1', [messageId]);
  }

  async removeAllOfUser(userId: string): Promise<void> {
    await this.database.query(
      `delete from chat_reaction where actor_type = 'users' and actor_id = $1`,
      [userId],
    );
  }

  /** Oldest first. */
  async ofMessages(messageIds: readonly number[]): Promise<Reaction[]> {
    return messageIds.length === 0
      ? []
      : this.database.query<Reaction>(
          `select message_id as "messageId", reaction,
                  jsonb_build_object('type', actor_type, 'id', actor_id,
                                     'displayName', actor_display_name) as actor,
                  floor(extract(epoch from created_at))::bigint as "createdSeconds"
             from chat_reaction where message_id = any($1) order by created_at`,
          [messageIds],
        );
  }
}

import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import type { Actor } from '../conversations/messages/message.js';
import { ChatReactionEntity } from './chat-reaction.entity.js';

const REACTION_COLUMNS = selectList(ChatReactionEntity, 'r', ['messageId', 'reaction']);

export type Reaction = RowOf<typeof REACTION_COLUMNS> & {
  readonly actor: Actor;
  readonly createdSeconds: number;
};

/** @returns false when the actor has given this reaction */
export async function insertReaction(
  runner: SqlRunner,
  messageId: number,
  actor: Actor,
  reaction: string,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into chat_reaction (message_id, actor_type, actor_id, actor_display_name, reaction)
     values ($1, $2, $3, $4, $5) on conflict do nothing returning 1`,
    [messageId, actor.type, actor.id, actor.displayName, reaction],
  );
  return rows.length > 0;
}

/** Reactions to several messages, oldest first. */
export async function listReactions(
  runner: SqlRunner,
  messageIds: readonly number[],
): Promise<Reaction[]> {
  return runner.query<Reaction>(
    `select ${REACTION_COLUMNS},
            jsonb_build_object('type', r.actor_type, 'id', r.actor_id,
                               'displayName', r.actor_display_name) as actor,
            floor(extract(epoch from r.created_at))::bigint as "createdSeconds"
       from chat_reaction r where r.message_id = any($1) order by r.created_at`,
    [messageIds],
  );
}

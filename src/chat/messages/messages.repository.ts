import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import type { Actor, Message, NewMessage } from './message.js';

const COLUMNS = `
  id, conversation_id as "conversationId",
  jsonb_build_object('type', actor_type, 'id', actor_id, 'displayName', actor_display_name) as actor,
  kind, system_message as "systemMessage", message, parameters, reference_id as "referenceId",
  parent_id as "parentId", silent,
  floor(extract(epoch from created_at))::bigint as "createdSeconds",
  case when edited_at is not null then jsonb_build_object(
    'actor', jsonb_build_object('type', editor_type, 'id', editor_id,
                                'displayName', editor_display_name),
    'seconds', floor(extract(epoch from edited_at))::bigint) end as edited`;

/** Of a deleted account: nobody in particular. */
const NOBODY = 'deleted_users';

/** What was said and done. Ids rise in the order of commits within a conversation. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly database: Database) {}

  /** Under the lock of the conversation. */
  async add(message: NewMessage, tx: SqlRunner): Promise<Message> {
    const { conversationId, actor, kind, systemMessage, parentId, silent } = message;
    const [row] = await tx.query<Message>(
      `insert into chat_message (conversation_id, actor_type, actor_id, actor_display_name, kind,
                                 system_message, message, parameters, reference_id, parent_id, silent)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${COLUMNS}`,
      [
        conversationId,
        actor.type,
        actor.id,
        actor.displayName,
        kind,
        systemMessage,
        message.message,
        JSON.stringify(message.parameters),
        message.referenceId,
        parentId,
        silent,
      ],
    );
    if (row === undefined) {
      throw new Error(`A message in conversation ${conversationId} was not saved`);
    }
    return row;
  }

  async find(
    conversationId: number,
    id: number,
    on: SqlRunner = this.database,
  ): Promise<Message | null> {
    const [found] = await on.query<Message>(
      `select ${COLUMNS} from chat_message where conversation_id = $1 and id = $2`,
      [conversationId, id],
    );
    return found ?? null;
  }

  /** In no particular order. For ids that came from rows the user may see. */
  async byIds(ids: readonly number[]): Promise<Message[]> {
    return ids.length === 0
      ? []
      : this.database.query<Message>(`select ${COLUMNS} from chat_message where id = any($1)`, [
          ids,
        ]);
  }

  /** Oldest first. */
  async after(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return this.database.query<Message>(
      `select ${COLUMNS} from chat_message where conversation_id = $1 and id > $2
        order by id limit $3`,
      [conversationId, id, limit],
    );
  }

  /** Newest first. */
  async before(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return this.database.query<Message>(
      `select ${COLUMNS} from chat_message where conversation_id = $1 and id < $2
        order by id desc limit $3`,
      [conversationId, id, limit],
    );
  }

  async edit(
    id: number,
    change: Pick<Message, 'message' | 'parameters'>,
    editor: Actor,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `update chat_message set message = $2, parameters = $3, edited_at = clock_timestamp(),
              editor_type = $4, editor_id = $5, editor_display_name = $6
        where id = $1`,
      [
        id,
        change.message,
        JSON.stringify(change.parameters),
        editor.type,
        editor.id,
        editor.displayName,
      ],
    );
  }

  /** Leaves the place, and nothing of what was said. */
  async blank(
    id: number,
    change: Pick<Message, 'message' | 'parameters'>,
    tx: SqlRunner,
  ): Promise<void> {
    await tx.query(
      `update chat_message set kind = 'comment_deleted', message = $2, parameters = $3,
              edited_at = null, editor_type = null, editor_id = null, editor_display_name = null
        where id = $1`,
      [id, change.message, JSON.stringify(change.parameters)],
    );
  }

  /** What the user said stays for the others; that it was the user does not. */
  async anonymise(userId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(
        `update chat_message set actor_type = $2, actor_id = $2, actor_display_name = ''
          where actor_type = 'users' and actor_id = $1`,
        [userId, NOBODY],
      );
      await tx.query(
        `update chat_message set editor_type = $2, editor_id = $2, editor_display_name = ''
          where editor_type = 'users' and editor_id = $1`,
        [userId, NOBODY],
      );
      await tx.query(
        `update chat_message m
            set parameters = (
              select jsonb_object_agg(key, case when value @> $1::jsonb then $2::jsonb else value end)
                from jsonb_each(m.parameters))
          where jsonb_path_exists(m.parameters, '$.* ? (@.type == "user" && @.id == $user)',
                                  jsonb_build_object('user', $3::text))`,
        [
          JSON.stringify({ type: 'user', id: userId }),
          JSON.stringify({ type: 'highlight', id: NOBODY, name: 'Deleted user' }),
          userId,
        ],
      );
    });
  }
}

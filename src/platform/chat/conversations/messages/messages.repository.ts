import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../../database/database.js';
import { ChatMessageEntity } from '../conversations.entity.js';
import type { Actor } from './message.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';

const MESSAGE_COLUMNS = selectList(ChatMessageEntity, 'm', [
  'id',
  'conversationId',
  'kind',
  'systemMessage',
  'message',
  'parameters',
  'referenceId',
  'parentId',
  'silent',
]);

const MESSAGE = `${MESSAGE_COLUMNS},
  jsonb_build_object('type', m.actor_type, 'id', m.actor_id,
                     'displayName', m.actor_display_name) as actor,
  floor(extract(epoch from m.created_at))::bigint as "createdSeconds",
  case when m.edited_at is not null then jsonb_build_object(
    'actor', jsonb_build_object('type', m.editor_type, 'id', m.editor_id,
                                'displayName', m.editor_display_name),
    'seconds', floor(extract(epoch from m.edited_at))::bigint) end as edited`;

export type Message = RowOf<typeof MESSAGE_COLUMNS> & {
  readonly actor: Actor;
  readonly createdSeconds: number;
  readonly edited: { readonly actor: Actor; readonly seconds: number } | null;
};

export type NewMessage = Omit<Message, 'id' | 'createdSeconds' | 'edited'>;

/** The author of messages of deleted accounts. */
const DELETED_USER = { id: 'deleted_users', name: 'Deleted user' };

/** Messages of all conversations. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly database: Database) {}

  /** Call under the lock of the conversation, so that ids rise in commit order. */
  async add(message: NewMessage, tx: Transaction): Promise<Message> {
    const { conversationId, actor, parameters } = message;
    const [row] = await tx.query<Message>(
      `insert into chat_message as m (conversation_id, actor_type, actor_id, actor_display_name, kind,
                                      system_message, message, parameters, reference_id, parent_id, silent)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${MESSAGE}`,
      [
        conversationId,
        actor.type,
        actor.id,
        actor.displayName,
        message.kind,
        message.systemMessage,
        message.message,
        JSON.stringify(parameters),
        message.referenceId,
        message.parentId,
        message.silent,
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
    runner: SqlRunner = this.database,
  ): Promise<Message | null> {
    const [found] = await runner.query<Message>(
      `select ${MESSAGE} from chat_message m where m.conversation_id = $1 and m.id = $2`,
      [conversationId, id],
    );
    return found ?? null;
  }

  /** In no order. Does not check access: pass only ids from rows that the user may see. */
  async byIds(ids: readonly number[]): Promise<Message[]> {
    return ids.length === 0
      ? []
      : this.database.query<Message>(`select ${MESSAGE} from chat_message m where m.id = any($1)`, [
          ids,
        ]);
  }

  /** Oldest first. */
  async after(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return this.database.query<Message>(
      `select ${MESSAGE} from chat_message m where m.conversation_id = $1 and m.id > $2
        order by m.id limit $3`,
      [conversationId, id, limit],
    );
  }

  /** Newest first. */
  async before(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return this.database.query<Message>(
      `select ${MESSAGE} from chat_message m where m.conversation_id = $1 and m.id < $2
        order by m.id desc limit $3`,
      [conversationId, id, limit],
    );
  }

  async edit(
    id: number,
    change: Pick<Message, 'message' | 'parameters'>,
    editor: Actor,
    tx: Transaction,
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

  /** Replaces the text of a deleted message; the row stays, so that replies keep their parent. */
  async blank(
    id: number,
    change: Pick<Message, 'message' | 'parameters'>,
    tx: Transaction,
  ): Promise<void> {
    await tx.em.nativeUpdate(
      ChatMessageEntity,
      { id },
      {
        ...change,
        kind: 'comment_deleted',
        editedAt: null,
        editorType: null,
        editorId: null,
        editorDisplayName: null,
      },
    );
  }

  /**
   * Keeps the messages of a deleted account, without its name: replaces the user as author, as editor and
   * in the placeholders of messages. Reads all messages with parameters.
   */
  async anonymise(userId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(
        `update chat_message set actor_type = $2, actor_id = $2, actor_display_name = ''
          where actor_type = 'users' and actor_id = $1`,
        [userId, DELETED_USER.id],
      );
      await tx.query(
        `update chat_message set editor_type = $2, editor_id = $2, editor_display_name = ''
          where editor_type = 'users' and editor_id = $1`,
        [userId, DELETED_USER.id],
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
          JSON.stringify({ type: 'highlight', ...DELETED_USER }),
          userId,
        ],
      );
    });
  }
}

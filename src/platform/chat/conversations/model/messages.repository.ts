import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../../database/database.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';
import { ChatMessageEntity } from './conversations.entity.js';
import type { Actor } from './message.js';

const SHORT_COLUMNS = selectList(ChatMessageEntity, 'm', [
  'id',
  'conversationId',
  'kind',
  'systemMessage',
  'referenceId',
  'parentId',
  'silent',
]);

const LONG_COLUMNS = selectList(ChatMessageEntity, 'm', ['message', 'parameters']);

const WITHOUT_TEXT = `${SHORT_COLUMNS},
  jsonb_build_object('type', m.actor_type, 'id', m.actor_id,
                     'displayName', m.actor_display_name) as actor,
  floor(extract(epoch from m.created_at))::bigint as "createdSeconds",
  case when m.edited_at is not null then jsonb_build_object(
    'actor', jsonb_build_object('type', m.editor_type, 'id', m.editor_id,
                                'displayName', m.editor_display_name),
    'seconds', floor(extract(epoch from m.edited_at))::bigint) end as edited`;

const MESSAGE = `${WITHOUT_TEXT}, ${LONG_COLUMNS}`;

export type Message = RowOf<typeof SHORT_COLUMNS> &
  RowOf<typeof LONG_COLUMNS> & {
    readonly actor: Actor;
    readonly createdSeconds: number;
    readonly edited: { readonly actor: Actor; readonly seconds: number } | null;
  };

export type NewMessage = Omit<Message, 'id' | 'createdSeconds' | 'edited'>;

const MOST_BYTES_OF_A_PAGE = 512 * 1024;

/** Bytes of what its sender decides about. */
const BYTES = (row: string) =>
  `octet_length(${row}.message) + octet_length(${row}.parameters::text)`;

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

  /** Like `byIds`, for lists: a long text is cut, and many long values of placeholders are left out. */
  async startsByIds(ids: readonly number[], mostCharacters: number): Promise<Message[]> {
    return ids.length === 0
      ? []
      : this.database.query<Message>(
          `select ${WITHOUT_TEXT}, left(m.message, $2) as message,
                  case when octet_length(m.parameters::text) <= 4 * $2 then m.parameters
                       else '{}' end as parameters
             from chat_message m where m.id = any($1)`,
          [ids, mostCharacters],
        );
  }

  /** Oldest first: at most `limit`, and fewer if they are large, but one in any case. */
  async after(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return this.#page('m.id > $2', 'm.id', [conversationId, id, limit]);
  }

  /** Newest first, otherwise like `after`. */
  async before(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return this.#page('m.id < $2', 'm.id desc', [conversationId, id, limit]);
  }

  /** Shown with each message is the one that it replies to, so that both count. */
  async #page(
    condition: string,
    order: string,
    values: readonly [conversationId: number, id: number, limit: number],
  ): Promise<Message[]> {
    return this.database.query<Message>(
      `with page as (
         select m.id, row_number() over onwards as place, sum(bytes) over onwards as bytes
           from (select m.id, ${BYTES('m')} + coalesce(${BYTES('parent')}, 0) as bytes
                   from chat_message m left join chat_message parent on parent.id = m.parent_id
                  where m.conversation_id = $1 and ${condition} order by ${order} limit $3) m
         window onwards as (order by ${order})
       )
       select ${MESSAGE} from chat_message m join page on page.id = m.id
        where page.place = 1 or page.bytes <= $4 order by ${order}`,
      [...values, MOST_BYTES_OF_A_PAGE],
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

import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner, type Transaction } from '../../../../database/database.js';
import { ChatMessageEntity } from './chat-message.entity.js';
import type { Actor } from './message.js';
import {
  anonymiseUser,
  findMessage,
  insertMessage,
  listMessagesAfter,
  listMessagesBefore,
  listMessagesById,
  updateText,
  type Message,
  type NewMessage,
} from './messages.sql.js';

/** The author of messages of deleted accounts. */
const DELETED_USER = { id: 'deleted_users', name: 'Deleted user' };

/** Messages of all conversations. */
@Injectable()
export class MessagesRepository {
  constructor(private readonly database: Database) {}

  /** Call under the lock of the conversation. */
  async add(message: NewMessage, tx: Transaction): Promise<Message> {
    return insertMessage(tx, message);
  }

  async find(
    conversationId: number,
    id: number,
    runner: SqlRunner = this.database,
  ): Promise<Message | null> {
    return findMessage(runner, conversationId, id);
  }

  /** In no order. Does not check access: pass only ids from rows that the user may see. */
  async byIds(ids: readonly number[]): Promise<Message[]> {
    return ids.length === 0 ? [] : listMessagesById(this.database, ids);
  }

  /** Oldest first. */
  async after(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return listMessagesAfter(this.database, conversationId, id, limit);
  }

  /** Newest first. */
  async before(conversationId: number, id: number, limit: number): Promise<Message[]> {
    return listMessagesBefore(this.database, conversationId, id, limit);
  }

  async edit(
    id: number,
    change: Pick<Message, 'message' | 'parameters'>,
    editor: Actor,
    tx: Transaction,
  ): Promise<void> {
    await updateText(tx, id, change, editor);
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

  /** Keeps the messages of a deleted account, without its name. */
  async anonymise(userId: string): Promise<void> {
    await this.database.transaction((tx) => anonymiseUser(tx, userId, DELETED_USER));
  }
}

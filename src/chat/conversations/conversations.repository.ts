import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../database/database.js';
import {
  ConversationType,
  type Conversation,
  type Membership,
  type Participant,
} from './conversation.js';
import { PARTICIPANT_COLUMNS } from '../participants/participants.repository.js';

const COLUMNS = `
  c.id, c.token, c.type, c.name, c.description, c.pair, c.last_message_id as "lastMessageId",
  floor(extract(epoch from c.last_activity_at))::bigint as "lastActivitySeconds"`;

/** A conversation with the numbers that a list shows beside it. */
export interface Overview extends Membership {
  /** Messages of people and bots after the marker. */
  readonly unreadMessages: number;
  /** Highest message that everybody has read. */
  readonly commonReadMessageId: number;
  readonly otherModerators: number;
}

interface OverviewRow extends Conversation {
  readonly self: Participant;
  readonly unreadMessages: number;
  readonly commonReadMessageId: number;
  readonly otherModerators: number;
}

export interface NewConversation {
  readonly token: string;
  readonly type: ConversationType;
  readonly name: string;
  readonly pair: readonly string[] | null;
}

/** Conversations. Whatever a user asks for is looked up together with their participation. */
@Injectable()
export class ConversationsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when the two have one already */
  async create({ token, type, name, pair }: NewConversation, tx: SqlRunner): Promise<boolean> {
    const rows = await tx.query(
      `insert into conversation (token, type, name, pair) values ($1, $2, $3, $4)
       on conflict (pair) do nothing returning 1`,
      [token, type, name, pair],
    );
    return rows.length > 0;
  }

  /** Until the transaction ends, nobody else writes to it. */
  async lock(token: string, tx: SqlRunner): Promise<Conversation | null> {
    const [found] = await tx.query<Conversation>(
      `select ${COLUMNS} from conversation c where token = $1 for no key update`,
      [token],
    );
    return found ?? null;
  }

  /** Under the lock of the conversation. @returns how many messages it has had, this one included */
  async countMessage(id: number, tx: SqlRunner): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `update conversation set message_count = message_count + 1 where id = $1
       returning message_count as count`,
      [id],
    );
    return row?.count ?? 0;
  }

  async find(token: string): Promise<Conversation | null> {
    const [found] = await this.database.query<Conversation>(
      `select ${COLUMNS} from conversation c where token = $1`,
      [token],
    );
    return found ?? null;
  }

  async tokenOfPair(pair: readonly string[], tx: SqlRunner): Promise<string | null> {
    const [found] = await tx.query<{ token: string }>(
      'select token from conversation where pair = $1',
      [pair],
    );
    return found?.token ?? null;
  }

  /** Also those between two that the user has left. */
  async tokensOf(userId: string): Promise<string[]> {
    const rows = await this.database.query<{ token: string }>(
      `select token from conversation where pair @> array[$1::text]
       union
       select token from conversation c join conversation_participant p on p.conversation_id = c.id
        where p.user_id = $1`,
      [userId],
    );
    return rows.map(({ token }) => token);
  }

  async findFor(token: string, userId: string): Promise<Overview | null> {
    const [found] = await this.#overviews('p.user_id = $1 and c.token = $2', [userId, token]);
    return found ?? null;
  }

  /**
   * The most recent ones first.
   *
   * @param modifiedSinceSeconds only those with activity since then
   */
  async listFor(userId: string, modifiedSinceSeconds: number): Promise<Overview[]> {
    return this.#overviews('p.user_id = $1 and c.last_activity_at >= to_timestamp($2)', [
      userId,
      modifiedSinceSeconds,
    ]);
  }

  async rename(id: number, name: string, tx: SqlRunner): Promise<void> {
    await tx.query('update conversation set name = $2 where id = $1', [id, name]);
  }

  async describe(id: number, description: string, tx: SqlRunner): Promise<void> {
    await tx.query('update conversation set description = $2 where id = $1', [id, description]);
  }

  async noteMessage(id: number, messageId: number, tx: SqlRunner): Promise<void> {
    await tx.query(
      `update conversation set last_message_id = $2, last_activity_at = clock_timestamp()
        where id = $1`,
      [id, messageId],
    );
  }

  /** What was between two is left with one of them. */
  async makeFormer(id: number, name: string, tx: SqlRunner): Promise<void> {
    await tx.query('update conversation set type = $2, pair = null, name = $3 where id = $1', [
      id,
      ConversationType.formerOneToOne,
      name,
    ]);
  }

  async remove(id: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from conversation where id = $1', [id]);
  }

  async #overviews(condition: string, params: readonly unknown[]): Promise<Overview[]> {
    const rows = await this.database.query<OverviewRow>(
      `select ${COLUMNS}, (select to_jsonb(one) from (select ${PARTICIPANT_COLUMNS}) one) as self,
              (select count(*) from chat_message m
                where m.conversation_id = c.id and m.kind = 'comment'
                  and m.id > p.last_read_message_id) as "unreadMessages",
              (select min(q.last_read_message_id) from conversation_participant q
                where q.conversation_id = c.id) as "commonReadMessageId",
              (select count(*) from conversation_participant q
                where q.conversation_id = c.id and q.id <> p.id
                  and q.participant_type in (1, 2)) as "otherModerators"
         from conversation_participant p join conversation c on c.id = p.conversation_id
        where ${condition}
        order by c.last_activity_at desc, c.id desc`,
      params,
    );
    return rows.map(
      ({ self, unreadMessages, commonReadMessageId, otherModerators, ...conversation }) => ({
        conversation,
        self,
        unreadMessages,
        commonReadMessageId,
        otherModerators,
      }),
    );
  }
}

import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../database/count-up-to.js';
import { Database, type SqlRunner } from '../../database/database.js';
import { ParticipantType, type Participant } from '../conversations/conversation.js';

export const PARTICIPANT_COLUMNS = `
  p.id, p.conversation_id as "conversationId", p.user_id as "userId", p.participant_type as type,
  p.last_read_message_id as "lastReadMessageId",
  p.last_mention_message_id as "lastMentionMessageId"`;

/** Who takes part in which conversation, and how far they have read. */
@Injectable()
export class ParticipantsRepository {
  constructor(private readonly database: Database) {}

  /** Who came first, first. */
  async list(conversationId: number, on: SqlRunner = this.database): Promise<Participant[]> {
    return on.query<Participant>(
      `select ${PARTICIPANT_COLUMNS} from conversation_participant p
        where conversation_id = $1 order by id`,
      [conversationId],
    );
  }

  async find(
    conversationId: number,
    userId: string,
    on: SqlRunner = this.database,
  ): Promise<Participant | null> {
    const [found] = await on.query<Participant>(
      `select ${PARTICIPANT_COLUMNS} from conversation_participant p
        where conversation_id = $1 and user_id = $2`,
      [conversationId, userId],
    );
    return found ?? null;
  }

  async findById(conversationId: number, id: number, on: SqlRunner): Promise<Participant | null> {
    const [found] = await on.query<Participant>(
      `select ${PARTICIPANT_COLUMNS} from conversation_participant p
        where conversation_id = $1 and id = $2`,
      [conversationId, id],
    );
    return found ?? null;
  }

  /**
   * What was said before counts as read.
   *
   * @returns whether they took no part before
   */
  async add(
    conversationId: number,
    userId: string,
    type: ParticipantType,
    tx: SqlRunner,
  ): Promise<boolean> {
    const rows = await tx.query(
      `insert into conversation_participant
              (conversation_id, user_id, participant_type, last_read_message_id)
       select $1, $2, $3, coalesce(max(id), 0) from chat_message where conversation_id = $1
       on conflict (conversation_id, user_id) do nothing returning 1`,
      [conversationId, userId, type],
    );
    return rows.length > 0;
  }

  /** Counted no further than `most`. */
  async count(conversationId: number, most: number, tx: SqlRunner): Promise<number> {
    const from = 'conversation_participant where conversation_id = $1';
    return countUpTo(tx, from, [conversationId], most);
  }

  /** How many conversations the user owns; counted no further than `most`. */
  async countOwned(userId: string, most: number, tx: SqlRunner): Promise<number> {
    const from = `conversation_participant where user_id = $1 and participant_type = $2`;
    return countUpTo(tx, from, [userId, ParticipantType.owner], most);
  }

  async remove(id: number, tx: SqlRunner): Promise<void> {
    await tx.query('delete from conversation_participant where id = $1', [id]);
  }

  async changeType(id: number, type: ParticipantType, tx: SqlRunner): Promise<void> {
    await tx.query('update conversation_participant set participant_type = $2 where id = $1', [
      id,
      type,
    ]);
  }

  /**
   * Moves the marker, to the newest message at most.
   *
   * @param messageId undefined for the newest message
   * @returns the new state; null when the marker is there already
   */
  async markRead(
    id: number,
    messageId: number | undefined,
    on: SqlRunner = this.database,
  ): Promise<Participant | null> {
    const [changed] = await on.query<Participant>(
      `update conversation_participant p set last_read_message_id = newest.id
         from (select q.id as participant_id,
                      coalesce(least($2::bigint, (select max(m.id) from chat_message m
                                                   where m.conversation_id = q.conversation_id)), 0)
                        as id
                 from conversation_participant q where q.id = $1) newest
        where p.id = newest.participant_id and p.last_read_message_id <> newest.id
       returning ${PARTICIPANT_COLUMNS}`,
      [id, messageId ?? null],
    );
    return changed ?? null;
  }

  /** Puts the marker before the newest message of people and bots. */
  async markUnread(id: number): Promise<void> {
    await this.database.query(
      `update conversation_participant p
          set last_read_message_id = coalesce(
                (select max(m.id) from chat_message m
                  where m.conversation_id = p.conversation_id
                    and m.id < (select max(n.id) from chat_message n
                                 where n.conversation_id = p.conversation_id
                                   and n.kind = 'comment')), 0)
        where p.id = $1`,
      [id],
    );
  }

  /** @returns those of the users who take part */
  async markMentioned(
    conversationId: number,
    userIds: readonly string[],
    messageId: number,
    tx: SqlRunner,
  ): Promise<string[]> {
    const rows = await tx.query<{ userId: string }>(
      `update conversation_participant set last_mention_message_id = $3
        where conversation_id = $1 and user_id = any($2) returning user_id as "userId"`,
      [conversationId, userIds, messageId],
    );
    return rows.map(({ userId }) => userId);
  }

  /** Highest message that everybody has read. */
  async commonRead(conversationId: number): Promise<number> {
    const [row] = await this.database.query<{ id: number | null }>(
      `select min(last_read_message_id) as id from conversation_participant
        where conversation_id = $1`,
      [conversationId],
    );
    return row?.id ?? 0;
  }
}

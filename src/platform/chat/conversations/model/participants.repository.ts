import { Injectable } from '@nestjs/common';
import { countUpTo } from '../../../../database/count-up-to.js';
import { Database, type SqlRunner, type Transaction } from '../../../../database/database.js';
import { lockLimit } from '../../../../database/lock-limit.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';
import { ParticipantType } from './conversation.js';
import { ConversationParticipantEntity } from './conversations.entity.js';

/** Columns of the participant `p`. */
export const PARTICIPANT = selectList(ConversationParticipantEntity, 'p', [
  'id',
  'conversationId',
  'userId',
  'type',
  'lastReadMessageId',
  'lastMentionMessageId',
]);

/** A user in a conversation. Clients call the id the attendee's. */
export type Participant = RowOf<typeof PARTICIPANT>;

/** The first half of an advisory lock; the second is the user. */
const ADDITION_LOCK = 4_706_044;

/** Participants of conversations, and how far they have read. */
@Injectable()
export class ParticipantsRepository {
  constructor(private readonly database: Database) {}

  /** Longest participation first. */
  async list(conversationId: number, runner: SqlRunner = this.database): Promise<Participant[]> {
    return runner.query<Participant>(
      `select ${PARTICIPANT} from conversation_participant p
        where p.conversation_id = $1 order by p.id`,
      [conversationId],
    );
  }

  /** Runs with every change of a conversation. */
  async find(
    conversationId: number,
    userId: string,
    runner: SqlRunner = this.database,
  ): Promise<Participant | null> {
    const [found] = await runner.query<Participant>(
      `select ${PARTICIPANT} from conversation_participant p
        where p.conversation_id = $1 and p.user_id = $2`,
      [conversationId, userId],
    );
    return found ?? null;
  }

  async findById(conversationId: number, id: number, tx: Transaction): Promise<Participant | null> {
    const [found] = await tx.query<Participant>(
      `select ${PARTICIPANT} from conversation_participant p
        where p.conversation_id = $1 and p.id = $2`,
      [conversationId, id],
    );
    return found ?? null;
  }

  /** All messages so far count as read. @returns false when the user is a participant */
  async add(
    conversationId: number,
    userId: string,
    type: ParticipantType,
    tx: Transaction,
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

  /**
   * Of these users, those who can be added to no more conversations of others. Serialises additions of these
   * users until the transaction ends. Reads their participations by index.
   *
   * @param conversationId of the conversation that they would be added to
   */
  async full(
    userIds: readonly string[],
    conversationId: number,
    { most, mostOfOwner }: Readonly<Record<'most' | 'mostOfOwner', number>>,
    tx: Transaction,
  ): Promise<ReadonlySet<string>> {
    // In the order of the keys, so that two transactions never wait for each other.
    await tx.query(
      `select pg_advisory_xact_lock($1, key)
         from (select distinct hashtext(one) as key from unnest($2::text[]) one order by key) keys`,
      [ADDITION_LOCK, userIds],
    );
    const rows = await tx.query<{ userId: string }>(
      `select p.user_id as "userId"
         from conversation_participant p
         left join conversation_participant o
           on o.conversation_id = p.conversation_id and o.participant_type = $3
          and o.user_id in (select user_id from conversation_participant
                             where conversation_id = $2 and participant_type = $3)
        where p.user_id = any($1) and p.participant_type <> $3
        group by p.user_id having count(distinct p.id) >= $4 or count(distinct o.conversation_id) >= $5`,
      [userIds, conversationId, ParticipantType.owner, most, mostOfOwner],
    );
    return new Set(rows.map(({ userId }) => userId));
  }

  /** Counts participants up to `limit`. */
  async count(conversationId: number, limit: number, tx: Transaction): Promise<number> {
    const from = 'conversation_participant where conversation_id = $1';
    return countUpTo(tx, from, [conversationId], limit);
  }

  /** Counts conversations that the user owns, up to `limit`; no other begins until the transaction ends. */
  async countOwned(userId: string, limit: number, tx: Transaction): Promise<number> {
    await lockLimit(tx, 'conversations-per-user', userId);
    const from = `conversation_participant where user_id = $1 and participant_type = $2`;
    return countUpTo(tx, from, [userId, ParticipantType.owner], limit);
  }

  async remove(id: number, tx: Transaction): Promise<void> {
    await tx.em.nativeDelete(ConversationParticipantEntity, { id });
  }

  async changeType(id: number, type: ParticipantType, tx: Transaction): Promise<void> {
    await tx.em.nativeUpdate(ConversationParticipantEntity, { id }, { type });
  }

  /**
   * Moves the read marker, to the newest message at most.
   *
   * @param messageId undefined for the newest message
   * @returns null when the marker does not change
   */
  async markRead(
    id: number,
    messageId: number | undefined,
    runner: SqlRunner = this.database,
  ): Promise<Participant | null> {
    const [changed] = await runner.query<Participant>(
      `update conversation_participant p set last_read_message_id = newest.id
         from (select q.id as participant_id,
                      coalesce(least($2::bigint, (select max(m.id) from chat_message m
                                                   where m.conversation_id = q.conversation_id)), 0)
                        as id
                 from conversation_participant q where q.id = $1) newest
        where p.id = newest.participant_id and p.last_read_message_id <> newest.id
       returning ${PARTICIPANT}`,
      [id, messageId ?? null],
    );
    return changed ?? null;
  }

  /** Moves the read marker before the newest message of a user or bot. */
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

  /** @returns the users who are participants */
  async markMentioned(
    conversationId: number,
    userIds: readonly string[],
    messageId: number,
    tx: Transaction,
  ): Promise<string[]> {
    const rows = await tx.query<{ userId: string }>(
      `update conversation_participant set last_mention_message_id = $3
        where conversation_id = $1 and user_id = any($2) returning user_id as "userId"`,
      [conversationId, userIds, messageId],
    );
    return rows.map(({ userId }) => userId);
  }

  /** The last message that all participants have read. */
  async commonRead(conversationId: number): Promise<number> {
    const [row] = await this.database.query<{ id: number | null }>(
      `select min(last_read_message_id) as id from conversation_participant
        where conversation_id = $1`,
      [conversationId],
    );
    return row?.id ?? 0;
  }
}

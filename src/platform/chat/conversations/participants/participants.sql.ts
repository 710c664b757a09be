import type { SqlRunner } from '../../../../database/database.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';
import { ConversationParticipantEntity } from './conversation-participant.entity.js';

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

/** Longest participation first. */
export async function listParticipants(
  runner: SqlRunner,
  conversationId: number,
): Promise<Participant[]> {
  return runner.query<Participant>(
    `select ${PARTICIPANT} from conversation_participant p
      where p.conversation_id = $1 order by p.id`,
    [conversationId],
  );
}

/** Runs with every change of a conversation. */
export async function findParticipant(
  runner: SqlRunner,
  conversationId: number,
  which: { readonly id: number } | { readonly userId: string },
): Promise<Participant | null> {
  const [column, value] = 'id' in which ? ['id', which.id] : ['user_id', which.userId];
  const [found] = await runner.query<Participant>(
    `select ${PARTICIPANT} from conversation_participant p
      where p.conversation_id = $1 and p.${column} = $2`,
    [conversationId, value],
  );
  return found ?? null;
}

/** Adds a participant for whom all messages so far count as read. @returns false when present */
export async function insertParticipant(
  runner: SqlRunner,
  { conversationId, userId, type }: Pick<Participant, 'conversationId' | 'userId' | 'type'>,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into conversation_participant
            (conversation_id, user_id, participant_type, last_read_message_id)
     select $1, $2, $3, coalesce(max(id), 0) from chat_message where conversation_id = $1
     on conflict (conversation_id, user_id) do nothing returning 1`,
    [conversationId, userId, type],
  );
  return rows.length > 0;
}

/**
 * Moves the read marker, to the newest message at most.
 *
 * @param messageId null for the newest message
 * @returns null when the marker does not change
 */
export async function updateReadMarker(
  runner: SqlRunner,
  id: number,
  messageId: number | null,
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
    [id, messageId],
  );
  return changed ?? null;
}

/** Moves the read marker before the newest message of a user or bot. */
export async function resetReadMarker(runner: SqlRunner, id: number): Promise<void> {
  await runner.query(
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

/** @returns those of the users who are participants */
export async function updateLastMentions(
  runner: SqlRunner,
  conversationId: number,
  userIds: readonly string[],
  messageId: number,
): Promise<string[]> {
  const rows = await runner.query<{ userId: string }>(
    `update conversation_participant set last_mention_message_id = $3
      where conversation_id = $1 and user_id = any($2) returning user_id as "userId"`,
    [conversationId, userIds, messageId],
  );
  return rows.map(({ userId }) => userId);
}

/** The last message that all participants have read. */
export async function findCommonRead(runner: SqlRunner, conversationId: number): Promise<number> {
  const [row] = await runner.query<{ id: number | null }>(
    `select min(last_read_message_id) as id from conversation_participant
      where conversation_id = $1`,
    [conversationId],
  );
  return row?.id ?? 0;
}

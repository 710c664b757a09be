import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { PARTICIPANT, type Participant } from './participants/participants.sql.js';
import { ConversationEntity } from './conversation.entity.js';

const CONVERSATION_COLUMNS = selectList(ConversationEntity, 'c', [
  'id',
  'token',
  'type',
  'name',
  'description',
  'pair',
  'lastMessageId',
]);

const CONVERSATION = `${CONVERSATION_COLUMNS},
  floor(extract(epoch from c.last_activity_at))::bigint as "lastActivitySeconds"`;

export type Conversation = RowOf<typeof CONVERSATION_COLUMNS> & {
  readonly lastActivitySeconds: number;
};

/** A conversation and the caller's participation in it. */
export interface Membership {
  readonly conversation: Conversation;
  readonly self: Participant;
}

/** A membership with the counts that lists show. */
export interface ConversationSummary extends Membership {
  /** Messages of users and bots after the caller's read marker. */
  readonly unreadMessages: number;
  /** Last message that all participants have read. */
  readonly commonReadMessageId: number;
  /** Moderators besides the caller. */
  readonly otherModerators: number;
}

export type NewConversation = Pick<Conversation, 'token' | 'type' | 'name' | 'pair'>;

/** @returns false when the pair has a conversation */
export async function insertConversation(
  runner: SqlRunner,
  { token, type, name, pair }: NewConversation,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into conversation (token, type, name, pair) values ($1, $2, $3, $4)
     on conflict (pair) do nothing returning 1`,
    [token, type, name, pair],
  );
  return rows.length > 0;
}

/** @param locked serialises writers of the conversation until the transaction ends */
export async function findConversation(
  runner: SqlRunner,
  token: string,
  locked: boolean,
): Promise<Conversation | null> {
  const [found] = await runner.query<Conversation>(
    `select ${CONVERSATION} from conversation c where c.token = $1
     ${locked ? 'for no key update' : ''}`,
    [token],
  );
  return found ?? null;
}

/** Messages ever sent, by their weight: in the conversation, and in all conversations of its owner. */
export type MessageCounts = Readonly<Record<'here' | 'ofOwner', number>>;

/** Counts a message. Reads the owner's conversations by index; of two owners, those of the busier one. */
export async function countMessage(
  runner: SqlRunner,
  id: number,
  weight: number,
): Promise<MessageCounts> {
  const [row] = await runner.query<MessageCounts>(
    `update conversation set message_count = message_count + $2 where id = $1
     returning message_count as here, $2 + coalesce((
       select sum(c.message_count) from conversation_participant o
         join conversation_participant p on p.user_id = o.user_id and p.participant_type = 1
         join conversation c on c.id = p.conversation_id
        where o.conversation_id = $1 and o.participant_type = 1
        group by o.user_id order by 1 desc limit 1), 0)::bigint as "ofOwner"`,
    [id, weight],
  );
  return row ?? { here: 0, ofOwner: 0 };
}

export async function findTokenOfPair(
  runner: SqlRunner,
  pair: readonly string[],
): Promise<string | null> {
  const [found] = await runner.query<{ token: string }>(
    'select token from conversation where pair = $1',
    [pair],
  );
  return found?.token ?? null;
}

/** Tokens of a user's conversations, one-to-one ones that the user has left included. */
export async function listTokensOfUser(runner: SqlRunner, userId: string): Promise<string[]> {
  const rows = await runner.query<{ token: string }>(
    `select token from conversation where pair @> array[$1::text]
     union
     select token from conversation c join conversation_participant p on p.conversation_id = c.id
      where p.user_id = $1`,
    [userId],
  );
  return rows.map(({ token }) => token);
}

/** Called under the lock of the conversation. */
export async function recordLastMessage(
  runner: SqlRunner,
  id: number,
  messageId: number,
): Promise<void> {
  await runner.query(
    `update conversation set last_message_id = $2, last_activity_at = clock_timestamp()
      where id = $1`,
    [id, messageId],
  );
}

/**
 * A user's conversations, most recent activity first. Counts unread messages and participants of each
 * conversation by index.
 *
 * @param filter.token only the conversation with this token
 * @param filter.modifiedSinceSeconds only those with activity since then
 */
export async function listSummaries(
  runner: SqlRunner,
  userId: string,
  filter: { readonly token: string } | { readonly modifiedSinceSeconds: number },
): Promise<ConversationSummary[]> {
  const [condition, value] =
    'token' in filter
      ? ['c.token = $2', filter.token]
      : ['c.last_activity_at >= to_timestamp($2)', filter.modifiedSinceSeconds];
  const rows = await runner.query<Conversation & Omit<ConversationSummary, 'conversation'>>(
    `select ${CONVERSATION}, (select to_jsonb(one) from (select ${PARTICIPANT}) one) as self,
            (select count(*) from chat_message m
              where m.conversation_id = c.id and m.kind = 'comment'
                and m.id > p.last_read_message_id) as "unreadMessages",
            (select min(q.last_read_message_id) from conversation_participant q
              where q.conversation_id = c.id) as "commonReadMessageId",
            (select count(*) from conversation_participant q
              where q.conversation_id = c.id and q.id <> p.id
                and q.participant_type in (1, 2)) as "otherModerators"
       from conversation_participant p join conversation c on c.id = p.conversation_id
      where p.user_id = $1 and ${condition}
      order by c.last_activity_at desc, c.id desc`,
    [userId, value],
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

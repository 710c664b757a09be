import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../../database/database.js';
import { selectList, type RowOf } from '../../../../database/select-list.js';
import { ConversationType } from './conversation.js';
import { ConversationEntity } from './conversations.entity.js';
import { PARTICIPANT, type Participant } from './participants.repository.js';

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

/** Weight of messages sent: in the conversation, and in all conversations of its owner. */
type MessageCounts = Readonly<Record<'here' | 'ofOwner', number>>;

/** Conversations. Reads for a user include the user's participation. */
@Injectable()
export class ConversationsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when the pair has a conversation */
  async create({ token, type, name, pair }: NewConversation, tx: Transaction): Promise<boolean> {
    const rows = await tx.query(
      `insert into conversation (token, type, name, pair) values ($1, $2, $3, $4)
       on conflict (pair) do nothing returning 1`,
      [token, type, name, pair],
    );
    return rows.length > 0;
  }

  /** Serialises writers of the conversation until the transaction ends. */
  async lock(token: string, tx: Transaction): Promise<Conversation | null> {
    const [found] = await tx.query<Conversation>(
      `select ${CONVERSATION} from conversation c where c.token = $1 for no key update`,
      [token],
    );
    return found ?? null;
  }

  /**
   * Counts a message; call under the lock. Reads the owner's conversations by index; of two owners, the
   * busier one's.
   *
   * @returns the counts, this message included
   */
  async countMessage(id: number, weight: number, tx: Transaction): Promise<MessageCounts> {
    const [row] = await tx.query<MessageCounts>(
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

  async find(token: string): Promise<Conversation | null> {
    const [found] = await this.database.query<Conversation>(
      `select ${CONVERSATION} from conversation c where c.token = $1`,
      [token],
    );
    return found ?? null;
  }

  /** @param pair sorted */
  async tokenOfPair(pair: readonly string[], tx: Transaction): Promise<string | null> {
    const [found] = await tx.query<{ token: string }>(
      'select token from conversation where pair = $1',
      [pair],
    );
    return found?.token ?? null;
  }

  /** Includes one-to-one conversations that the user has left. */
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

  /** @returns null when the user is no participant */
  async findFor(token: string, userId: string): Promise<ConversationSummary | null> {
    const [found] = await this.#summaries(userId, 'c.token = $2', token);
    return found ?? null;
  }

  /** Most recent activity first. @param modifiedSinceSeconds only conversations with activity since then */
  async listFor(userId: string, modifiedSinceSeconds: number): Promise<ConversationSummary[]> {
    return this.#summaries(userId, 'c.last_activity_at >= to_timestamp($2)', modifiedSinceSeconds);
  }

  /**
   * Most recent activity first. Counts unread messages and participants of each conversation by index.
   *
   * @param condition compares a column with $2, the value
   */
  async #summaries(
    userId: string,
    condition: string,
    value: string | number,
  ): Promise<ConversationSummary[]> {
    const rows = await this.database.query<
      Conversation & Omit<ConversationSummary, 'conversation'>
    >(
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

  async rename(id: number, name: string, tx: Transaction): Promise<void> {
    await tx.em.nativeUpdate(ConversationEntity, { id }, { name });
  }

  async describe(id: number, description: string, tx: Transaction): Promise<void> {
    await tx.em.nativeUpdate(ConversationEntity, { id }, { description });
  }

  /** Call under the lock. */
  async recordLastMessage(id: number, messageId: number, tx: Transaction): Promise<void> {
    await tx.query(
      `update conversation set last_message_id = $2, last_activity_at = clock_timestamp()
        where id = $1`,
      [id, messageId],
    );
  }

  /** Makes a one-to-one conversation read-only, after one of the accounts was deleted. */
  async makeFormer(id: number, name: string, tx: Transaction): Promise<void> {
    const former = { type: ConversationType.formerOneToOne, pair: null, name };
    await tx.em.nativeUpdate(ConversationEntity, { id }, former);
  }

  async remove(id: number, tx: Transaction): Promise<void> {
    await tx.em.nativeDelete(ConversationEntity, { id });
  }
}

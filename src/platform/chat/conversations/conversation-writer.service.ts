import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { Offer } from '../../../common/ports/offer.js';
import { Database, type Transaction, type SqlRunner } from '../../../database/database.js';
import { BotNotVerified, ConversationNotFound } from '../chat.errors.js';
import { ChatSignals } from './chat-signals.service.js';
import {
  ConversationsRepository,
  type Conversation,
  type Membership,
} from './model/conversations.repository.js';
import {
  isTechnical,
  actorParameter,
  type Actor,
  type MessageParameters,
  type SystemMessage,
} from './model/message.js';
import { MessagesRepository, type Message, type NewMessage } from './model/messages.repository.js';
import { ParticipantsRepository } from './model/participants.repository.js';

/** Hooks of a change to a conversation for its bots, within its transaction. */
interface ConversationBots {
  isMember(conversationId: number, botId: string, tx: SqlRunner): Promise<boolean>;
  /** @returns the number of deliveries */
  queue(conversation: Conversation, message: Message, tx: SqlRunner): Promise<number>;
  /**
   * Notifies all bots that they leave a conversation that ends.
   *
   * @param name for the bots
   * @returns the number of deliveries
   */
  queueEnd(conversation: Conversation, name: string, tx: SqlRunner): Promise<number>;
  /** Starts deliveries whose transaction has committed. */
  wake(deliveries: number): void;
}

export class ConversationBotsOffer extends Offer<ConversationBots> {}

interface Outbox {
  deliveries: number;
}

/** A conversation whose row is locked by the transaction. */
export interface LockedConversation {
  readonly tx: Transaction;
  readonly conversation: Conversation;
  /** Deliveries to bots, started after the commit. */
  readonly outbox: Outbox;
}

/** A system message to add. The parameter `{actor}` is added. */
interface SystemEvent {
  readonly actor: Actor;
  readonly systemMessage: SystemMessage;
  readonly message: string;
  readonly parameters?: MessageParameters;
  readonly parentId?: number;
}

const REMOVING: ReadonlySet<SystemMessage | ''> = new Set([
  'user_removed',
  'moderator_demoted',
  'message_deleted',
  'reaction_revoked',
] as const);

const BYTES_OF_A_MESSAGE = 1000;

/** Weight of an edit of any length. */
const WEIGHT_OF_EDIT = 32;

/**
 * The only way to write to a conversation. Writes are serialised, so that message ids rise in commit
 * order and a client that asks for messages after an id misses none. A message, its signal to long
 * polls and its deliveries to bots are one transaction.
 *
 * @see docs/decisions/0017-chat.md
 */
@Injectable()
export class ConversationWriter {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    private readonly bots: ConversationBotsOffer,
    private readonly signals: ChatSignals,
    private readonly config: Config,
  ) {}

  /**
   * @param work must not use another connection, or the pool could deadlock
   * @throws ConversationNotFound also when the user is no participant
   */
  async change<Result>(
    token: string,
    userId: string,
    work: (open: LockedConversation & Membership) => Promise<Result>,
  ): Promise<Result> {
    return this.#write(async (tx, outbox) => {
      const conversation = await this.conversations.lock(token, tx);
      // A separate statement: the one that waited for the lock has an older snapshot.
      const self = conversation && (await this.participants.find(conversation.id, userId, tx));
      if (!conversation || !self) {
        throw new ConversationNotFound(token);
      }
      return work({ tx, outbox, conversation, self });
    });
  }

  /** @throws BotNotVerified also when the conversation does not exist */
  async changeAsBot<Result>(
    token: string,
    botId: string,
    work: (open: LockedConversation) => Promise<Result>,
  ): Promise<Result> {
    return this.#write(async (tx, outbox) => {
      const conversation = await this.conversations.lock(token, tx);
      if (!conversation || !(await this.bots.required.isMember(conversation.id, botId, tx))) {
        throw new BotNotVerified();
      }
      return work({ tx, outbox, conversation });
    });
  }

  /** Changes by users who are no participants. `open` returns null for an unknown token. */
  async changeAsSystem<Result>(
    work: (
      tx: Transaction,
      open: (token: string) => Promise<LockedConversation | null>,
    ) => Promise<Result>,
  ): Promise<Result> {
    return this.#write((tx, outbox) =>
      work(tx, async (token) => {
        const conversation = await this.conversations.lock(token, tx);
        return conversation && { tx, outbox, conversation };
      }),
    );
  }

  async append(
    { tx, outbox, conversation }: LockedConversation,
    entry: NewMessage,
  ): Promise<Message> {
    const counts = await this.conversations.countMessage(conversation.id, weightOf(entry), tx);
    // Removing something must be possible at the limit.
    if (!REMOVING.has(entry.systemMessage)) {
      assertBelowLimit(this.config, 'messages-per-conversation', counts.here, 0);
      assertBelowLimit(this.config, 'messages-per-user', counts.ofOwner, 0);
    }
    const message = await this.messages.add(entry, tx);
    if (!isTechnical(message)) {
      await this.conversations.recordLastMessage(conversation.id, message.id, tx);
    }
    outbox.deliveries += await this.bots.required.queue(conversation, message, tx);
    await this.signals.changed(conversation.id, tx);
    return message;
  }

  async addSystemMessage(open: LockedConversation, event: SystemEvent): Promise<Message> {
    const { actor, systemMessage, message, parameters = {}, parentId } = event;
    return this.append(open, {
      conversationId: open.conversation.id,
      actor,
      kind: 'system',
      systemMessage,
      message,
      parameters: { actor: actorParameter(actor), ...parameters },
      referenceId: '',
      parentId: parentId ?? null,
      silent: true,
    });
  }

  async #write<Result>(
    work: (tx: Transaction, outbox: Outbox) => Promise<Result>,
  ): Promise<Result> {
    const outbox = { deliveries: 0 };
    const result = await this.database.transaction((tx) => work(tx, outbox));
    this.bots.required.wake(outbox.deliveries);
    return result;
  }
}

/** Long messages count as several. */
function weightOf({ message, systemMessage }: NewMessage): number {
  return systemMessage === 'message_edited'
    ? WEIGHT_OF_EDIT
    : Math.ceil(Buffer.byteLength(message) / BYTES_OF_A_MESSAGE);
}

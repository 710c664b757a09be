import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { Database, type Transaction } from '../../database/database.js';
import { BotDeliveriesService } from '../bots/bot-deliveries.service.js';
import { BotNotVerified, ConversationNotFound } from '../chat.errors.js';
import { ChatSignals } from '../messages/chat-signals.js';
import type { Conversation, Membership } from './conversation.js';
import {
  isTechnical,
  personParameter,
  type Actor,
  type Message,
  type MessageParameters,
  type NewMessage,
  type SystemMessage,
} from '../messages/message.js';
import { BotsRepository } from '../bots/bots.repository.js';
import { ConversationsRepository } from './conversations.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { ParticipantsRepository } from '../participants/participants.repository.js';

export interface Outbox {
  deliveries: number;
}

/** A conversation that nobody else writes to now. */
export interface OpenConversation {
  readonly tx: Transaction;
  readonly conversation: Conversation;
  /** Deliveries to bots that begin when the transaction has ended. */
  readonly outbox: Outbox;
}

/** What happened, for a message of the system. `{actor}` is filled in. */
export interface Occurrence {
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

/**
 * The one way to write to a conversation. One at a time, so that ids rise in the order of commits
 * and whoever asks for what came after an id misses nothing; and message, news for those who wait
 * and deliveries to bots are one transaction.
 *
 * @see docs/decisions/0017-chat.md
 */
@Injectable()
export class Transcript {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    private readonly bots: BotsRepository,
    private readonly deliveries: BotDeliveriesService,
    private readonly signals: ChatSignals,
    private readonly config: Config,
  ) {}

  /**
   * Nothing in `work` may wait for another connection.
   *
   * @throws ConversationNotFound also when the user takes no part in it
   */
  async change<Result>(
    token: string,
    userId: string,
    work: (open: OpenConversation & Membership) => Promise<Result>,
  ): Promise<Result> {
    return this.#write(async (tx, outbox) => {
      const conversation = await this.conversations.lock(token, tx);
      // A statement of its own: one that waited for the lock would see participants of before.
      const self = conversation && (await this.participants.find(conversation.id, userId, tx));
      if (!conversation || !self) {
        throw new ConversationNotFound(token);
      }
      return work({ tx, outbox, conversation, self });
    });
  }

  /** @throws BotNotVerified also when there is no such conversation */
  async changeAsBot<Result>(
    token: string,
    botId: string,
    work: (open: OpenConversation) => Promise<Result>,
  ): Promise<Result> {
    return this.#write(async (tx, outbox) => {
      const conversation = await this.conversations.lock(token, tx);
      const members = conversation ? await this.bots.inConversation(conversation.id, tx) : [];
      if (!conversation || !members.some((member) => member.botId === botId)) {
        throw new BotNotVerified();
      }
      return work({ tx, outbox, conversation });
    });
  }

  /**
   * For what is not asked by a participant. `open` gives null when there is no such conversation.
   */
  async changeAsHost<Result>(
    work: (
      tx: Transaction,
      open: (token: string) => Promise<OpenConversation | null>,
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
    { tx, outbox, conversation }: OpenConversation,
    entry: NewMessage,
  ): Promise<Message> {
    const count = await this.conversations.countMessage(conversation.id, tx);
    // What takes something away must stay possible.
    if (!REMOVING.has(entry.systemMessage)) {
      assertBelowLimit(this.config, 'messages-per-conversation', count, 0);
    }
    const message = await this.messages.add(entry, tx);
    if (!isTechnical(message)) {
      await this.conversations.noteMessage(conversation.id, message.id, tx);
    }
    outbox.deliveries += await this.deliveries.queue(conversation, message, tx);
    await this.signals.changed(conversation.id, tx);
    return message;
  }

  async tell(open: OpenConversation, occurrence: Occurrence): Promise<Message> {
    const { actor, systemMessage, message, parameters = {}, parentId } = occurrence;
    return this.append(open, {
      conversationId: open.conversation.id,
      actor,
      kind: 'system',
      systemMessage,
      message,
      parameters: { actor: personParameter(actor), ...parameters },
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
    this.deliveries.wake(outbox.deliveries);
    return result;
  }
}

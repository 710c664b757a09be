import { Injectable } from '@nestjs/common';
import { ChatBotsOffer } from '../../../common/ports/chat-bots.js';
import type { SqlRunner } from '../../../database/database.js';
import {
  PermanentJobFailure,
  type JobAttempt,
  type JobKind,
} from '../../../database/jobs/job-kind.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { ConversationBotsOffer } from '../conversations/conversation-writer.service.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import {
  ConversationsRepository,
  type Conversation,
} from '../conversations/model/conversations.repository.js';
import { MessagesRepository, type Message } from '../conversations/model/messages.repository.js';
import { ParticipantsRepository } from '../conversations/model/participants.repository.js';
import { activityOfMessage, activityOfPresence } from './bot-activities.js';
import { BotsRepository } from './bots.repository.js';

interface MessageForBot {
  readonly what: 'message';
  readonly botId: string;
  readonly token: string;
  /** Dropped if the bot has been removed since, even if it was enabled again. */
  readonly membershipId: number;
  /** The text is read at delivery, so that deleted messages are not sent. */
  readonly messageId: number;
}

interface PresenceForBot {
  readonly what: 'Join' | 'Leave';
  readonly botId: string;
  readonly token: string;
  readonly conversationName: string;
}

const WEBHOOKS: JobKind<MessageForBot | PresenceForBot> = {
  name: 'chat-bot-webhook',
  deadlineSeconds: 24 * 3600,
  retryDelaySeconds: 2,
  longestRetryDelaySeconds: 900,
  attemptSeconds: 40,
  parallel: 8,
  // Leaves workers for other bots when one hangs in many conversations.
  parallelPerGroup: 2,
  ordered: true,
};

/** Number of error responses after which a message is dropped, so that the next ones get through. */
const MAX_FAILED_ATTEMPTS = 5;

/**
 * Delivers messages to the bots of a conversation: durable, in the background, in order per bot and
 * conversation.
 */
@Injectable()
export class BotDeliveriesService {
  constructor(
    private readonly jobs: JobQueue,
    private readonly chatBots: ChatBotsOffer,
    private readonly bots: BotsRepository,
    private readonly conversations: ConversationsService,
    private readonly allConversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    offer: ConversationBotsOffer,
  ) {
    offer.fill(this);
    jobs.carryOut(WEBHOOKS, (job) => this.#deliver(job));
  }

  async isMember(conversationId: number, botId: string, tx?: SqlRunner): Promise<boolean> {
    const members = await this.bots.inConversation(conversationId, tx);
    return members.some((member) => member.botId === botId);
  }

  /**
   * Messages of bots are not delivered to bots, which could otherwise answer each other forever.
   *
   * @returns the number of deliveries
   */
  async queue(conversation: Conversation, message: Message, tx: SqlRunner): Promise<number> {
    if (message.actor.type === 'bots') {
      return 0;
    }
    const members = await this.bots.inConversation(conversation.id, tx);
    await this.jobs.send(
      WEBHOOKS,
      members.map(({ id, botId }) => ({
        key: keyOf(conversation.token, botId),
        group: botId,
        payload: {
          what: 'message' as const,
          botId,
          token: conversation.token,
          membershipId: id,
          messageId: message.id,
        },
      })),
      tx,
    );
    return members.length;
  }

  async queueEnd(conversation: Conversation, name: string, tx: SqlRunner): Promise<number> {
    const members = await this.bots.inConversation(conversation.id, tx);
    for (const { botId } of members) {
      await this.queuePresence('Leave', botId, conversation, name, tx);
    }
    return members.length;
  }

  /** @param conversationName as `ConversationsService.nameFor` gives it */
  async queuePresence(
    what: 'Join' | 'Leave',
    botId: string,
    { token }: Conversation,
    conversationName: string,
    tx: SqlRunner,
  ): Promise<void> {
    const payload = { what, botId, token, conversationName };
    await this.jobs.send(WEBHOOKS, [{ key: keyOf(token, botId), group: botId, payload }], tx);
  }

  /** Deletes pending and failed deliveries to a bot. */
  async forget(botId: string): Promise<void> {
    await this.jobs.forget(WEBHOOKS, { group: botId });
  }

  /** Starts deliveries whose transaction has committed. */
  wake(deliveries: number): void {
    this.jobs.wake(WEBHOOKS, deliveries);
  }

  async #deliver({ payload, signal, attempt }: JobAttempt<MessageForBot | PresenceForBot>) {
    const { botId } = payload;
    const activity =
      payload.what === 'message'
        ? await this.#activityOf(payload)
        : await this.#presenceOf(payload);
    if (activity === null) {
      return;
    }
    const delivery = await this.chatBots.service?.deliver(botId, activity, signal);
    if (delivery === 'failed') {
      const message = `the external app of the chat bot ${botId} answered with an error`;
      await this.bots.recordError(botId, message);
      throw attempt < MAX_FAILED_ATTEMPTS ? new Error(message) : new PermanentJobFailure(message);
    }
    if (delivery === 'unreachable') {
      const message = `the external app of the chat bot ${botId} could not be reached`;
      await this.bots.recordError(botId, message);
      throw new Error(message);
    }
    // Otherwise the bot no longer exists or external apps are switched off, and the job is done.
    if (delivery === 'delivered') {
      await this.bots.recordSuccess(botId);
    }
  }

  /** @returns null when the bot no longer exists */
  async #presenceOf(presence: PresenceForBot) {
    const bots = (await this.chatBots.service?.list()) ?? [];
    const bot = bots.find(({ botId }) => botId === presence.botId);
    return bot === undefined ? null : activityOfPresence({ ...presence, botName: bot.name });
  }

  /** @returns null when the message was deleted or the bot removed */
  async #activityOf({ token, botId, membershipId, messageId }: MessageForBot) {
    const conversation = await this.allConversations.find(token);
    if (conversation === null) {
      return null;
    }
    const members = await this.bots.inConversation(conversation.id);
    const message = await this.messages.find(conversation.id, messageId);
    const isMember = members.some((one) => one.id === membershipId && one.botId === botId);
    if (message === null || message.kind === 'comment_deleted' || !isMember) {
      return null;
    }
    const parent =
      message.parentId === null
        ? null
        : await this.messages.find(conversation.id, message.parentId);
    const author = await this.participants.find(conversation.id, message.actor.id);
    return activityOfMessage({
      message,
      parent,
      authorType: author?.type,
      token,
      conversationName: await this.conversations.nameFor(conversation),
    });
  }
}

function keyOf(token: string, botId: string): string {
  return `${token}/${botId}`;
}

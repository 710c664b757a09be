import { Injectable } from '@nestjs/common';
import { ChatBots } from '../../common/ports/chat-bots.js';
import type { SqlRunner } from '../../database/database.js';
import { Hopeless, JobQueue, type JobAttempt, type JobKind } from '../../database/job-queue.js';
import { activityOfMessage, activityOfPresence } from './bot-activities.js';
import { isBetweenTwo, type Conversation } from '../conversations/conversation.js';
import type { Message } from '../messages/message.js';
import { People } from '../participants/display-names.js';
import { BotsRepository } from './bots.repository.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { ParticipantsRepository } from '../participants/participants.repository.js';

interface MessageForBot {
  readonly what: 'message';
  readonly botId: string;
  readonly token: string;
  /** Of the time that the bot takes part in: what was said at another is none of its business. */
  readonly membershipId: number;
  /** Texts stay where they are, so that deleting one deletes it. */
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
  // A bot that hangs in many conversations leaves workers for the others.
  parallelPerGroup: 2,
  ordered: true,
};

/** A bot that fails over one message must not miss all that follow. */
const ATTEMPTS_AT_FAILING = 5;

/**
 * Tells bots what happens in the conversations that they take part in: durably, in order for each
 * bot and conversation, and without keeping anybody waiting.
 */
@Injectable()
export class BotDeliveriesService {
  constructor(
    private readonly jobs: JobQueue,
    private readonly chatBots: ChatBots,
    private readonly bots: BotsRepository,
    private readonly conversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    private readonly people: People,
  ) {
    jobs.carryOut(WEBHOOKS, (job) => this.#deliver(job));
  }

  /**
   * Bots hear what people do, not one another: two that answer would never stop.
   *
   * @returns how many deliveries
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

  /** @param conversationName as `nameFor` gives it */
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

  /** What the bot was not told yet, or could not be told, it never will be. */
  async forget(botId: string): Promise<void> {
    await this.jobs.forget(WEBHOOKS, { group: botId });
  }

  /** Begins with deliveries that are committed now. */
  wake(deliveries: number): void {
    this.jobs.wake(WEBHOOKS, deliveries);
  }

  /** What the conversation is called, seen from outside. */
  async nameFor(conversation: Conversation): Promise<string> {
    if (!isBetweenTwo(conversation) || conversation.pair === null) {
      return conversation.name;
    }
    const names = await this.people.namesOf(conversation.pair);
    return [...names.values()].join(', ');
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
    const delivery = await this.chatBots.deliver(botId, activity, signal);
    if (delivery === 'failed') {
      const complaint = `the external app of the chat bot ${botId} answered with an error`;
      await this.bots.noteError(botId, complaint);
      throw attempt < ATTEMPTS_AT_FAILING ? new Error(complaint) : new Hopeless(complaint);
    }
    if (delivery === 'unreachable') {
      const complaint = `the external app of the chat bot ${botId} was not reached`;
      await this.bots.noteError(botId, complaint);
      throw new Error(complaint);
    }
    // Nobody is left to be told where there is no such bot any more.
    if (delivery === 'delivered') {
      await this.bots.noteSuccess(botId);
    }
  }

  /** @returns null when there is no such bot any more */
  async #presenceOf(presence: PresenceForBot) {
    const bot = (await this.chatBots.list()).find(({ botId }) => botId === presence.botId);
    return bot === undefined ? null : activityOfPresence({ ...presence, botName: bot.name });
  }

  /** @returns null when the message is gone, or the bot is not there any more to hear it */
  async #activityOf({ token, botId, membershipId, messageId }: MessageForBot) {
    const conversation = await this.conversations.find(token);
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
      conversationName: await this.nameFor(conversation),
    });
  }
}

function keyOf(token: string, botId: string): string {
  return `${token}/${botId}`;
}

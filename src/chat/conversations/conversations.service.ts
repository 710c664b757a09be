import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { Config } from '../../common/config/config.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { UserDirectory, type Account } from '../../common/ports/user-directory.js';
import { UserGroups } from '../../common/ports/user-groups.js';
import type { Transaction } from '../../database/database.js';
import { BotDeliveriesService } from '../bots/bot-deliveries.service.js';
import {
  CannotTalkToOneself,
  ConversationNotFound,
  InviteeNotFound,
  ModeratorRequired,
  NotBetweenTwo,
} from '../chat.errors.js';
import { ChatNotificationsService } from '../messages/chat-notifications.service.js';
import { ChatSignals } from '../messages/chat-signals.js';
import {
  ConversationType,
  isBetweenTwo,
  isModerator,
  ParticipantType,
  type Conversation,
  type Membership,
} from './conversation.js';
import { actorOf } from '../participants/display-names.js';
import { BotsRepository } from '../bots/bots.repository.js';
import {
  ConversationsRepository,
  type NewConversation,
  type Overview,
} from './conversations.repository.js';
import { ParticipantsRepository } from '../participants/participants.repository.js';
import { Transcript, type OpenConversation } from './conversation-writer.js';

// Neither 0 and o nor 1 and l: people read tokens to one another.
const TOKEN_CHARACTERS = '23456789abcdefghijkmnpqrstuvwxyz';
const TOKEN_LENGTH = 12;

export interface Opened {
  readonly overview: Overview;
  readonly created: boolean;
}

/** Conversations as a whole: opening, showing, naming and ending them. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly bots: BotsRepository,
    private readonly deliveries: BotDeliveriesService,
    private readonly transcript: Transcript,
    private readonly signals: ChatSignals,
    private readonly notifications: ChatNotificationsService,
    private readonly directory: UserDirectory,
    private readonly groups: UserGroups,
    private readonly config: Config,
  ) {}

  /** The most recent ones first. */
  async list(userId: string, modifiedSinceSeconds = 0): Promise<Overview[]> {
    return this.conversations.listFor(userId, modifiedSinceSeconds);
  }

  /** @throws ConversationNotFound also when the user takes no part in it */
  async show(userId: string, token: string): Promise<Overview> {
    const found = await this.conversations.findFor(token, userId);
    if (found === null) {
      throw new ConversationNotFound(token);
    }
    return found;
  }

  /**
   * The conversation between two, a new one only if they have none. Whoever had left is back.
   *
   * @throws InviteeNotFound
   * @throws CannotTalkToOneself
   */
  async openWith(account: Account, otherId: string): Promise<Opened> {
    if (otherId === account.userId) {
      throw new CannotTalkToOneself();
    }
    const other = await this.directory.find(otherId);
    if (other === null) {
      throw new InviteeNotFound(otherId);
    }
    const pair = [account.userId, other.userId].sort();
    const made = { token: newToken(), type: ConversationType.oneToOne, name: '', pair };
    const { conversation, created } = await this.transcript.changeAsHost(async (tx, open) => {
      const created = await this.conversations.create(made, tx);
      if (created) {
        await this.#assertFewOwned(account, tx);
      }
      const token = created ? made.token : await this.conversations.tokenOfPair(pair, tx);
      const opened = token === null ? null : await open(token);
      if (opened === null) {
        throw new ConversationNotFound(made.token);
      }
      // The other one is let be: they left, and come back when something is said.
      const present = created ? pair : [account.userId];
      for (const userId of present) {
        await this.participants.add(
          opened.conversation.id,
          userId,
          ParticipantType.owner,
          opened.tx,
        );
      }
      if (created) {
        await this.#tellOfCreation(opened, account);
      }
      return { conversation: opened.conversation, created };
    });
    if (created) {
      await this.notifications.invitation(conversation, actorOf(account), other.userId);
    }
    return { overview: await this.show(account.userId, conversation.token), created };
  }

  /**
   * A new conversation with everybody in a group of people.
   *
   * @param name that of the group when it is empty
   * @throws InviteeNotFound also for a group that is none of the user's business
   */
  async createForGroup(
    account: Account,
    type: typeof ConversationType.group | typeof ConversationType.public,
    name: string,
    groupId: string,
  ): Promise<Opened> {
    const group = await this.groups.find(groupId);
    if (group === null || !(account.isAdmin || group.memberIds.includes(account.userId))) {
      throw new InviteeNotFound(groupId);
    }
    const others = group.memberIds.filter((userId) => userId !== account.userId);
    return this.create(account, type, name === '' ? group.displayName : name, others);
  }

  /**
   * @param others who take part from the beginning, besides the user
   * @returns the new group or public conversation, with the user as its owner
   */
  async create(
    account: Account,
    type: typeof ConversationType.group | typeof ConversationType.public,
    name: string,
    others: readonly string[] = [],
  ): Promise<Opened> {
    const made: NewConversation = { token: newToken(), type, name, pair: null };
    const conversation = await this.transcript.changeAsHost(async (tx, open) => {
      assertBelowLimit(this.config, 'participants-per-conversation', others.length);
      await this.#assertFewOwned(account, tx);
      await this.conversations.create(made, tx);
      const opened = await open(made.token);
      if (opened === null) {
        throw new ConversationNotFound(made.token);
      }
      const { id } = opened.conversation;
      await this.participants.add(id, account.userId, ParticipantType.owner, tx);
      for (const userId of others) {
        await this.participants.add(id, userId, ParticipantType.user, tx);
      }
      await this.#tellOfCreation(opened, account);
      return opened.conversation;
    });
    for (const userId of others) {
      await this.notifications.invitation(conversation, actorOf(account), userId);
    }
    return { overview: await this.show(account.userId, made.token), created: true };
  }

  /**
   * @throws ConversationNotFound
   * @throws NotBetweenTwo
   * @throws ModeratorRequired
   */
  async rename(account: Account, token: string, name: string): Promise<void> {
    await this.transcript.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      if (open.conversation.name === name) {
        return;
      }
      await this.conversations.rename(open.conversation.id, name, open.tx);
      await this.transcript.tell(open, {
        actor: actorOf(account),
        systemMessage: 'conversation_renamed',
        message: '{actor} renamed the conversation from "{oldName}" to "{newName}"',
        parameters: { oldName: highlight(open.conversation.name), newName: highlight(name) },
      });
    });
  }

  /**
   * @throws ConversationNotFound
   * @throws NotBetweenTwo
   * @throws ModeratorRequired
   */
  async describe(account: Account, token: string, description: string): Promise<void> {
    await this.transcript.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      if (open.conversation.description === description) {
        return;
      }
      await this.conversations.describe(open.conversation.id, description, open.tx);
      const removed = description === '';
      await this.transcript.tell(open, {
        actor: actorOf(account),
        systemMessage: removed ? 'description_removed' : 'description_set',
        message: removed ? '{actor} removed the description' : '{actor} set the description',
      });
    });
  }

  /**
   * With everything that was said in it.
   *
   * @throws ConversationNotFound
   * @throws NotBetweenTwo
   * @throws ModeratorRequired
   */
  async delete(account: Account, token: string): Promise<void> {
    const members = await this.transcript.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      const members = await this.participants.list(open.conversation.id, open.tx);
      await this.end(open, open.conversation.name);
      return members;
    });
    for (const { userId } of members) {
      await this.notifications.settle(userId, token);
    }
  }

  /** @param name as bots know the conversation */
  async end(open: OpenConversation, name: string): Promise<void> {
    const { tx, conversation, outbox } = open;
    for (const { botId } of await this.bots.inConversation(conversation.id, tx)) {
      await this.deliveries.queuePresence('Leave', botId, conversation, name, tx);
      outbox.deliveries += 1;
    }
    await this.conversations.remove(conversation.id, tx);
    await this.signals.changed(conversation.id, tx);
  }

  /** @throws LimitReached */
  async #assertFewOwned({ userId }: Account, tx: Transaction): Promise<void> {
    const most = this.config.limits['conversations-per-user'];
    const owned = await this.participants.countOwned(userId, most, tx);
    assertBelowLimit(this.config, 'conversations-per-user', owned);
  }

  async #tellOfCreation(open: OpenConversation, account: Account): Promise<void> {
    await this.transcript.tell(open, {
      actor: actorOf(account),
      systemMessage: 'conversation_created',
      message: '{actor} created the conversation',
    });
    const { conversation, tx } = open;
    await this.#markAllRead(conversation, tx);
  }

  async #markAllRead({ id }: Conversation, tx: Transaction): Promise<void> {
    for (const participant of await this.participants.list(id, tx)) {
      await this.participants.markRead(participant.id, undefined, tx);
    }
  }
}

/** @throws NotBetweenTwo @throws ModeratorRequired */
export function assertGroupModerator({ conversation, self }: Membership): void {
  if (isBetweenTwo(conversation)) {
    throw new NotBetweenTwo();
  }
  assertModerator(self);
}

/** @throws ModeratorRequired */
export function assertModerator(self: Membership['self']): void {
  if (!isModerator(self)) {
    throw new ModeratorRequired();
  }
}

function highlight(name: string) {
  return { type: 'highlight', id: name, name };
}

function newToken(): string {
  return Array.from({ length: TOKEN_LENGTH }, () =>
    TOKEN_CHARACTERS.charAt(randomInt(TOKEN_CHARACTERS.length)),
  ).join('');
}

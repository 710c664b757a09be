import { Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { UserDirectory, type Account } from '../../../common/ports/user-directory.js';
import type { Transaction } from '../../../database/database.js';
import { GroupsService } from '../../accounts/groups/groups.service.js';
import {
  CannotTalkToOneself,
  ConversationNotFound,
  InviteeIsFull,
  InviteeNotFound,
} from '../chat.errors.js';
import { ChatNotificationsService } from './chat-notifications.service.js';
import { ConversationWriter, type LockedConversation } from './conversation-writer.service.js';
import { ConversationsService } from './conversations.service.js';
import { ConversationType, ParticipantType } from './model/conversation.js';
import {
  ConversationsRepository,
  type ConversationSummary,
  type NewConversation,
} from './model/conversations.repository.js';
import { actorOf } from './model/message.js';
import { ParticipantsRepository } from './model/participants.repository.js';
import { roomFor } from './room-for.js';

// Excludes 0, o, 1 and l, which are easily confused when read aloud.
const TOKEN_CHARACTERS = '23456789abcdefghijkmnpqrstuvwxyz';
const TOKEN_LENGTH = 12;

type GroupType = typeof ConversationType.group | typeof ConversationType.public;

export interface Opened {
  readonly summary: ConversationSummary;
  /** False for an existing one-to-one conversation. */
  readonly created: boolean;
}

/** Creates conversations. */
@Injectable()
export class ConversationCreationService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly conversationsRepository: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly writer: ConversationWriter,
    private readonly notifications: ChatNotificationsService,
    private readonly directory: UserDirectory,
    private readonly groups: GroupsService,
    private readonly config: Config,
  ) {}

  /**
   * Opens the one-to-one conversation with another user; creates it when there is none. A caller who
   * had left becomes a participant again.
   *
   * @throws InviteeNotFound
   * @throws InviteeIsFull
   * @throws CannotTalkToOneself
   */
  async openWith(account: Account, otherId: string): Promise<Opened> {
    if (otherId === account.userId) {
      throw new CannotTalkToOneself();
    }
    const other = InviteeNotFound.unless(await this.directory.find(otherId), otherId);
    const pair = [account.userId, other.userId].sort();
    const draft = { token: newToken(), type: ConversationType.oneToOne, name: '', pair };
    const { conversation, created } = await this.writer.changeAsSystem(async (tx, open) => {
      const created = await this.conversationsRepository.create(draft, tx);
      if (created) {
        await this.#assertBelowOwnedLimit(account, tx);
        await this.#assertNotFull(other, tx);
      }
      const token = created
        ? draft.token
        : await this.conversationsRepository.tokenOfPair(pair, tx);
      const opened = token === null ? null : await open(token);
      if (opened === null) {
        throw new ConversationNotFound(draft.token);
      }
      // If the other user has left, the next message brings them back.
      for (const userId of created ? pair : [account.userId]) {
        await this.participants.add(
          opened.conversation.id,
          userId,
          ParticipantType.owner,
          opened.tx,
        );
      }
      if (created) {
        await this.#announceCreation(opened, account);
      }
      return { conversation: opened.conversation, created };
    });
    if (created) {
      await this.notifications.invitation(conversation, actorOf(account), other.userId);
    }
    const summary = await this.conversations.show(account.userId, conversation.token);
    return { summary, created };
  }

  /**
   * Creates a conversation with all members of a user group.
   *
   * @param name default: the name of the group
   * @throws InviteeNotFound also when the caller is neither a member nor an administrator
   */
  async createForGroup(
    account: Account,
    type: GroupType,
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
   * Creates a group or public conversation owned by the caller.
   *
   * @param others user ids of further participants; those who are in too many conversations are left out
   */
  async create(
    account: Account,
    type: GroupType,
    name: string,
    others: readonly string[] = [],
  ): Promise<Opened> {
    const draft: NewConversation = { token: newToken(), type, name, pair: null };
    const { conversation, added } = await this.writer.changeAsSystem(async (tx, open) => {
      assertBelowLimit(this.config, 'participants-per-conversation', others.length);
      await this.#assertBelowOwnedLimit(account, tx);
      await this.conversationsRepository.create(draft, tx);
      const opened = ConversationNotFound.unless(await open(draft.token), draft.token);
      const { id } = opened.conversation;
      await this.participants.add(id, account.userId, ParticipantType.owner, tx);
      const room = roomFor(this.config, account.isAdmin);
      const full = await this.participants.full(others, id, room, tx);
      const added = others.filter((userId) => !full.has(userId));
      for (const userId of added) {
        await this.participants.add(id, userId, ParticipantType.user, tx);
      }
      await this.#announceCreation(opened, account);
      return { conversation: opened.conversation, added };
    });
    for (const userId of added) {
      await this.notifications.invitation(conversation, actorOf(account), userId);
    }
    const summary = await this.conversations.show(account.userId, draft.token);
    return { summary, created: true };
  }

  async #assertBelowOwnedLimit({ userId }: Account, tx: Transaction): Promise<void> {
    const limit = this.config.limits['conversations-per-user'];
    const owned = await this.participants.countOwned(userId, limit, tx);
    assertBelowLimit(this.config, 'conversations-per-user', owned);
  }

  async #assertNotFull({ userId }: Account, tx: Transaction): Promise<void> {
    const most = this.config.limits['conversations-per-user'];
    if ((await this.participants.countOwned(userId, most, tx)) >= most) {
      throw new InviteeIsFull(userId);
    }
  }

  /** Adds the system message, which counts as read for everyone. */
  async #announceCreation(open: LockedConversation, account: Account): Promise<void> {
    await this.writer.addSystemMessage(open, {
      actor: actorOf(account),
      systemMessage: 'conversation_created',
      message: '{actor} created the conversation',
    });
    const { conversation, tx } = open;
    for (const participant of await this.participants.list(conversation.id, tx)) {
      await this.participants.markRead(participant.id, undefined, tx);
    }
  }
}

function newToken(): string {
  return Array.from({ length: TOKEN_LENGTH }, () =>
    TOKEN_CHARACTERS.charAt(randomInt(TOKEN_CHARACTERS.length)),
  ).join('');
}

import { Injectable } from '@nestjs/common';
import type { Account } from '../../../common/ports/user-directory.js';
import { ConversationNotFound, ModeratorRequired, NotBetweenTwo } from '../chat.errors.js';
import { ChatNotificationsService } from './chat-notifications.service.js';
import { ChatSignals } from './chat-signals.service.js';
import {
  ConversationBotsOffer,
  ConversationWriter,
  type LockedConversation,
} from './conversation-writer.service.js';
import { DisplayNames } from './display-names.service.js';
import { isBetweenTwo, isModerator } from './model/conversation.js';
import {
  ConversationsRepository,
  type Conversation,
  type ConversationSummary,
  type Membership,
} from './model/conversations.repository.js';
import { actorOf } from './model/message.js';
import { ParticipantsRepository } from './model/participants.repository.js';

/** Lists, renames and deletes conversations. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly bots: ConversationBotsOffer,
    private readonly writer: ConversationWriter,
    private readonly signals: ChatSignals,
    private readonly notifications: ChatNotificationsService,
    private readonly displayNames: DisplayNames,
  ) {}

  /** Most recent activity first. */
  async list(userId: string, modifiedSinceSeconds = 0): Promise<ConversationSummary[]> {
    return this.conversations.listFor(userId, modifiedSinceSeconds);
  }

  /** @throws ConversationNotFound also when the user is no participant */
  async show(userId: string, token: string): Promise<ConversationSummary> {
    return ConversationNotFound.unless(await this.conversations.findFor(token, userId), token);
  }

  async rename(account: Account, token: string, name: string): Promise<void> {
    await this.writer.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      if (open.conversation.name === name) {
        return;
      }
      await this.conversations.rename(open.conversation.id, name, open.tx);
      await this.writer.addSystemMessage(open, {
        actor: actorOf(account),
        systemMessage: 'conversation_renamed',
        message: '{actor} renamed the conversation from "{oldName}" to "{newName}"',
        parameters: { oldName: highlight(open.conversation.name), newName: highlight(name) },
      });
    });
  }

  async describe(account: Account, token: string, description: string): Promise<void> {
    await this.writer.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      if (open.conversation.description === description) {
        return;
      }
      await this.conversations.describe(open.conversation.id, description, open.tx);
      const removed = description === '';
      await this.writer.addSystemMessage(open, {
        actor: actorOf(account),
        systemMessage: removed ? 'description_removed' : 'description_set',
        message: removed ? '{actor} removed the description' : '{actor} set the description',
      });
    });
  }

  async delete(account: Account, token: string): Promise<void> {
    const members = await this.writer.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      const members = await this.participants.list(open.conversation.id, open.tx);
      await this.end(open, open.conversation.name);
      return members;
    });
    for (const { userId } of members) {
      await this.notifications.withdraw(userId, token);
    }
  }

  /** The name of a conversation for bots. Call outside transactions, see `DisplayNames`. */
  async nameFor(conversation: Conversation): Promise<string> {
    if (!isBetweenTwo(conversation) || conversation.pair === null) {
      return conversation.name;
    }
    const names = await this.displayNames.of(conversation.pair);
    return [...names.values()].join(', ');
  }

  /** Deletes a locked conversation and notifies its bots. @param name for the bots */
  async end(open: LockedConversation, name: string): Promise<void> {
    const { tx, conversation, outbox } = open;
    outbox.deliveries += await this.bots.required.queueEnd(conversation, name, tx);
    await this.conversations.remove(conversation.id, tx);
    await this.signals.changed(conversation.id, tx);
  }
}

/** @throws NotBetweenTwo */
export function assertGroupModerator({ conversation, self }: Membership): void {
  if (isBetweenTwo(conversation)) {
    throw new NotBetweenTwo();
  }
  assertModerator(self);
}

/** @throws ModeratorRequired */
export function assertModerator(self: Membership['self']): void {
  ModeratorRequired.unless(isModerator(self));
}

function highlight(name: string) {
  return { type: 'highlight', id: name, name };
}

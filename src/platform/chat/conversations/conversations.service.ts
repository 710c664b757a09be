import { Injectable } from '@nestjs/common';
import type { Account } from '../../../common/ports/user-directory.js';
import { BotDeliveriesService } from '../bots/bot-deliveries.service.js';
import { BotsRepository } from '../bots/bots.repository.js';
import { ConversationNotFound, ModeratorRequired, NotBetweenTwo } from '../chat.errors.js';
import { ChatNotificationsService } from './messages/chat-notifications.service.js';
import { ChatSignals } from './messages/chat-signals.js';
import { actorOf } from './messages/message.js';
import { ParticipantsRepository } from './participants/participants.repository.js';
import { ConversationWriter, type LockedConversation } from './conversation-writer.js';
import { isBetweenTwo, isModerator } from './conversation.js';
import { ConversationsRepository } from './conversations.repository.js';
import type { ConversationSummary, Membership } from './conversations.sql.js';

/** Lists, renames and deletes conversations. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly bots: BotsRepository,
    private readonly deliveries: BotDeliveriesService,
    private readonly writer: ConversationWriter,
    private readonly signals: ChatSignals,
    private readonly notifications: ChatNotificationsService,
  ) {}

  /** Most recent activity first. */
  async list(userId: string, modifiedSinceSeconds = 0): Promise<ConversationSummary[]> {
    return this.conversations.listFor(userId, modifiedSinceSeconds);
  }

  /** @throws ConversationNotFound also when the user is no participant */
  async show(userId: string, token: string): Promise<ConversationSummary> {
    const found = await this.conversations.findFor(token, userId);
    if (found === null) {
      throw new ConversationNotFound(token);
    }
    return found;
  }

  /**
   * @throws ConversationNotFound
   * @throws NotBetweenTwo
   * @throws ModeratorRequired
   */
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

  /**
   * @throws ConversationNotFound
   * @throws NotBetweenTwo
   * @throws ModeratorRequired
   */
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

  /**
   * Deletes a conversation with all of its messages.
   *
   * @throws ConversationNotFound
   * @throws NotBetweenTwo
   * @throws ModeratorRequired
   */
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

  /** Deletes a locked conversation and tells its bots. @param name for the bots */
  async end(open: LockedConversation, name: string): Promise<void> {
    const { tx, conversation, outbox } = open;
    for (const { botId } of await this.bots.inConversation(conversation.id, tx)) {
      await this.deliveries.queuePresence('Leave', botId, conversation, name, tx);
      outbox.deliveries += 1;
    }
    await this.conversations.remove(conversation.id, tx);
    await this.signals.changed(conversation.id, tx);
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

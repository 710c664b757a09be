import { Injectable } from '@nestjs/common';
import { Database } from '../../../../database/database.js';
import { ChatNotificationsService } from '../chat-notifications.service.js';
import { ChatSignals } from '../chat-signals.service.js';
import { ConversationsService } from '../conversations.service.js';
import type { Membership, ConversationSummary } from '../model/conversations.repository.js';
import { ParticipantsRepository } from '../model/participants.repository.js';

@Injectable()
export class ReadMarkersService {
  constructor(
    private readonly database: Database,
    private readonly conversations: ConversationsService,
    private readonly participants: ParticipantsRepository,
    private readonly signals: ChatSignals,
    private readonly notifications: ChatNotificationsService,
  ) {}

  /** @param messageId last message read; undefined for the newest */
  async markRead(
    userId: string,
    token: string,
    messageId: number | undefined,
  ): Promise<ConversationSummary> {
    await this.advance(await this.conversations.show(userId, token), messageId);
    return this.conversations.show(userId, token);
  }

  /** Marks the newest message unread. */
  async markUnread(userId: string, token: string): Promise<ConversationSummary> {
    const { conversation, self } = await this.conversations.show(userId, token);
    await this.participants.markUnread(self.id);
    await this.signals.changed(conversation.id, this.database);
    return this.conversations.show(userId, token);
  }

  /** Moves the marker, signals the change, and withdraws notifications of read messages. */
  async advance({ conversation, self }: Membership, messageId: number | undefined): Promise<void> {
    const changed = await this.participants.markRead(self.id, messageId);
    if (changed === null) {
      return;
    }
    await this.signals.changed(conversation.id, this.database);
    if (changed.lastReadMessageId >= changed.lastMentionMessageId) {
      await this.notifications.withdraw(self.userId, conversation.token);
    }
  }
}

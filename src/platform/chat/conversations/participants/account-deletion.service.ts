import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountDeletionHooks } from '../../../../common/ports/hooks.js';
import { ChatSignals } from '../chat-signals.service.js';
import { ConversationWriter, type LockedConversation } from '../conversation-writer.service.js';
import { ConversationsService } from '../conversations.service.js';
import { isModerator, ParticipantType } from '../model/conversation.js';
import { ConversationsRepository } from '../model/conversations.repository.js';
import { MessagesRepository } from '../model/messages.repository.js';
import { ParticipantsRepository } from '../model/participants.repository.js';
import { ReactionsRepository } from '../model/reactions.repository.js';

const FORMER_NAME = 'Deleted user';

/** Removes a deleted account from all conversations. Its messages stay, without its name. */
@Injectable()
export class AccountDeletionService implements OnModuleInit {
  constructor(
    private readonly deletionHooks: AccountDeletionHooks,
    private readonly conversations: ConversationsService,
    private readonly allConversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
    private readonly writer: ConversationWriter,
    private readonly signals: ChatSignals,
  ) {}

  onModuleInit(): void {
    this.deletionHooks.add((userId) => this.erase(userId));
  }

  async erase(userId: string): Promise<void> {
    for (const token of await this.allConversations.tokensOf(userId)) {
      await this.writer.changeAsSystem(async (_tx, openByToken) => {
        const open = await openByToken(token);
        if (open !== null) {
          await this.#removeFrom(open, userId);
        }
      });
    }
    await this.reactions.removeAllOfUser(userId);
    await this.messages.anonymise(userId);
  }

  async #removeFrom(open: LockedConversation, userId: string): Promise<void> {
    const { tx, conversation } = open;
    const participants = await this.participants.list(conversation.id, tx);
    const others = participants.filter((one) => one.userId !== userId);
    const [eldest] = others;
    if (eldest === undefined) {
      await this.conversations.end(open, conversation.name);
      return;
    }
    for (const { id } of participants.filter((one) => one.userId === userId)) {
      await this.participants.remove(id, tx);
    }
    if (conversation.pair !== null) {
      await this.allConversations.makeFormer(conversation.id, FORMER_NAME, tx);
    }
    // A group needs a moderator.
    if (!others.some(isModerator)) {
      await this.participants.changeType(eldest.id, ParticipantType.moderator, tx);
    }
    await this.signals.changed(conversation.id, tx);
  }
}

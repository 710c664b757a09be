import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ChatSignals } from '../messages/chat-signals.js';
import { isModerator, ParticipantType } from '../conversations/conversation.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { ParticipantsRepository } from './participants.repository.js';
import { ReactionsRepository } from '../reactions/reactions.repository.js';
import { Transcript, type OpenConversation } from '../conversations/conversation-writer.js';
import { AccountDeletionHooks } from '../../common/ports/account-deletion-hooks.js';

const FORMER_NAME = 'Deleted user';

/**
 * Takes a deleted account out of all conversations. What others read of them stays, under nobody's
 * name, since an answer is worth nothing without its question.
 */
@Injectable()
export class ErasureService implements OnModuleInit {
  constructor(
    private readonly deletionHooks: AccountDeletionHooks,
    private readonly conversations: ConversationsService,
    private readonly allConversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
    private readonly transcript: Transcript,
    private readonly signals: ChatSignals,
  ) {}

  onModuleInit(): void {
    this.deletionHooks.onErase((userId) => this.erase(userId));
  }

  async erase(userId: string): Promise<void> {
    for (const token of await this.allConversations.tokensOf(userId)) {
      await this.transcript.changeAsHost(async (_tx, openByToken) => {
        const open = await openByToken(token);
        if (open !== null) {
          await this.#takeOut(open, userId);
        }
      });
    }
    await this.reactions.removeAllOfUser(userId);
    await this.messages.anonymise(userId);
  }

  async #takeOut(open: OpenConversation, userId: string): Promise<void> {
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
    // Somebody has to be able to invite and to delete.
    if (!others.some(isModerator)) {
      await this.participants.changeType(eldest.id, ParticipantType.moderator, tx);
    }
    await this.signals.changed(conversation.id, tx);
  }
}

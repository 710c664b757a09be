import { Injectable } from '@nestjs/common';
import {
  AccountTransferParts,
  linesEntry,
  type TransferEntry,
  type TransferNotes,
  type TransferWish,
} from '../../../common/ports/account-transfer.js';
import { ConversationsRepository, type Conversation } from './model/conversations.repository.js';
import { MessagesRepository } from './model/messages.repository.js';

const MESSAGES_AT_ONCE = 200;

/** The conversations of a user in the archive of their account: what they see now. */
@Injectable()
export class ChatPart {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly messages: MessagesRepository,
    parts: AccountTransferParts,
  ) {
    parts.addExport((wish, notes) => this.#entries(wish, notes));
  }

  async *#entries({ userId }: TransferWish, notes: TransferNotes): AsyncGenerator<TransferEntry> {
    const summaries = await this.conversations.listFor(userId, 0);
    yield linesEntry('chat/conversations.ndjson', async function* () {
      yield summaries.map(({ conversation, self }) => ({
        token: conversation.token,
        name: conversation.name,
        description: conversation.description,
        with: conversation.pair?.filter((one) => one !== userId) ?? [],
        readUpTo: self.lastReadMessageId,
      }));
    });
    for (const { conversation } of summaries) {
      const { token } = conversation;
      yield linesEntry(`chat/${token}.ndjson`, () => this.#messages(conversation, notes));
    }
    notes.count('conversations', summaries.length);
    notes.leaveOut(
      'conversations on the way back',
      'They belong to all who take part, so that no other service takes them in.',
    );
  }

  /** Oldest first. */
  async *#messages({ id }: Conversation, notes: TransferNotes): AsyncGenerator<object[]> {
    for (let after = 0; ;) {
      const messages = await this.messages.after(id, after, MESSAGES_AT_ONCE);
      const last = messages.at(-1);
      if (last === undefined) {
        return;
      }
      after = last.id;
      notes.count('messages', messages.length);
      yield messages.map(({ actor, createdSeconds, edited, ...message }) => ({
        id: message.id,
        time: createdSeconds,
        from: actor,
        kind: message.kind,
        message: message.message,
        parameters: message.parameters,
        ...(message.parentId !== null && { answers: message.parentId }),
        ...(edited !== null && { edited: edited.seconds }),
      }));
    }
  }
}

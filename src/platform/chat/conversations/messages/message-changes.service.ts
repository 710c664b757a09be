import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { EditedTooLate, MessageFixed, MessageNotFound, NotYourMessage } from '../../chat.errors.js';
import { ConversationWriter, type LockedConversation } from '../conversation-writer.service.js';
import { ConversationsService } from '../conversations.service.js';
import { isBetweenTwo, isModerator } from '../model/conversation.js';
import type { Membership } from '../model/conversations.repository.js';
import { actorOf, actorParameter, type SystemMessage } from '../model/message.js';
import { MessagesRepository, type Message } from '../model/messages.repository.js';
import { ReactionsRepository } from '../model/reactions.repository.js';
import { mentionsIn, MentionsService } from './mentions.service.js';
import { ShownMessagesService, type ShownMessage } from './shown-messages.service.js';

const EDITABLE_HOURS = 24;

export interface Changed {
  /** The system message about the change; the changed message is its parent. */
  readonly shown: ShownMessage;
  /** Whether bots may have received the old text. */
  readonly sentToBots: boolean;
}

/** Edits and deletes messages. Allowed to their authors and to moderators of groups. */
@Injectable()
export class MessageChangesService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
    private readonly writer: ConversationWriter,
    private readonly mentions: MentionsService,
    private readonly shownMessages: ShownMessagesService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws MessageFixed
   * @throws NotYourMessage
   * @throws EditedTooLate
   */
  async edit(account: Account, token: string, id: number, text: string): Promise<Changed> {
    const { conversation } = await this.conversations.show(account.userId, token);
    const mentionable = await this.mentions.mentionable(conversation, text);
    return this.#change(account, token, id, 'message_edited', async (open, message) => {
      if (this.clock.nowSeconds() - message.createdSeconds > EDITABLE_HOURS * 3600) {
        throw new EditedTooLate(EDITABLE_HOURS);
      }
      const change = mentionsIn(text, open.conversation, mentionable);
      await this.messages.edit(id, change, actorOf(account), open.tx);
      return '{actor} edited a message';
    });
  }

  /**
   * Deletes the text and all reactions.
   *
   * @throws MessageFixed
   * @throws NotYourMessage
   */
  async delete(account: Account, token: string, id: number): Promise<Changed> {
    return this.#change(account, token, id, 'message_deleted', async ({ tx }, message) => {
      const byAuthor = isAuthor(account.userId, message);
      await this.messages.blank(
        id,
        {
          message: byAuthor ? 'Message deleted by author' : 'Message deleted by {actor}',
          parameters: { actor: actorParameter(actorOf(account)) },
        },
        tx,
      );
      await this.reactions.removeAll(id, tx);
      return '{actor} deleted a message';
    });
  }

  /** @param work changes the message; returns the text of the system message about it */
  async #change(
    account: Account,
    token: string,
    id: number,
    systemMessage: SystemMessage,
    work: (open: LockedConversation, message: Message) => Promise<string>,
  ): Promise<Changed> {
    const { added, sentToBots } = await this.writer.change(token, account.userId, async (open) => {
      const { tx, conversation } = open;
      const message = MessageNotFound.unless(await this.messages.find(conversation.id, id, tx), id);
      if (message.kind !== 'comment') {
        throw new MessageFixed(id);
      }
      assertMayChange(open, message);
      const added = await this.writer.addSystemMessage(open, {
        actor: actorOf(account),
        systemMessage,
        message: await work(open, message),
        parentId: id,
      });
      return { added, sentToBots: open.outbox.deliveries > 0 };
    });
    return { shown: await this.shownMessages.ofOne(added, account.userId), sentToBots };
  }
}

function assertMayChange({ conversation, self }: Membership, message: Message): void {
  if (!isAuthor(self.userId, message) && (isBetweenTwo(conversation) || !isModerator(self))) {
    throw new NotYourMessage();
  }
}

function isAuthor(userId: string, { actor }: Message): boolean {
  return actor.type === 'users' && actor.id === userId;
}

import { Injectable } from '@nestjs/common';
import type { ChatBot } from '../../../../common/ports/chat-bots.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { BotNotVerified, ConversationReadOnly, NotReplyable } from '../../chat.errors.js';
import { ChatNotificationsService } from '../chat-notifications.service.js';
import { ConversationWriter, type LockedConversation } from '../conversation-writer.service.js';
import { ConversationsService } from '../conversations.service.js';
import { ConversationType, isBetweenTwo, ParticipantType } from '../model/conversation.js';
import { ConversationsRepository, type Conversation } from '../model/conversations.repository.js';
import { actorOf, botActor, type Actor } from '../model/message.js';
import { MessagesRepository, type Message } from '../model/messages.repository.js';
import { ParticipantsRepository } from '../model/participants.repository.js';
import {
  mentionsIn,
  MentionsService,
  type Mentionable,
  type MentionedText,
} from './mentions.service.js';
import { ShownMessagesService, type ShownMessage } from './shown-messages.service.js';

/** A message to send. */
interface Draft {
  readonly text: string;
  readonly replyTo: number | null;
  readonly referenceId: string;
  /** Sends no notifications. */
  readonly silent: boolean;
}

interface Sent {
  readonly shown: ShownMessage;
  /** Last message that all participants have read. */
  readonly commonReadId: number;
}

interface Written {
  readonly message: Message;
  /** Whom to notify. */
  readonly userIds: readonly string[];
}

/** Sends messages of users and bots. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly allConversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    private readonly writer: ConversationWriter,
    private readonly notifications: ChatNotificationsService,
    private readonly mentions: MentionsService,
    private readonly shownMessages: ShownMessagesService,
  ) {}

  /**
   * Marks the message as read for its author.
   *
   * @throws ConversationReadOnly
   * @throws NotReplyable
   */
  async send(account: Account, token: string, draft: Draft): Promise<Sent> {
    const { conversation } = await this.conversations.show(account.userId, token);
    const mentionable = await this.mentions.mentionable(conversation, draft.text);
    const written = await this.writer.change(token, account.userId, async (open) => {
      const written = await this.#write(open, actorOf(account), draft, mentionable);
      await this.participants.markRead(open.self.id, written.message.id, open.tx);
      return written;
    });
    await this.#notify(conversation, draft, written);
    const shown = await this.shownMessages.ofOne(written.message, account.userId);
    return { shown, commonReadId: await this.participants.commonRead(conversation.id) };
  }

  /**
   * @throws BotNotVerified
   * @throws ConversationReadOnly
   * @throws NotReplyable
   */
  async sendAsBot(bot: ChatBot, token: string, draft: Draft): Promise<void> {
    const conversation = BotNotVerified.unless(await this.allConversations.find(token));
    const mentionable = await this.mentions.mentionable(conversation, draft.text);
    const written = await this.writer.changeAsBot(token, bot.botId, (open) =>
      this.#write(open, botActor(bot), draft, mentionable),
    );
    await this.#notify(conversation, draft, written);
  }

  async #write(
    open: LockedConversation,
    actor: Actor,
    { text, replyTo, referenceId, silent }: Draft,
    mentionable: readonly Mentionable[],
  ): Promise<Written> {
    const { tx, conversation } = open;
    if (conversation.type === ConversationType.formerOneToOne) {
      throw new ConversationReadOnly();
    }
    // A message re-adds users who left a one-to-one conversation.
    for (const userId of actor.type === 'users' ? (conversation.pair ?? []) : []) {
      await this.participants.add(conversation.id, userId, ParticipantType.owner, tx);
    }
    if (replyTo !== null) {
      const parent = await this.messages.find(conversation.id, replyTo, tx);
      if (parent?.kind !== 'comment') {
        throw new NotReplyable(replyTo);
      }
    }
    const mentioned = mentionsIn(text, conversation, mentionable);
    const message = await this.writer.append(open, {
      conversationId: conversation.id,
      actor,
      kind: 'comment',
      systemMessage: '',
      message: mentioned.message,
      parameters: mentioned.parameters,
      referenceId,
      parentId: replyTo,
      silent,
    });
    const addressed = await this.#addressedBy(open, mentioned);
    const others = addressed.filter((userId) => userId !== actor.id);
    const userIds =
      others.length === 0
        ? []
        : await this.participants.markMentioned(conversation.id, others, message.id, tx);
    return { message, userIds };
  }

  /** Mentioned users; all participants in one-to-one conversations and for `@all`. */
  async #addressedBy(
    { tx, conversation }: LockedConversation,
    { userIds, everybody }: MentionedText,
  ): Promise<readonly string[]> {
    if (!everybody && !isBetweenTwo(conversation)) {
      return userIds;
    }
    const all = await this.participants.list(conversation.id, tx);
    return all.map(({ userId }) => userId);
  }

  async #notify(
    conversation: Conversation,
    { silent }: Draft,
    { message, userIds }: Written,
  ): Promise<void> {
    if (!silent) {
      await this.notifications.message(conversation, message, userIds);
    }
  }
}

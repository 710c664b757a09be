import { Injectable } from '@nestjs/common';
import { Config } from '../../../../common/config/config.js';
import { assertBelowLimit } from '../../../../common/errors/limit-reached.js';
import type { ChatBot } from '../../../../common/ports/chat-bots.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { MessageFixed, MessageNotFound, ReactionNotFound } from '../../chat.errors.js';
import { ConversationWriter, type LockedConversation } from '../conversation-writer.service.js';
import { ConversationsService } from '../conversations.service.js';
import { actorOf, botActor, type Actor } from '../model/message.js';
import { MessagesRepository, type Message } from '../model/messages.repository.js';
import { ReactionsRepository, type Reaction } from '../model/reactions.repository.js';

/** Reactions of users and bots to messages. */
@Injectable()
export class ReactionsService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
    private readonly writer: ConversationWriter,
    private readonly config: Config,
  ) {}

  /**
   * @returns oldest first
   * @throws MessageNotFound
   */
  async list(userId: string, token: string, messageId: number): Promise<Reaction[]> {
    const { conversation } = await this.conversations.show(userId, token);
    if ((await this.messages.find(conversation.id, messageId)) === null) {
      throw new MessageNotFound(messageId);
    }
    return this.reactions.ofMessage(messageId);
  }

  /**
   * @returns false if the reaction existed
   * @throws MessageFixed
   */
  async add(account: Account, token: string, messageId: number, emoji: string): Promise<boolean> {
    return this.writer.change(token, account.userId, (open) =>
      this.#add(open, actorOf(account), messageId, emoji),
    );
  }

  /** @throws ReactionNotFound */
  async remove(account: Account, token: string, messageId: number, emoji: string): Promise<void> {
    await this.writer.change(token, account.userId, (open) =>
      this.#remove(open, actorOf(account), messageId, emoji),
    );
  }

  /**
   * @returns false if the reaction existed
   * @throws MessageFixed
   */
  async addAsBot(bot: ChatBot, token: string, messageId: number, emoji: string): Promise<boolean> {
    return this.writer.changeAsBot(token, bot.botId, (open) =>
      this.#add(open, botActor(bot), messageId, emoji),
    );
  }

  /** @throws ReactionNotFound */
  async removeAsBot(bot: ChatBot, token: string, messageId: number, emoji: string): Promise<void> {
    await this.writer.changeAsBot(token, bot.botId, (open) =>
      this.#remove(open, botActor(bot), messageId, emoji),
    );
  }

  async #add(
    open: LockedConversation,
    actor: Actor,
    messageId: number,
    emoji: string,
  ): Promise<boolean> {
    const message = await this.#find(open, messageId);
    if (message.kind !== 'comment') {
      throw new MessageFixed(messageId);
    }
    if (!(await this.reactions.add(messageId, actor, emoji, open.tx))) {
      return false;
    }
    const given = await this.reactions.countOf(messageId, actor, open.tx);
    assertBelowLimit(this.config, 'reactions-per-message-and-person', given, 0);
    await this.writer.addSystemMessage(open, {
      actor,
      systemMessage: 'reaction',
      message: '{reaction}',
      parameters: { reaction: emojiParameter(emoji) },
      parentId: messageId,
    });
    return true;
  }

  async #remove(
    open: LockedConversation,
    actor: Actor,
    messageId: number,
    emoji: string,
  ): Promise<void> {
    await this.#find(open, messageId);
    ReactionNotFound.unless(await this.reactions.remove(messageId, actor, emoji, open.tx));
    await this.writer.addSystemMessage(open, {
      actor,
      systemMessage: 'reaction_revoked',
      message: '{actor} deleted a reaction',
      parameters: { reaction: emojiParameter(emoji) },
      parentId: messageId,
    });
  }

  async #find({ tx, conversation }: LockedConversation, messageId: number): Promise<Message> {
    return MessageNotFound.unless(
      await this.messages.find(conversation.id, messageId, tx),
      messageId,
    );
  }
}

function emojiParameter(emoji: string) {
  return { type: 'highlight', id: emoji, name: emoji };
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { ChatBot } from '../../common/ports/chat-bots.js';
import type { Account } from '../../common/ports/user-directory.js';
import { botActorId } from '../bots/bot-activities.js';
import {
  BotNotVerified,
  ConversationReadOnly,
  EditedTooLate,
  MessageFixed,
  MessageNotFound,
  NotReplyable,
  NotYourMessage,
} from '../chat.errors.js';
import { callParameter, ChatNotificationsService } from './chat-notifications.service.js';
import {
  ConversationType,
  isBetweenTwo,
  isModerator,
  ParticipantType,
  type Conversation,
  type Membership,
} from '../conversations/conversation.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import { mayMention, withMentions, type Mentionable, type MentionedText } from './mentions.js';
import {
  personParameter,
  type Actor,
  type Message,
  type ShownMessage,
  type SystemMessage,
} from './message.js';
import { actorOf, People } from '../participants/display-names.js';
import { BotsRepository } from '../bots/bots.repository.js';
import { ConversationsRepository } from '../conversations/conversations.repository.js';
import { MessagesRepository } from './messages.repository.js';
import { ParticipantsRepository } from '../participants/participants.repository.js';
import { ReactionsRepository } from '../reactions/reactions.repository.js';
import { Transcript, type OpenConversation } from '../conversations/conversation-writer.js';

const EDITABLE_HOURS = 24;

/** What somebody wants to say. */
export interface Draft {
  readonly text: string;
  /** The message that is answered. */
  readonly replyTo: number | null;
  readonly referenceId: string;
  /** Notifies nobody. */
  readonly silent: boolean;
}

export interface Sent {
  readonly shown: ShownMessage;
  /** Highest message that everybody has read. */
  readonly commonReadId: number;
}

export interface Changed {
  /** The message of the system about it, with the changed one as its parent. */
  readonly shown: ShownMessage;
  /** Whether bots may have read what it was before. */
  readonly spread: boolean;
}

/** Saying, correcting and taking back. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly allConversations: ConversationsRepository,
    private readonly participants: ParticipantsRepository,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
    private readonly bots: BotsRepository,
    private readonly transcript: Transcript,
    private readonly notifications: ChatNotificationsService,
    private readonly people: People,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ConversationNotFound
   * @throws ConversationReadOnly
   * @throws NotReplyable
   */
  async send(account: Account, token: string, draft: Draft): Promise<Sent> {
    const { conversation } = await this.conversations.show(account.userId, token);
    const mentionable = await this.#mentionable(conversation, draft.text);
    const shown = await this.#say(
      conversation,
      draft,
      await this.transcript.change(token, account.userId, async (open) => {
        const said = await this.#write(open, actorOf(account), draft, mentionable);
        await this.participants.markRead(open.self.id, said.message.id, open.tx);
        return said;
      }),
    );
    return { shown, commonReadId: await this.participants.commonRead(conversation.id) };
  }

  /**
   * @throws BotNotVerified
   * @throws ConversationReadOnly
   * @throws NotReplyable
   */
  async sendAsBot(bot: ChatBot, token: string, draft: Draft): Promise<void> {
    const conversation = await this.allConversations.find(token);
    if (conversation === null) {
      throw new BotNotVerified();
    }
    const mentionable = await this.#mentionable(conversation, draft.text);
    const said = await this.transcript.changeAsBot(token, bot.botId, (open) =>
      this.#write(open, botActor(bot), draft, mentionable),
    );
    await this.#say(conversation, draft, said);
  }

  /**
   * @throws ConversationNotFound
   * @throws MessageNotFound
   * @throws MessageFixed
   * @throws NotYourMessage
   * @throws EditedTooLate
   */
  async edit(account: Account, token: string, id: number, text: string): Promise<Changed> {
    const { conversation } = await this.conversations.show(account.userId, token);
    const mentionable = await this.#mentionable(conversation, text);
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
   * @throws ConversationNotFound
   * @throws MessageNotFound
   * @throws MessageFixed
   * @throws NotYourMessage
   */
  async delete(account: Account, token: string, id: number): Promise<Changed> {
    return this.#change(account, token, id, 'message_deleted', async ({ tx }, message) => {
      const actor = actorOf(account);
      const byAuthor = isOf(message, actor);
      await this.messages.blank(
        id,
        {
          message: byAuthor ? 'Message deleted by author' : 'Message deleted by {actor}',
          parameters: { actor: personParameter(actor) },
        },
        tx,
      );
      await this.reactions.removeAll(id, tx);
      return '{actor} deleted a message';
    });
  }

  /**
   * Everybody who can be mentioned, but not oneself.
   *
   * @throws ConversationNotFound
   */
  async mentionable(
    userId: string,
    token: string,
  ): Promise<{ readonly people: readonly Mentionable[]; readonly conversation: Conversation }> {
    const { conversation } = await this.conversations.show(userId, token);
    const people = await this.#participantsOf(conversation);
    return { people: people.filter((one) => one.userId !== userId), conversation };
  }

  /** Messages with what hangs on them, in the order given. */
  async withContext(messages: readonly Message[]): Promise<ShownMessage[]> {
    const parentIds = new Set(messages.flatMap(({ parentId }) => parentId ?? []));
    const parents = new Map(
      (await this.messages.byIds([...parentIds])).map((parent) => [parent.id, parent]),
    );
    const reactions = await this.reactions.ofMessages([
      ...parentIds,
      ...messages.map(({ id }) => id),
    ]);
    return messages.map((message) => ({
      message,
      parent: parents.get(message.parentId ?? 0) ?? null,
      reactions,
    }));
  }

  async #write(
    open: OpenConversation,
    actor: Actor,
    { text, replyTo, referenceId, silent }: Draft,
    mentionable: readonly Mentionable[],
  ): Promise<{ readonly message: Message; readonly wanted: readonly string[] }> {
    const { tx, conversation } = open;
    if (conversation.type === ConversationType.formerOneToOne) {
      throw new ConversationReadOnly();
    }
    // What one says to the other reaches them, even if they have left.
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
    const message = await this.transcript.append(open, {
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
    const wanted = (await this.#wanted(open, mentioned)).filter((userId) => userId !== actor.id);
    if (wanted.length === 0) {
      return { message, wanted };
    }
    return {
      message,
      wanted: await this.participants.markMentioned(conversation.id, wanted, message.id, tx),
    };
  }

  /** Whom a message is for in particular. */
  async #wanted(
    { tx, conversation }: OpenConversation,
    { userIds, everybody }: MentionedText,
  ): Promise<readonly string[]> {
    if (!everybody && !isBetweenTwo(conversation)) {
      return userIds;
    }
    const all = await this.participants.list(conversation.id, tx);
    return all.map(({ userId }) => userId);
  }

  async #say(
    conversation: Conversation,
    { silent }: Draft,
    { message, wanted }: { readonly message: Message; readonly wanted: readonly string[] },
  ): Promise<ShownMessage> {
    if (!silent) {
      await this.notifications.message(conversation, message, wanted);
    }
    return this.#shown(message);
  }

  async #change(
    account: Account,
    token: string,
    id: number,
    systemMessage: SystemMessage,
    work: (open: OpenConversation, message: Message) => Promise<string>,
  ): Promise<Changed> {
    const { told, spread } = await this.transcript.change(token, account.userId, async (open) => {
      const { tx, conversation } = open;
      const message = await this.messages.find(conversation.id, id, tx);
      if (message === null) {
        throw new MessageNotFound(id);
      }
      if (message.kind !== 'comment') {
        throw new MessageFixed(id);
      }
      assertMayChange(open, message);
      const told = await this.transcript.tell(open, {
        actor: actorOf(account),
        systemMessage,
        message: await work(open, message),
        parentId: id,
      });
      const bots = await this.bots.inConversation(conversation.id, tx);
      return { told, spread: bots.length > 0 };
    });
    return { shown: await this.#shown(told), spread };
  }

  async #shown(message: Message): Promise<ShownMessage> {
    const [shown] = await this.withContext([message]);
    return shown ?? { message, parent: null, reactions: [] };
  }

  async #mentionable(conversation: Conversation, text: string): Promise<Mentionable[]> {
    return mayMention(text) ? this.#participantsOf(conversation) : [];
  }

  async #participantsOf(conversation: Conversation): Promise<Mentionable[]> {
    const participants = await this.participants.list(conversation.id);
    const names = await this.people.namesOf(participants.map(({ userId }) => userId));
    return [...names].map(([userId, displayName]) => ({ userId, displayName }));
  }
}

function mentionsIn(
  text: string,
  conversation: Conversation,
  people: readonly Mentionable[],
): MentionedText {
  const room = isBetweenTwo(conversation) ? undefined : callParameter(conversation);
  return withMentions(text, people, room);
}

function assertMayChange({ conversation, self }: Membership, message: Message): void {
  const isAuthor = message.actor.type === 'users' && message.actor.id === self.userId;
  if (!isAuthor && (isBetweenTwo(conversation) || !isModerator(self))) {
    throw new NotYourMessage();
  }
}

function isOf({ actor }: Message, { type, id }: Actor): boolean {
  return actor.type === type && actor.id === id;
}

export function botActor({ botId, name }: Pick<ChatBot, 'botId' | 'name'>): Actor {
  return { type: 'bots', id: botActorId(botId), displayName: name };
}

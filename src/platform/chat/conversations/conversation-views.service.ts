import { Injectable } from '@nestjs/common';
import { DisplayNames } from './display-names.service.js';
import { ConversationType } from './model/conversation.js';
import type { Conversation, ConversationSummary } from './model/conversations.repository.js';
import { MessagesRepository, type Message } from './model/messages.repository.js';
import { ReactionsRepository, type ReactionCounts } from './model/reactions.repository.js';

/** A conversation as clients display it. */
export interface ConversationView extends ConversationSummary {
  /** Name for the caller; in one-to-one the other user's. */
  readonly displayName: string;
  /** Set in one-to-one. */
  readonly otherUserId: string | undefined;
  readonly lastMessage: Message | undefined;
  /** Of the last message among others. */
  readonly reactions: ReactionCounts;
}

/** Most characters of a description and of a last message in a list, and in all of a list together. */
const MOST_CHARACTERS = 2000;
const CHARACTERS_OF_A_LIST = 512 * 1024;

/** Adds display names and last messages to conversations. */
@Injectable()
export class ConversationViewsService {
  constructor(
    private readonly displayNames: DisplayNames,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
  ) {}

  async ofOne(summary: ConversationSummary): Promise<ConversationView> {
    const { lastMessageId } = summary.conversation;
    const messages = await this.messages.byIds(lastMessageId === null ? [] : [lastMessageId]);
    const [view] = await this.#of([summary], messages);
    if (view === undefined) {
      throw new Error(`The conversation ${summary.conversation.id} got lost`);
    }
    return view;
  }

  /**
   * Same order as the summaries. The more there are, the shorter are descriptions and last messages: others
   * write them, and must not make the list larger than what can be shown.
   */
  async ofList(summaries: readonly ConversationSummary[]): Promise<ConversationView[]> {
    const most = Math.min(MOST_CHARACTERS, Math.floor(CHARACTERS_OF_A_LIST / summaries.length));
    const lastIds = summaries.flatMap(({ conversation }) => conversation.lastMessageId ?? []);
    const views = await this.#of(summaries, await this.messages.startsByIds(lastIds, most));
    return views.map((view) => {
      const { conversation } = view;
      const description = conversation.description.slice(0, most).toWellFormed();
      return { ...view, conversation: { ...conversation, description } };
    });
  }

  async #of(
    summaries: readonly ConversationSummary[],
    lastMessages: readonly Message[],
  ): Promise<ConversationView[]> {
    const others = summaries.map(({ conversation, self }) => otherOf(conversation, self.userId));
    const names = await this.displayNames.of(others.flatMap((userId) => userId ?? []));
    const messages = new Map(lastMessages.map((one) => [one.id, one]));
    const reactions = await this.reactions.counts([...messages.keys()], '');
    return summaries.map((summary, index) => {
      const otherUserId = others[index];
      const { name, lastMessageId } = summary.conversation;
      return {
        ...summary,
        otherUserId,
        displayName: otherUserId === undefined ? name : (names.get(otherUserId) ?? otherUserId),
        lastMessage: messages.get(lastMessageId ?? 0),
        reactions,
      };
    });
  }
}

function otherOf({ type, pair }: Conversation, userId: string): string | undefined {
  return type === ConversationType.oneToOne ? pair?.find((one) => one !== userId) : undefined;
}

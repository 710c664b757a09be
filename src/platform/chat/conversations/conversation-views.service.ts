import { Injectable } from '@nestjs/common';
import { MessagesRepository, type Message } from './messages/messages.repository.js';
import { DisplayNames } from './participants/display-names.js';
import { ReactionsRepository, type Reaction } from './reactions/reactions.repository.js';
import { ConversationType } from './conversation.js';
import type { Conversation, ConversationSummary } from './conversations.repository.js';

/** A conversation as clients display it. */
export interface ConversationView extends ConversationSummary {
  /** Name for the caller; in one-to-one the other user's. */
  readonly displayName: string;
  /** Set in one-to-one. */
  readonly otherUserId: string | undefined;
  readonly lastMessage: Message | undefined;
  /** Reactions to the last message. */
  readonly reactions: readonly Reaction[];
}

/** Adds display names and last messages to conversations. */
@Injectable()
export class ConversationViewsService {
  constructor(
    private readonly displayNames: DisplayNames,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
  ) {}

  async ofOne(summary: ConversationSummary): Promise<ConversationView> {
    const [view] = await this.of([summary]);
    if (view === undefined) {
      throw new Error(`The conversation ${summary.conversation.id} got lost`);
    }
    return view;
  }

  /** Same order as the summaries. */
  async of(summaries: readonly ConversationSummary[]): Promise<ConversationView[]> {
    const others = summaries.map(({ conversation, self }) => otherOf(conversation, self.userId));
    const names = await this.displayNames.of(others.flatMap((userId) => userId ?? []));
    const lastIds = summaries.flatMap(({ conversation }) => conversation.lastMessageId ?? []);
    const messages = new Map((await this.messages.byIds(lastIds)).map((one) => [one.id, one]));
    const reactions = await this.reactions.ofMessages(lastIds);
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

import { Injectable } from '@nestjs/common';
import { ConversationType, type Conversation } from './conversation.js';
import type { Reaction, Message } from '../messages/message.js';
import { People } from '../participants/display-names.js';
import type { Overview } from './conversations.repository.js';
import { MessagesRepository } from '../messages/messages.repository.js';
import { ReactionsRepository } from '../reactions/reactions.repository.js';

/** A conversation as it is shown in a list. */
export interface ConversationView extends Overview {
  /** As this participant sees it: of one-to-one, the name of the other. */
  readonly displayName: string;
  /** Of one-to-one: the other. */
  readonly otherUserId: string | undefined;
  readonly lastMessage: Message | undefined;
  /** Of the last message. */
  readonly reactions: readonly Reaction[];
}

/** Adds what a list shows beside conversations: names, and what was said last. */
@Injectable()
export class ConversationViewsService {
  constructor(
    private readonly people: People,
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
  ) {}

  async ofOne(overview: Overview): Promise<ConversationView> {
    const [view] = await this.of([overview]);
    if (view === undefined) {
      throw new Error(`The conversation ${overview.conversation.id} got lost`);
    }
    return view;
  }

  /** In the order given. */
  async of(overviews: readonly Overview[]): Promise<ConversationView[]> {
    const others = overviews.map(({ conversation, self }) => otherOf(conversation, self.userId));
    const names = await this.people.namesOf(others.flatMap((userId) => userId ?? []));
    const lastIds = overviews.flatMap(({ conversation }) => conversation.lastMessageId ?? []);
    const messages = new Map((await this.messages.byIds(lastIds)).map((one) => [one.id, one]));
    const reactions = await this.reactions.ofMessages(lastIds);
    return overviews.map((overview, index) => {
      const otherUserId = others[index];
      const { name, lastMessageId } = overview.conversation;
      return {
        ...overview,
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

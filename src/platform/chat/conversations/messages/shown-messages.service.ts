import { Injectable } from '@nestjs/common';
import { MessagesRepository, type Message } from '../model/messages.repository.js';
import { ReactionsRepository, type ReactionCounts } from '../model/reactions.repository.js';

/** A message with its displayed additions. */
export interface ShownMessage {
  readonly message: Message;
  readonly parent: Message | null;
  /** Reactions to the message and to its parent. */
  readonly reactions: ReactionCounts;
}

@Injectable()
export class ShownMessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
  ) {}

  /**
   * Adds parents and reactions; keeps the order.
   *
   * @param userId the reader
   */
  async of(messages: readonly Message[], userId: string): Promise<ShownMessage[]> {
    const parentIds = new Set(messages.flatMap(({ parentId }) => parentId ?? []));
    const parents = new Map(
      (await this.messages.byIds([...parentIds])).map((parent) => [parent.id, parent]),
    );
    const ids = [...parentIds, ...messages.map(({ id }) => id)];
    const reactions = await this.reactions.counts(ids, userId);
    return messages.map((message) => ({
      message,
      parent: parents.get(message.parentId ?? 0) ?? null,
      reactions,
    }));
  }

  async ofOne(message: Message, userId: string): Promise<ShownMessage> {
    const [shown] = await this.of([message], userId);
    return shown ?? { message, parent: null, reactions: new Map() };
  }
}

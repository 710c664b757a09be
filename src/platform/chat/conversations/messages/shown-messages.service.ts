import { Injectable } from '@nestjs/common';
import { ReactionsRepository, type Reaction } from '../reactions/reactions.repository.js';
import { MessagesRepository, type Message } from './messages.repository.js';

/** A message with its displayed additions. */
export interface ShownMessage {
  readonly message: Message;
  readonly parent: Message | null;
  /** Reactions to the message and to its parent. */
  readonly reactions: readonly Reaction[];
}

@Injectable()
export class ShownMessagesService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly reactions: ReactionsRepository,
  ) {}

  /** Adds parents and reactions; keeps the order. */
  async of(messages: readonly Message[]): Promise<ShownMessage[]> {
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

  async ofOne(message: Message): Promise<ShownMessage> {
    const [shown] = await this.of([message]);
    return shown ?? { message, parent: null, reactions: [] };
  }
}

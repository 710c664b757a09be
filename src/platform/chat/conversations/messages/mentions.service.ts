import { Injectable } from '@nestjs/common';
import { ConversationsService } from '../conversations.service.js';
import type { Conversation } from '../conversations.repository.js';
import { DisplayNames } from '../participants/display-names.js';
import { ParticipantsRepository } from '../participants/participants.repository.js';
import { mayMention, type Mentionable } from './mentions.js';

/** Who can be mentioned in a conversation. */
@Injectable()
export class MentionsService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly participants: ParticipantsRepository,
    private readonly displayNames: DisplayNames,
  ) {}

  /** Suggestions for the caller: all other participants. */
  async suggestions(
    userId: string,
    token: string,
  ): Promise<{ readonly people: readonly Mentionable[]; readonly conversation: Conversation }> {
    const { conversation } = await this.conversations.show(userId, token);
    const people = await this.#participantsOf(conversation);
    return { people: people.filter((one) => one.userId !== userId), conversation };
  }

  /** All participants if the text may mention any. Call before the conversation is locked. */
  async mentionable(conversation: Conversation, text: string): Promise<Mentionable[]> {
    return mayMention(text) ? this.#participantsOf(conversation) : [];
  }

  async #participantsOf(conversation: Conversation): Promise<Mentionable[]> {
    const participants = await this.participants.list(conversation.id);
    const names = await this.displayNames.of(participants.map(({ userId }) => userId));
    return [...names].map(([userId, displayName]) => ({ userId, displayName }));
  }
}

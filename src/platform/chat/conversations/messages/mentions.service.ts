import { Injectable } from '@nestjs/common';
import type { RichObject } from '../../../../common/ports/notification-center.js';
import { callParameter } from '../chat-notifications.service.js';
import { ConversationsService } from '../conversations.service.js';
import { DisplayNames } from '../display-names.service.js';
import { isBetweenTwo } from '../model/conversation.js';
import type { Conversation } from '../model/conversations.repository.js';
import type { MessageParameters } from '../model/message.js';
import { ParticipantsRepository } from '../model/participants.repository.js';

/** A participant who can be mentioned. */
export interface Mentionable {
  readonly userId: string;
  readonly displayName: string;
}

export interface MentionedText {
  /** Text with a `{mention-…}` placeholder for each mention. */
  readonly message: string;
  readonly parameters: MessageParameters;
  readonly userIds: readonly string[];
  /** Whether `@all` was mentioned. */
  readonly everybody: boolean;
}

const EVERYBODY = 'all';

/** `@"some user"` or `@user`, not inside a word such as an email address. */
const MENTION = /(?<![\p{L}\p{N}_.@-])@(?:"([^"\n]+)"|([\p{L}\p{N}_.@-]+))/gu;

/** The longest user id. */
const MAX_ID_CHARACTERS = 64;

/** Possible mentions in a conversation. */
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
    return text.includes('@') ? this.#participantsOf(conversation) : [];
  }

  async #participantsOf(conversation: Conversation): Promise<Mentionable[]> {
    const participants = await this.participants.list(conversation.id);
    const names = await this.displayNames.of(participants.map(({ userId }) => userId));
    return [...names].map(([userId, displayName]) => ({ userId, displayName }));
  }
}

/** Replaces mentions in a text; `@all` only in groups. */
export function mentionsIn(
  text: string,
  conversation: Conversation,
  people: readonly Mentionable[],
): MentionedText {
  return withMentions(
    text,
    people,
    isBetweenTwo(conversation) ? undefined : callParameter(conversation),
  );
}

/**
 * Replaces mentions of participants with placeholders; other mentions stay as text.
 *
 * @param room value of `@all`; undefined where it is not supported
 */
export function withMentions(
  text: string,
  people: readonly Mentionable[],
  room: RichObject | undefined,
): MentionedText {
  const byId = new Map(people.map((person) => [person.userId, person]));
  const placeholders = new Map<string, string>();
  const parameters: Record<string, RichObject> = {};
  const userIds = new Set<string>();

  const placeholderFor = (id: string, sort: string, object: RichObject): string => {
    const known = placeholders.get(id);
    if (known !== undefined) {
      return known;
    }
    let number = placeholders.size + 1;
    // The text may contain the same placeholder literally.
    while (text.includes(`{${sort}${number}}`)) {
      number += people.length + 1;
    }
    parameters[`${sort}${number}`] = object;
    placeholders.set(id, `{${sort}${number}}`);
    return `{${sort}${number}}`;
  };
  const placeholderOf = (id: string): string | undefined => {
    const person = byId.get(id);
    if (person !== undefined) {
      userIds.add(id);
      const object = { type: 'user', id, name: person.displayName };
      return placeholderFor(`user ${id}`, 'mention-user', object);
    }
    return id === EVERYBODY && room !== undefined
      ? placeholderFor('call', 'mention-call', room)
      : undefined;
  };

  const message = text.replace(MENTION, (whole, quoted?: string, plain?: string) => {
    if (quoted !== undefined) {
      return placeholderOf(quoted) ?? whole;
    }
    // A trailing full stop may be part of the user id or end the sentence.
    for (const id of candidateIds(plain ?? '')) {
      const placeholder = placeholderOf(id);
      if (placeholder !== undefined) {
        return placeholder + (plain ?? '').slice(id.length);
      }
    }
    return whole;
  });
  const everybody = placeholders.has('call');
  return { message, parameters, userIds: [...userIds], everybody };
}

/** Yields the text, then the text with one more trailing punctuation mark removed each time. */
function* candidateIds(text: string): Generator<string> {
  for (let end = text.length; end > 0; end -= 1) {
    if (end <= MAX_ID_CHARACTERS) {
      yield text.slice(0, end);
    }
    if (!'.@-'.includes(text.charAt(end - 1))) {
      return;
    }
  }
}

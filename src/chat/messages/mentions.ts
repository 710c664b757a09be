import type { RichObject } from '../../common/ports/notification-center.js';
import type { MessageParameters } from './message.js';

/** Somebody who can be mentioned. */
export interface Mentionable {
  readonly userId: string;
  readonly displayName: string;
}

export interface MentionedText {
  /** With `{mention-…}` in place of each mention. */
  readonly message: string;
  readonly parameters: MessageParameters;
  readonly userIds: readonly string[];
  /** Whether everybody was mentioned at once. */
  readonly everybody: boolean;
}

const EVERYBODY = 'all';

/** `@"some user"` or `@user`, not inside a word such as an e-mail address. */
const MENTION = /(?<![\p{L}\p{N}_.@-])@(?:"([^"\n]+)"|([\p{L}\p{N}_.@-]+))/gu;

/** Whether it is worth knowing who could be meant. */
export function mayMention(text: string): boolean {
  return text.includes('@');
}

/**
 * Puts placeholders where the text mentions participants; others stay as they were written.
 *
 * @param room what `@all` stands for; undefined where there is no such thing
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
    // Somebody may have written what looks like one of ours.
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
    // A full stop may belong to the name or end the sentence.
    for (const id of namesWithin(plain ?? '')) {
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

/** Names of users are no longer. */
const LONGEST_NAME = 64;

/** A text without the first, second … of the marks that it ends in, and before all as it is. */
function* namesWithin(text: string): Generator<string> {
  for (let end = text.length; end > 0; end -= 1) {
    if (end <= LONGEST_NAME) {
      yield text.slice(0, end);
    }
    if (!'.@-'.includes(text.charAt(end - 1))) {
      return;
    }
  }
}

import type { ChatMessage, MessagePage, PlainMessage } from '../chat-api.js';

/** A message not yet confirmed by the service. */
export interface OutgoingMessage {
  /** Client-generated key that identifies the confirmed message. */
  readonly referenceId: string;
  readonly text: string;
  readonly replyTo: ChatMessage | undefined;
  readonly failed: boolean;
}

/** What is known of the messages of a conversation. */
export interface Timeline {
  /** Oldest first. */
  readonly messages: readonly ChatMessage[];
  readonly outgoing: readonly OutgoingMessage[];
  readonly hasOlder: boolean;
  /** Latest message read by all participants. */
  readonly commonReadId: number;
  /** Id after which the divider for new messages is shown; 0: none. */
  readonly dividerAfterId: number;
  /** Latest message of another person since the conversation was opened. */
  readonly latestHeard: ChatMessage | undefined;
  /** Oldest received id, including hidden messages. */
  readonly firstKnownId: number;
  /** Newest received id, including hidden messages. */
  readonly lastKnownId: number;
  /** Read marker as reported to the service. */
  readonly readUpTo: number;
}

export const NOTHING_KNOWN: Timeline = {
  messages: [],
  outgoing: [],
  hasOlder: false,
  commonReadId: 0,
  dividerAfterId: 0,
  latestHeard: undefined,
  firstKnownId: 0,
  lastKnownId: 0,
  readUpTo: 0,
};

/** System messages that only announce a change of another message; never shown. */
const TECHNICAL = new Set(['message_edited', 'message_deleted', 'reaction', 'reaction_revoked']);

export function isShown({ systemMessage }: PlainMessage): boolean {
  return !TECHNICAL.has(systemMessage);
}

export function isBy(userId: string, { actorType, actorId }: PlainMessage): boolean {
  return actorType === 'users' && actorId === userId;
}

export function newestIdOf({ messages }: Pick<Timeline, 'messages'>): number {
  return messages.at(-1)?.id ?? 0;
}

/** @param older a page of the history, oldest first */
export function withOlder(
  known: Timeline,
  older: readonly ChatMessage[],
  { pageSize, userId }: { readonly pageSize: number; readonly userId: string },
): Timeline {
  // A message may have been sent, and confirmed, while this page was on its way.
  const byId = new Map([...older.filter(isShown), ...known.messages].map((one) => [one.id, one]));
  return {
    ...known,
    messages: [...byId.values()].toSorted((a, b) => a.id - b.id),
    outgoing: unconfirmed(known.outgoing, older, userId),
    hasOlder: older.length >= pageSize,
    firstKnownId: older[0]?.id ?? known.firstKnownId,
    lastKnownId: Math.max(known.lastKnownId, older.at(-1)?.id ?? 0),
  };
}

/** @param attending whether the newest messages are in view */
export function withNewer(
  known: Timeline,
  { messages, commonReadId }: MessagePage,
  { attending, userId }: { readonly attending: boolean; readonly userId: string },
): Timeline {
  let next: Timeline = {
    ...known,
    commonReadId: commonReadId ?? known.commonReadId,
    lastKnownId: Math.max(known.lastKnownId, ...messages.map(({ id }) => id)),
  };
  for (const message of messages) {
    if (isShown(message)) {
      next = withMessage(next, message, userId);
    } else if (message.parent !== undefined) {
      next = { ...next, messages: withChanged(next.messages, message.parent) };
    }
  }
  const before = newestIdOf(known);
  const latestHeard = messages.findLast(
    (one) => isShown(one) && !isBy(userId, one) && one.id > before,
  );
  if (latestHeard === undefined) {
    return next;
  }
  const isNewDivider = !attending && (known.dividerAfterId === 0 || known.readUpTo >= before);
  return { ...next, latestHeard, ...(isNewDivider && { dividerAfterId: before }) };
}

/** Adds a message; the answer to sending it and the poll may both deliver it. */
export function withMessage(known: Timeline, message: ChatMessage, userId: string): Timeline {
  const others = known.messages.filter(({ id }) => id !== message.id);
  const after = others.findLastIndex(({ id }) => id < message.id) + 1;
  return {
    ...known,
    messages: others.toSpliced(after, 0, message),
    outgoing: unconfirmed(known.outgoing, [message], userId),
  };
}

/** Replaces a message in the list and in quotes of it. */
export function withChanged(
  messages: readonly ChatMessage[],
  changed: PlainMessage,
): readonly ChatMessage[] {
  return messages.map((message) => {
    if (message.id === changed.id) {
      const { parent } = message;
      return { ...changed, ...(parent !== undefined && { parent }) };
    }
    return message.parent?.id === changed.id ? { ...message, parent: changed } : message;
  });
}

/** Leaves out what was sent from here and has arrived. */
function unconfirmed(
  outgoing: readonly OutgoingMessage[],
  arrived: readonly ChatMessage[],
  userId: string,
): readonly OutgoingMessage[] {
  const own = arrived.filter((one) => isBy(userId, one));
  const references = new Set(own.map(({ referenceId }) => referenceId));
  return outgoing.filter(({ referenceId }) => !references.has(referenceId));
}

/** A message as it is after the user has given a reaction, or taken it back. */
export function withReaction(
  message: ChatMessage,
  emoji: string,
): { readonly given: boolean; readonly changed: ChatMessage } {
  const own = message.reactionsSelf ?? [];
  const given = !own.includes(emoji);
  const counts = new Map(Object.entries(message.reactions));
  counts.set(emoji, (counts.get(emoji) ?? 0) + (given ? 1 : -1));
  const changed = {
    ...message,
    reactions: Object.fromEntries([...counts].filter(([, count]) => count > 0)),
    reactionsSelf: given ? [...own, emoji] : own.filter((one) => one !== emoji),
  };
  return { given, changed };
}

import type { ChatMessage, PlainMessage } from '../chat-api.js';
import { isBy } from './timeline-rules.js';

/** A message with the day and divider above it. */
export interface TimelineRow {
  readonly message: ChatMessage;
  /** First message of a day. */
  readonly day: Date | undefined;
  /** First unread message. */
  readonly divided: boolean;
  /** Follows a message of the same author shortly after; shown without name and picture. */
  readonly grouped: boolean;
}

const MOMENT_SECONDS = 5 * 60;

/*
 * Day and divider are part of a message's row instead of separate rows, so that rows keep their
 * identity, and the list its scroll position, when older messages are added above.
 */
export function rowsOf(
  messages: readonly ChatMessage[],
  dividerAfterId: number,
  userId: string,
): readonly TimelineRow[] {
  const firstNewId =
    dividerAfterId === 0
      ? 0
      : (messages.find((one) => one.id > dividerAfterId && !isBy(userId, one))?.id ?? 0);
  return messages.map((message, index) => {
    const before = messages[index - 1];
    const date = new Date(message.timestamp * 1000);
    const isNewDay =
      before === undefined ||
      new Date(before.timestamp * 1000).toDateString() !== date.toDateString();
    const divided = message.id === firstNewId;
    return {
      message,
      day: isNewDay ? date : undefined,
      divided,
      grouped: !isNewDay && !divided && belongTogether(before, message),
    };
  });
}

function belongTogether(before: PlainMessage, message: PlainMessage): boolean {
  return (
    before.messageType !== 'system' &&
    message.messageType !== 'system' &&
    before.actorType === message.actorType &&
    before.actorId === message.actorId &&
    message.timestamp - before.timestamp < MOMENT_SECONDS
  );
}

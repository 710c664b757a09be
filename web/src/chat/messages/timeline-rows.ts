import type { ChatMessage, PlainMessage } from '../chat-api.js';
import { isOwn } from './timeline.store.js';

/** A message with what stands above it. */
export interface TimelineRow {
  readonly message: ChatMessage;
  /** The first of a day. */
  readonly day: Date | undefined;
  /** The first of the new ones. */
  readonly divided: boolean;
  /** Belongs to the one above: the same author a moment later. */
  readonly grouped: boolean;
}

const MOMENT_SECONDS = 5 * 60;

/*
 * Day and divider are part of the row of a message, not rows of their own: when older messages come
 * in above, each row is still the one that it was, and the list can hold on to it.
 */
export function rowsOf(
  messages: readonly ChatMessage[],
  dividerAfterId: number,
): readonly TimelineRow[] {
  const firstNewId =
    dividerAfterId === 0
      ? 0
      : (messages.find((one) => one.id > dividerAfterId && !isOwn(one))?.id ?? 0);
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

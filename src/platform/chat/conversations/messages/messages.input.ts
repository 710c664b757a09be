import { orElse } from '../../../../common/http/loose-inputs.js';
import { OcsFailure } from '../../../../common/ocs/envelope.js';
import { hasMoreCharacters } from '../../../../common/texts/has-more-characters.js';
import { ConversationPath, flag, integer, MessagePath, shortText, text } from '../../chat.input.js';
import { MAX_MESSAGE_CHARACTERS } from '../model/message.js';

const MAX_REFERENCE_CHARACTERS = 64;
const MAX_MESSAGES = 200;
const DEFAULT_MESSAGES = 100;
const MAX_WAIT_SECONDS = 60;
const DEFAULT_WAIT_SECONDS = 30;

const PAYLOAD_TOO_LARGE = 413;

export const ChatPage = ConversationPath.extend({
  lookIntoFuture: orElse(flag, false),
  limit: orElse(integer, DEFAULT_MESSAGES).transform((n) => Math.min(Math.max(n, 1), MAX_MESSAGES)),
  lastKnownMessageId: orElse(integer, 0),
  lastCommonReadId: orElse(integer, 0),
  includeLastKnown: orElse(flag, false),
  timeout: orElse(integer, DEFAULT_WAIT_SECONDS).transform((n) => Math.min(n, MAX_WAIT_SECONDS)),
  setReadMarker: orElse(flag, true),
});

export const NewChatMessage = ConversationPath.extend({
  message: text,
  replyTo: orElse(integer, 0).transform((id) => (id === 0 ? null : id)),
  referenceId: orElse(shortText(MAX_REFERENCE_CHARACTERS), ''),
  silent: orElse(flag, false),
});
export const EditedMessage = MessagePath.extend({ message: text });
export const MentionSearch = ConversationPath.extend({
  search: orElse(text, ''),
  limit: orElse(integer, 20),
});

/**
 * Trims the end of a message.
 *
 * @throws OcsFailure 400 when it is empty, 413 when it is too long
 */
export function readMessageText(message: string): string {
  const trimmed = message.trimEnd();
  if (trimmed === '') {
    throw new OcsFailure(400, 'The message is empty.', { error: 'message' });
  }
  if (hasMoreCharacters(trimmed, MAX_MESSAGE_CHARACTERS)) {
    throw new OcsFailure(
      PAYLOAD_TOO_LARGE,
      `The message is longer than ${MAX_MESSAGE_CHARACTERS} characters.`,
      { error: 'message' },
    );
  }
  return trimmed;
}

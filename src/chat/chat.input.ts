import { z } from 'zod';
import { looseBoolean, orElse } from '../common/http/loose-inputs.js';
import { OcsFailure } from '../common/ocs/envelope.js';
import { MAX_MESSAGE_CHARACTERS } from './messages/message.js';

/*
 * What the routes accept. Clients are loose: numbers arrive as text, booleans as 1, and null means
 * "nothing".
 */

const LONGEST_NAME = 255;
const LONGEST_DESCRIPTION = 2000;
const LONGEST_REFERENCE = 64;
const MOST_MESSAGES = 200;
const USUAL_MESSAGES = 100;
const LONGEST_WAIT_SECONDS = 60;
const USUAL_WAIT_SECONDS = 30;

/** Of the year 9999. */
const LAST_SECOND = 253_402_300_799;

const PAYLOAD_TOO_LARGE = 413;

const integer = z.preprocess(
  (value) => (typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? +value : value),
  z.int({ error: 'must be a whole number' }).min(0, { error: 'must not be negative' }),
);

const flag = looseBoolean('must be 0 or 1');

/** The database takes neither zero bytes nor halves of characters. */
const text = z
  .string({ error: 'must be a text' })
  .refine((value) => !value.includes('\0'), { error: 'must not contain zero bytes' })
  .transform((value) => value.toWellFormed());

const short = (longest: number) =>
  text
    .transform((value) => value.trim())
    .refine((value) => [...value].length <= longest, {
      error: `must have at most ${longest} characters`,
    });

const named = short(LONGEST_NAME).refine((value) => value !== '', { error: 'must not be empty' });

/** One as people see it. Some programs leave out the mark that asks for its coloured form, or repeat it. */
const emoji = text.refine((value) => isEmoji(value), { error: 'must be one emoji' });

const EMOJI = /^\p{RGI_Emoji}$/v;

function isEmoji(text: string): boolean {
  const once = text.replace(/\uFE0F+/g, '\uFE0F');
  return EMOJI.test(once) || EMOJI.test(`${once}\uFE0F`);
}

const token = text;
const TokenPath = { token };

export const RoomPath = z.object(TokenPath);
/** Unix seconds; whatever is later than any clock is as good as that. */
const seconds = integer.transform((value) => Math.min(value, LAST_SECOND));

export const RoomList = z.object({ modifiedSince: orElse(seconds, 0) });
export const NewRoom = z.object({
  roomType: integer,
  invite: orElse(text, ''),
  source: orElse(text, 'groups'),
  roomName: orElse(short(LONGEST_NAME), ''),
});
export const RoomName = z.object({ ...TokenPath, roomName: named });
export const RoomDescription = z.object({
  ...TokenPath,
  description: orElse(short(LONGEST_DESCRIPTION), ''),
});

export const Invitation = z.object({
  ...TokenPath,
  newParticipant: named,
  source: orElse(text, 'users'),
});
export const ParticipantName = z.object({ ...TokenPath, participant: named });
export const Attendee = z.object({ ...TokenPath, attendeeId: integer });

export const ChatPage = z.object({
  ...TokenPath,
  lookIntoFuture: orElse(flag, false),
  limit: orElse(integer, USUAL_MESSAGES).transform((n) => Math.min(Math.max(n, 1), MOST_MESSAGES)),
  lastKnownMessageId: orElse(integer, 0),
  lastCommonReadId: orElse(integer, 0),
  includeLastKnown: orElse(flag, false),
  timeout: orElse(integer, USUAL_WAIT_SECONDS).transform((n) => Math.min(n, LONGEST_WAIT_SECONDS)),
  setReadMarker: orElse(flag, true),
});

const draft = {
  ...TokenPath,
  message: text,
  replyTo: orElse(integer, 0).transform((id) => (id === 0 ? null : id)),
  referenceId: orElse(short(LONGEST_REFERENCE), ''),
  silent: orElse(flag, false),
};
export const NewChatMessage = z.object(draft);
export const MessagePath = z.object({ ...TokenPath, messageId: integer });
export const EditedMessage = z.object({ ...TokenPath, messageId: integer, message: text });
export const ReadUpTo = z.object({
  ...TokenPath,
  lastReadMessage: z.preprocess((value) => value ?? undefined, integer.optional()),
});
export const MentionSearch = z.object({
  ...TokenPath,
  search: orElse(text, ''),
  limit: orElse(integer, 20),
});

export const ReactionOf = z.object({ ...TokenPath, messageId: integer, reaction: emoji });
export const ReactionList = z.object({
  ...TokenPath,
  messageId: integer,
  reaction: orElse(text, ''),
});
export const BotPath = z.object({ ...TokenPath, botId: integer });

/**
 * What is said, without blanks at its end.
 *
 * @throws OcsFailure 400 for nothing, 413 for too much
 */
export function spoken(message: string): string {
  const said = message.trimEnd();
  if (said === '') {
    throw new OcsFailure(400, 'The message is empty.', { error: 'message' });
  }
  if ([...said].length > MAX_MESSAGE_CHARACTERS) {
    throw new OcsFailure(
      PAYLOAD_TOO_LARGE,
      `The message is longer than ${MAX_MESSAGE_CHARACTERS} characters.`,
      { error: 'message' },
    );
  }
  return said;
}

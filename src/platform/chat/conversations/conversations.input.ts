import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import {
  ConversationPath,
  integer,
  MAX_NAME_CHARACTERS,
  nonEmptyName,
  shortText,
  text,
} from '../chat.input.js';

const MAX_DESCRIPTION_CHARACTERS = 2000;

/** The end of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799;

const unixSeconds = integer.transform((value) => Math.min(value, MAX_UNIX_SECONDS));

export const ConversationList = z.object({ modifiedSince: orElse(unixSeconds, 0) });
export const ConversationDraft = z.object({
  roomType: integer,
  invite: orElse(text, ''),
  source: orElse(text, 'groups'),
  roomName: orElse(shortText(MAX_NAME_CHARACTERS), ''),
});
export const ConversationName = ConversationPath.extend({ roomName: nonEmptyName });
export const ConversationDescription = ConversationPath.extend({
  description: orElse(shortText(MAX_DESCRIPTION_CHARACTERS), ''),
});

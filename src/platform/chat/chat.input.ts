import { z } from 'zod';
import { looseBoolean, wholeNumberThat } from '../../common/http/loose-inputs.js';
import { hasMoreCharacters } from '../../common/texts/has-more-characters.js';

/*
 * Shared by the inputs of all routes. Clients send numbers as text, booleans as 1, and null for
 * absent parameters.
 */

export const MAX_NAME_CHARACTERS = 255;

export const integer = wholeNumberThat((int) => int.min(0, { error: 'must not be negative' }));

export const flag = looseBoolean('must be 0 or 1');

/** PostgreSQL stores neither zero bytes nor lone surrogates. */
export const text = z
  .string({ error: 'must be a text' })
  .refine((value) => !value.includes('\0'), { error: 'must not contain zero bytes' })
  .transform((value) => value.toWellFormed());

export const shortText = (maxCharacters: number) =>
  text
    .transform((value) => value.trim())
    .refine((value) => !hasMoreCharacters(value, maxCharacters), {
      error: `must have at most ${maxCharacters} characters`,
    });

export const nonEmptyName = shortText(MAX_NAME_CHARACTERS).refine((value) => value !== '', {
  error: 'must not be empty',
});

const TOKEN_PATH = { token: text };

export const ConversationPath = z.object(TOKEN_PATH);

export const MessagePath = ConversationPath.extend({ messageId: integer });

/** In UTF-16 units, with room for repeated selectors. */
const LONGEST_EMOJI = 64;

/** One emoji. Some clients omit the variation selector U+FE0F or repeat it. */
const emoji = text.refine((value) => value.length <= LONGEST_EMOJI && isEmoji(value), {
  error: 'must be one emoji',
});

const EMOJI = /^\p{RGI_Emoji}$/v;

export const ReactionOf = MessagePath.extend({ reaction: emoji });

function isEmoji(text: string): boolean {
  const once = text.replace(/\uFE0F+/g, '\uFE0F');
  return EMOJI.test(once) || EMOJI.test(`${once}\uFE0F`);
}

import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { printable } from '../../common/texts/printable.js';
import { name, text } from '../field-schemas.js';

export const TalkBotRoute = z.object({ route: name(410) });

export const NewTalkBot = z.object({
  name: name(64).refine((value) => printable(value) === value, {
    error: 'must not contain characters that reverse text',
  }),
  // Not normalized: the bot's id depends on whether the app writes a leading slash.
  route: name(410),
  description: orElse(text(4000), ''),
});

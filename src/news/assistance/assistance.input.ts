import { z } from 'zod';
import { integer, text } from '../parameters.js';

export const AssistancePath = z.object({ itemId: integer, taskId: integer });

/** `de`, `pt-BR`; providers have codes of other forms, too. */
const language = text.regex(/^[A-Za-z][\w-]{0,34}$/, { error: 'must be the code of a language' });

export const TranslateItem = z.object({
  itemId: integer,
  to: language,
  from: z.preprocess(
    (value) => (value === undefined || value === '' ? null : value),
    z.union([z.null(), language], { error: 'must be the code of a language, or left out' }),
  ),
});

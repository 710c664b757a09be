import { z } from 'zod';
import { integer, text } from '../parameters.js';

export const AssistancePath = z.object({ itemId: integer, taskId: integer });

/** `de`, `pt-BR`; providers have codes of other forms, too, and names. */
export const language = text.regex(/^\p{L}[^>\p{C}]{0,63}$/u, {
  error: 'must be the code of a language',
});

export const TranslateItem = z.object({
  itemId: integer,
  to: language,
  from: z.preprocess(
    (value) => (value === undefined || value === '' ? null : value),
    z.union([z.null(), language], { error: 'must be the code of a language, or left out' }),
  ),
});

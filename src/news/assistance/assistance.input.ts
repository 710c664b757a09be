import { z } from 'zod';
import { integer, text, unlessAbsent } from '../parameters.js';

const LONGEST_WAIT_SECONDS = 20;

/** Maximum wait for the result; absent: the server's maximum. */
const waitSeconds = unlessAbsent(
  integer.refine((seconds) => seconds >= 0 && seconds <= LONGEST_WAIT_SECONDS, {
    error: `must be 0 to ${LONGEST_WAIT_SECONDS}`,
  }),
);

export const DescribeItem = z.object({ itemId: integer, waitSeconds });

export const AssistancePath = z.object({ itemId: integer, taskId: integer });

/** `de`, `pt-BR`; providers have codes of other forms, too, and names. */
export const language = text.regex(/^\p{L}[^>\p{C}]{0,63}$/u, {
  error: 'must be the code of a language',
});

export const TranslateItem = z.object({
  itemId: integer,
  waitSeconds,
  to: language,
  from: z.preprocess(
    (value) => (value === undefined || value === '' ? null : value),
    z.union([z.null(), language], { error: 'must be the code of a language, or left out' }),
  ),
});

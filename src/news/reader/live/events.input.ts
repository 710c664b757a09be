import { z } from 'zod';
import { integer, text } from '../../parameters.js';
import { CLIENT_NAME } from '../../http/requesting-client.js';

export const Listen = z.object({
  client: z.preprocess(
    (value) => value ?? null,
    z.union([z.null(), text.regex(CLIENT_NAME)], {
      error: 'must have at most 64 letters, digits, _ and -',
    }),
  ),
  since: integer.optional(),
});

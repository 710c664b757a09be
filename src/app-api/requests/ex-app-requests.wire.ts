import { z } from 'zod';

/** Only `error` without a response of the app. */
export const AppResponseAnswer = z.union([
  z.object({
    status_code: z.int(),
    headers: z.record(z.string(), z.array(z.string())),
    body: z.string(),
  }),
  z.object({ error: z.string() }),
]);

import { z } from 'zod';

export const SecurityEventsAnswer = z.array(
  z.object({
    id: z.int(),
    time: z.int().describe('Unix seconds.'),
    kind: z.string(),
    user: z.string().nullable(),
    subject: z.object({ kind: z.string(), id: z.string() }).nullable(),
    address: z.string().nullable(),
    details: z.string().nullable(),
    actor: z.string().nullable(),
    credential: z.string().nullable(),
  }),
);

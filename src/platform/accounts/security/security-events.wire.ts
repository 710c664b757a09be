import { z } from 'zod';

export const SecurityEventsAnswer = z.array(
  z.object({
    id: z.int(),
    time: z.int().describe('Unix seconds.'),
    kind: z.string(),
    user: z.string().nullable(),
    userDeleted: z.int().nullable().describe('When that account was deleted; Unix seconds.'),
    subject: z.object({ kind: z.string(), id: z.string() }).nullable(),
    address: z.string().nullable(),
    details: z.string().nullable(),
    actor: z.string().nullable(),
    actorDeleted: z.int().nullable().describe('When that account was deleted; Unix seconds.'),
    credential: z.string().nullable(),
  }),
);

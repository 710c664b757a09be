import { z } from 'zod';

const seconds = z.int().describe('Unix seconds.');

export const SessionsAnswer = z.array(
  z.object({
    id: z.int(),
    current: z.boolean(),
    provider: z.string(),
    userAgent: z.string(),
    address: z.string(),
    created: seconds,
    lastSeen: seconds,
  }),
);

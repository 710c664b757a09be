import { z } from 'zod';

const seconds = z.int().describe('Unix seconds.');

export const ConsentsAnswer = z.array(
  z.object({
    appId: z.string(),
    name: z.string(),
    state: z.string(),
    asked: seconds.nullable(),
    decided: seconds.nullable(),
    lastUsed: seconds.nullable(),
  }),
);

export const ConsentStateAnswer = z.object({ state: z.string() });

import { z } from 'zod';

/** By address. */
export const SignaturesAnswer = z.object({ signatures: z.record(z.string(), z.string()) });

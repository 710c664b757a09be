import { z } from 'zod';

/** Sanitized HTML. */
export const FullTextAnswer = z.object({ body: z.string() });

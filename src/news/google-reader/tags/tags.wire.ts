import { z } from 'zod';

export const TagsAnswer = z.object({
  tags: z.array(z.object({ id: z.string(), type: z.enum(['folder', 'tag']).optional() })),
});

import { z } from 'zod';

export const ChaptersAnswer = z.object({
  chapters: z.array(
    z.object({ startSeconds: z.number(), title: z.string(), url: z.string().nullable() }),
  ),
});

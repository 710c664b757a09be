import { z } from 'zod';

export const ExtrasAnswer = z.object({
  extras: z.object({
    media: z.array(
      z.object({
        url: z.string(),
        mime: z.string().nullable(),
        kind: z.enum(['audio', 'video', 'image', 'other']),
        title: z.string().nullable(),
        length: z.int().nullable(),
        thumbnail: z.string().nullable(),
      }),
    ),
    comments: z.string().nullable(),
    chapters: z.string().nullable(),
    durationSeconds: z.int().nullable(),
    tags: z.array(z.string()),
  }),
});

import { z } from 'zod';

export const NewGroupInput = z.object({
  groupid: z.string().trim(),
  displayname: z
    .string()
    .nullish()
    .transform((text) => text ?? undefined),
});

export const GroupEdit = z.object({
  key: z.literal('displayname', { error: 'must be "displayname"' }),
  value: z.string().trim(),
});

export const GroupChoice = z.object({ groupid: z.string().trim().min(1, 'must name a group') });

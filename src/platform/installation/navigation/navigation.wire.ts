import { z } from 'zod';

export const NavigationAnswer = z.array(
  z.object({
    id: z.string(),
    app: z.string(),
    order: z.int(),
    href: z.string(),
    icon: z.string(),
    type: z.string(),
    name: z.string(),
    active: z.boolean(),
    classes: z.string(),
    unread: z.int(),
  }),
);

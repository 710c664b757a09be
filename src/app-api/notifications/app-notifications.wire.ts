import { z } from 'zod';

export const SentNotificationAnswer = z.object({
  app: z.string(),
  user: z.string(),
  datetime: z.string(),
  object_type: z.string(),
  object_id: z.string(),
  subject: z.string(),
  message: z.string(),
  link: z.string(),
  icon: z.string(),
});

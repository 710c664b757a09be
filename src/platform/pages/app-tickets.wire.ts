import { z } from 'zod';

export const FrameTicketAnswer = z.object({
  origin: z.string(),
  ticket: z.string(),
  title: z.string(),
});

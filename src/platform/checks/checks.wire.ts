import { z } from 'zod';

export const ChecksAnswer = z.array(
  z.object({
    subject: z.string().describe('For instance "Database".'),
    findings: z.array(
      z.object({
        state: z.enum(['ok', 'warning', 'error', 'off']).describe('`off`: not configured.'),
        text: z.string(),
        advice: z.string().optional().describe('What the operator can do about it.'),
      }),
    ),
  }),
);

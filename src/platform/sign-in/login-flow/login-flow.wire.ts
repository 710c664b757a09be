import { z } from 'zod';

export const BegunFlowAnswer = z.object({
  poll: z.object({ token: z.string(), endpoint: z.string() }),
  login: z.string().describe('The page to open in a browser.'),
});

export const FlowCredentialsAnswer = z.object({
  server: z.string(),
  loginName: z.string(),
  appPassword: z.string(),
});

/** Access was not granted yet, or the credentials were fetched. */
export const NoCredentialsAnswer = z.array(z.unknown()).max(0);

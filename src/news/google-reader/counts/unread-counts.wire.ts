import { z } from 'zod';

export const UnreadCountsAnswer = z.object({
  max: z.int(),
  unreadcounts: z.array(
    z.object({ id: z.string(), count: z.int(), newestItemTimestampUsec: z.string() }),
  ),
});

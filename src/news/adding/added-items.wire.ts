import { z } from 'zod';

export const AddedItemsAnswer = z.object({
  feedId: z.int(),
  items: z.array(z.object({ id: z.int(), guid: z.string(), guidHash: z.string() })),
});

import { z } from 'zod';

const id = z.coerce.number().int().positive().optional();

/** A feed, a source or an address to examine. */
export const Examine = z
  .object({
    feedId: id,
    sourceId: id,
    url: z.string().min(1).optional(),
    showQueries: z.enum(['true', 'false']).default('false'),
  })
  .refine(
    ({ feedId, sourceId, url }) =>
      [feedId, sourceId, url].filter((given) => given !== undefined).length === 1,
    'give one of feedId, sourceId and url',
  );

/** A feed or a source to fetch now. */
export const Retry = z
  .object({ feedId: id, sourceId: id })
  .refine(
    ({ feedId, sourceId }) => (feedId === undefined) !== (sourceId === undefined),
    'give either feedId or sourceId',
  );

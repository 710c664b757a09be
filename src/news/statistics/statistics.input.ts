import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { integer, LONGEST_SECONDS, text, unlessAbsent } from '../parameters.js';

const unixSeconds = integer.refine((seconds) => seconds >= 0 && seconds <= LONGEST_SECONDS, {
  error: 'must be a time in unix seconds',
});

/** A time span and the length of its buckets. */
export const ShowStatistics = z
  .object({
    from: unlessAbsent(unixSeconds),
    to: unlessAbsent(unixSeconds),
    bucketSeconds: unlessAbsent(
      integer.refine((seconds) => seconds >= 60, { error: 'must be at least 60' }),
    ),
  })
  .transform(({ from, to, bucketSeconds }) => ({
    fromSeconds: from,
    toSeconds: to,
    bucketSeconds,
  }));

const PAGE_SIZE = 50;
const LARGEST_PAGE_SIZE = 200;

/** A page of all sources. */
export const ListSources = z.object({
  search: orElse(text.trim().max(1000, { error: 'must have at most 1000 characters' }), ''),
  order: orElse(
    z.enum(['errors', 'due', 'title'], { error: 'must be errors, due or title' }),
    'errors',
  ),
  limit: orElse(
    integer.refine((count) => count >= 1 && count <= LARGEST_PAGE_SIZE, {
      error: `must be from 1 to ${LARGEST_PAGE_SIZE}`,
    }),
    PAGE_SIZE,
  ),
  offset: orElse(
    integer.refine((count) => count >= 0, { error: 'must not be negative' }),
    0,
  ),
});

import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { boolean, integer, LONGEST_SECONDS, text, unlessAbsent } from '../parameters.js';

export const PreviewFeed = z.object({ url: text });
export const UpdateFeed = z.object({ userId: text, feedId: integer });

/** With `withoutGrace` read items go also before all clients of their user know of it. */
export const AfterUpdate = z.object({ withoutGrace: orElse(boolean, false) });

const unixSeconds = integer.refine((seconds) => seconds >= 0 && seconds <= LONGEST_SECONDS, {
  error: 'must be a time in unix seconds',
});

/** A span of time and the length of its pieces. */
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

const SOURCES_AT_ONCE = 50;
const MOST_SOURCES_AT_ONCE = 200;

/** Sources for administrators, page by page. */
export const ListSources = z.object({
  search: orElse(text.trim().max(1000, { error: 'must have at most 1000 characters' }), ''),
  order: orElse(
    z.enum(['errors', 'due', 'title'], { error: 'must be errors, due or title' }),
    'errors',
  ),
  limit: orElse(
    integer.refine((count) => count >= 1 && count <= MOST_SOURCES_AT_ONCE, {
      error: `must be from 1 to ${MOST_SOURCES_AT_ONCE}`,
    }),
    SOURCES_AT_ONCE,
  ),
  offset: orElse(
    integer.refine((count) => count >= 0, { error: 'must not be negative' }),
    0,
  ),
});

import { z } from 'zod';
import { ItemPath } from '../../parameters.js';

/** A week and some: longer than any recording. */
const LONGEST_SECONDS = 1_000_000;
const LONGEST_AGO_SECONDS = 30 * 86_400;

const seconds = z
  .number({ error: 'must be a number of seconds' })
  .min(0, { error: 'must not be negative' })
  .max(LONGEST_SECONDS, { error: `must be at most ${LONGEST_SECONDS}` })
  .transform(Math.round);

export const Heard = z.object({
  ...ItemPath.shape,
  position: seconds,
  duration: seconds.nullable().default(null),
  device: z.string().trim().max(64).default(''),
  /** Devices that were offline report late. */
  secondsAgo: z
    .number()
    .min(0)
    .transform((ago) => Math.min(ago, LONGEST_AGO_SECONDS))
    .default(0),
});

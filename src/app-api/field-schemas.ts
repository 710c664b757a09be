import { z } from 'zod';
import { looseBoolean } from '../common/http/loose-inputs.js';
import { withoutLeadingSlash } from './capabilities/registration-fields.js';

/*
 * Values as external apps send them: in the query or in a body, numbers as text, flags as 1, and
 * `null` where they mean "nothing".
 */

/** Characters are counted as people count them, not as UTF-16 does. */
export const text = (longest: number) =>
  z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z.string({ error: 'must be a text' }),
    )
    .refine((value) => [...value].length <= longest, {
      error: `must have at most ${longest} characters`,
    });

/** A text for a column of its own: the database refuses some control characters, people all. */
export const line = (longest: number) =>
  text(longest).refine((value) => !/\p{Cc}/u.test(value), {
    error: 'must not contain control characters',
  });

/** A text that something is found by again. */
export const name = (longest: number) =>
  line(longest).refine((value) => value !== '', { error: 'must not be empty' });

/** A route, icon or file of the app; relative to its root, whether it has a slash in front or not. */
export const appPath = (longest: number) => line(longest).transform(withoutLeadingSlash);

/** An `appPath` that cannot be done without. */
export const handler = (longest: number) =>
  appPath(longest).refine((value) => value !== '', {
    error: 'must be a route of the app',
  });

export const integer = z.preprocess(
  (value) => (typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? +value : value),
  z.int({ error: 'must be a whole number' }),
);

/** As the protocol has it on the wire: 0 or 1. */
export const flag = looseBoolean('must be 0 or 1');

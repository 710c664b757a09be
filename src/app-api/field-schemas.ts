import { z } from 'zod';
import { looseBoolean, orElse, wholeNumberThat } from '../common/http/loose-inputs.js';
import { hasMoreCharacters } from '../common/texts/has-more-characters.js';

/*
 * Fields as external apps send them, in the query or in a body: numbers may be strings, flags may be
 * 1, and `null` means absent.
 */

/** For columns without a limit in the reference. */
export const UNLIMITED = 1_000_000;

/** Length counts code points, not UTF-16 units. */
export const text = (longest: number) =>
  z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z.string({ error: 'must be a text' }),
    )
    .refine((value) => !hasMoreCharacters(value, longest), {
      error: `must have at most ${longest} characters`,
    })
    .refine((value) => !value.includes('\0'), { error: 'must not contain zero bytes' });

/** Whether a value as JSON has a zero byte: PostgreSQL stores it, and fails when it looks into the value. */
export const hasZeroByte = (value: unknown): boolean =>
  /(?<!\\)(?:\\\\)*\\u0000/.test(JSON.stringify(value));

/** Text without control characters, some of which PostgreSQL rejects. */
export const line = (longest: number) =>
  text(longest).refine((value) => !/\p{Cc}/u.test(value), {
    error: 'must not contain control characters',
  });

/** A lookup key. */
export const name = (longest: number) =>
  line(longest).refine((value) => value !== '', { error: 'must not be empty' });

/** A route, icon or file of the app, relative to its root; sent with or without a leading slash. */
export const appPath = (longest: number) => line(longest).transform(withoutLeadingSlash);

/** A required `appPath`. */
export const handler = (longest: number) =>
  appPath(longest).refine((value) => value !== '', {
    error: 'must be a route of the app',
  });

/** Sent as 0 or 1. */
export const flag = looseBoolean('must be 0 or 1');

export function withoutLeadingSlash(path: string): string {
  return path.replace(/^\/+/, '');
}

/** The length of a page of a list. */
export const limit = (usual: number, most: number) =>
  orElse(
    wholeNumberThat((int) => int.min(1).max(most)),
    usual,
  );

/** The number of entries before the page. */
export const offset = orElse(
  wholeNumberThat((int) => int.min(0)),
  0,
);

import { z } from 'zod';

/*
 * What programs send where another would send something else: the same in all rooms, so that a
 * client finds the same patience everywhere.
 */

/** Absent and null alike take the default. */
export const orElse = <Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) =>
  z.preprocess((value) => value ?? fallback, schema);

/**
 * A boolean, its word in any case, or a digit. The empty is false, as forms send it.
 *
 * @param error what anything else must be
 */
export const looseBoolean = (error: string) =>
  z.preprocess(
    (value) => WORDS.get(typeof value === 'string' ? value.toLowerCase() : value) ?? value,
    z.boolean({ error }),
  );

const WORDS = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
  ['', false],
]);

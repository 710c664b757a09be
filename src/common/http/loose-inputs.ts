import { z } from 'zod';

/*
 * Lenient parameter schemas, shared by all rooms.
 */

/** Absent and null mean the default. */
export const orElse = <Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) =>
  z.preprocess((value) => value ?? fallback, schema);

/**
 * A boolean, its name in any case, or a digit; empty is false, as in forms.
 *
 * @param error message for other values
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

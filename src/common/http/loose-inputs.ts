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

/**
 * An object of any keys. An empty list is an empty object, which PHP and Lua encode as one.
 *
 * @param error message for other values
 */
export const looseMap = <Schema extends z.ZodType>(value: Schema, error: string) =>
  z.preprocess(
    (sent) => (Array.isArray(sent) && sent.length === 0 ? {} : sent),
    z.record(z.string(), value, { error }),
  );

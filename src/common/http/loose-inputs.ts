import { z } from 'zod';

/*
 * Lenient parameter schemas, shared by all rooms.
 */

/** A number beyond the safe ones is the largest of them: a number too large for the service is large, not absent. */
export const clamped = (number: number): number =>
  Math.min(Math.max(number, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

/** A number of digits alone, `clamped`; null for other texts. */
export const numberOfDigits = (text: string | undefined): number | null =>
  text !== undefined && /^\d+$/.test(text) ? clamped(Number(text)) : null;

/** An integer or its decimal text, `clamped`, within the bounds that `bound` sets. */
export const wholeNumberThat = (bound: (int: z.ZodInt) => z.ZodInt) =>
  z.preprocess(
    (value) =>
      typeof value === 'number' || (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value))
        ? clamped(Number(value))
        : value,
    bound(z.int({ error: 'must be a whole number' })),
  );

export const wholeNumber = wholeNumberThat((int) => int);

/** The form in which the service writes ids, and the only one in which a path may have them. */
export const isPlainNumber = (text: string): boolean => /^(?:0|-?[1-9]\d*)$/.test(text);

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

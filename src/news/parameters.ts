import { z } from 'zod';
import { clamped, looseBoolean } from '../common/http/loose-inputs.js';

/*
 * Parameters that the inputs of several subjects (*.input.ts) share. Clients are loose: numbers arrive
 * as text, booleans as 1, parameters in the query of a PUT, and integers up to 2^63-1 as "the newest".
 */

/**
 * An integer or its decimal text, clamped to the safe range. The empty text and "null" are 0, as in
 * the reference: clients send both for an id that they do not have.
 */
export const integer = z.preprocess(toInteger, z.int({ error: 'must be a whole number' }));

export const boolean = looseBoolean('must be true or false');

export const text = z.string({ error: 'must be a text' });

/** Optional; null counts as absent. */
export const unlessAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => value ?? undefined, schema.optional());

interface LongList<Element> {
  /** JSON Schema, for the documents. */
  readonly elements: object;
  /** @returns null for what is none */
  readonly read: (sent: unknown) => Element | null;
  readonly error: string;
}

/**
 * A list of a hundred thousand elements. Read by hand, in one pass to the first fault: the library takes hundreds of
 * milliseconds for it. Forms and queries send a list of one element as the element.
 */
export const longList = <Element>({ elements, read, error }: LongList<Element>) =>
  z
    .unknown()
    .meta({ type: 'array', items: elements })
    .transform((value, context): Element[] => {
      const sent: readonly unknown[] = Array.isArray(value) ? value : [value];
      const list: Element[] = [];
      for (let place = 0; place < sent.length; place += 1) {
        const element = read(sent[place]);
        if (element === null) {
          context.addIssue({ code: 'custom', path: [place], message: error });
          return z.NEVER;
        }
        list.push(element);
      }
      return list;
    });

/** An integer as `integer` reads it; null for what is none. */
export function toId(sent: unknown): number | null {
  const id = toInteger(sent);
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

/** Larger numbers are not seconds but, in parameters that accept both, microseconds. */
export const LONGEST_SECONDS = 9_999_999_999;

export const FolderPath = z.object({ folderId: integer });
export const FeedPath = z.object({ feedId: integer });
export const ItemPath = z.object({ itemId: integer });

function toInteger(value: unknown): unknown {
  if (typeof value === 'boolean') {
    return Number(value);
  }
  if (typeof value === 'number') {
    return clamped(Math.trunc(value));
  }
  if (typeof value !== 'string') {
    return value;
  }
  const written = value.trim();
  if (written === '' || written === 'null') {
    return 0;
  }
  return /^[+-]?\d+$/.test(written) ? clamped(Number(written)) : value;
}

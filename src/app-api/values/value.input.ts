import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { flag } from '../field-schemas.js';

/** Stored as text; apps also send numbers, booleans, objects and null. */
const anyText = z.preprocess(toText, z.string({ error: 'must be a text, a number or a boolean' }));

export const SetValue = z.object({
  configKey: anyText,
  configValue: anyText,
  sensitive: orElse(flag.optional(), undefined),
});

export const NamedValues = z.object({
  configKeys: z.preprocess(
    // A list with one element arrives as a string in a query.
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(anyText, { error: 'must be a list of keys' }),
  ),
});

function toText(value: unknown): unknown {
  if (value === null) {
    return '';
  }
  if (typeof value === 'boolean') {
    return value ? '1' : '0';
  }
  return typeof value === 'number' || typeof value === 'object' ? JSON.stringify(value) : value;
}

import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { flag } from '../field-schemas.js';

/** Apps send numbers, booleans and nothing for what is kept as text. */
const anyText = z.preprocess(toText, z.string({ error: 'must be a text, a number or a boolean' }));

export const SetValue = z.object({
  configKey: anyText,
  configValue: anyText,
  sensitive: orElse(flag.optional(), undefined),
});

export const NamedValues = z.object({
  configKeys: z.preprocess(
    // A query with one element has no list.
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

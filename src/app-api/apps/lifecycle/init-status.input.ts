import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { text } from '../../field-schemas.js';

/** Per cent; apps send fractions, too. */
const progress = z
  .preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z
      .number({ error: 'must be a number from 0 to 100' })
      .min(0, 'must be a number from 0 to 100')
      .max(100, 'must be a number from 0 to 100'),
  )
  .transform(Math.floor);

export const Progress = z.object({
  progress,
  error: orElse(text(10_000), ''),
  appId: z.string().optional(),
});

import { z } from 'zod';

export const AreaAnswer = z
  .object({ values: z.record(z.string(), z.unknown()), version: z.int() })
  .meta({ id: 'AreaPreferences' });

/** By area. */
export const PreferencesAnswer = z.record(z.string(), AreaAnswer);

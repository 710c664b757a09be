import { z } from 'zod';
import { boolean, integer, text } from '../../parameters.js';
import { isTimeZone } from '../../query/moments.js';

export const time = text.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');

export const timeZone = text.refine(isTimeZone, 'must be a time zone such as Europe/Berlin');

/** When a user wants to be told, from requests and files. */
export const SaveSettings = z.object({
  quiet: z.union([
    z.null(),
    z.object({
      from: time,
      to: time,
      days: z
        .array(integer.pipe(z.int().min(1).max(7)))
        .min(1)
        .max(7),
    }),
  ]),
  timeZone,
  notWhileReading: boolean,
  mostPerRuleAndHour: integer.pipe(z.int().min(1).max(1000)),
});

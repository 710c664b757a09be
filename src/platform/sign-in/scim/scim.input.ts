import { z } from 'zod';

const text = z.string().max(1000);
const LONGEST_FILTER = 2000;
export const MOST_RESULTS = 200;
const USUAL_RESULTS = 100;

const count = (least: number) =>
  z
    .preprocess((value) => (value === undefined ? undefined : Number(value)), z.int())
    .transform((value) => Math.max(least, value));

/** RFC 7644 section 3.4.2: `startIndex` counts from 1. Values out of range are brought into it. */
export const ListInput = z.object({
  filter: z.string().max(LONGEST_FILTER).optional(),
  startIndex: count(1).optional().default(1),
  count: count(0)
    .optional()
    .default(USUAL_RESULTS)
    .transform((value) => Math.min(value, MOST_RESULTS)),
  attributes: text.optional(),
  excludedAttributes: text.optional(),
});
export type ListInput = z.output<typeof ListInput>;

/** Which attributes to return, RFC 7644 section 3.9. */
export const ShownAttributes = ListInput.pick({ attributes: true, excludedAttributes: true });
export type ShownAttributes = z.output<typeof ShownAttributes>;

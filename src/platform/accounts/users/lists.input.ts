import { z } from 'zod';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';

/** Old programs send empty strings for omitted parameters. */
const wholeNumberOrNone = z
  .union([z.literal('').transform(() => undefined), wholeNumberThat((int) => int.min(0))])
  .nullish()
  .transform((value) => value ?? undefined);

/** Empty matches all. */
export const SearchedFor = z.object({
  search: z
    .string()
    .nullish()
    .transform((text) => text?.trim() ?? ''),
});

export const PageOfList = SearchedFor.extend({
  limit: wholeNumberOrNone,
  offset: wholeNumberOrNone,
});

import { z } from 'zod';

/** Old programs send empty strings for omitted parameters. */
const wholeNumber = z
  .union([z.literal('').transform(() => undefined), z.coerce.number().int().min(0)])
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
  limit: wholeNumber,
  offset: wholeNumber,
});

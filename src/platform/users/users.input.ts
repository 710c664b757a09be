import { z } from 'zod';

/** Old programs send empty parameters for those that they leave out. */
const wholeNumber = z
  .union([z.literal('').transform(() => undefined), z.coerce.number().int().min(0)])
  .nullish()
  .transform((value) => value ?? undefined);

/** Empty finds all. */
export const SearchedFor = z.object({
  search: z
    .string()
    .nullish()
    .transform((text) => text?.trim() ?? ''),
});

/** A list of ids of which a part is wanted. */
export const PageOfList = SearchedFor.extend({
  limit: wholeNumber,
  offset: wholeNumber,
});

const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined);

export const NewUserInput = z.object({
  userid: z.string(),
  password: z.string(),
  displayName: optionalText,
  email: optionalText,
  groups: z
    .union([z.array(z.string()), z.literal('').transform(() => [])])
    .nullish()
    .transform((groups) => groups ?? []),
});

export const UserEdit = z.object({ key: z.string(), value: z.string() });

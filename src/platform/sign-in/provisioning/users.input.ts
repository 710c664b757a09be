import { z } from 'zod';
import { PageOfList, SearchedFor } from '../../accounts/users/lists.input.js';

/** Conditions of a list of accounts. */
export const AccountsFilter = SearchedFor.extend({
  /** Id of a group; empty matches all. */
  group: z.string().default(''),
  state: z.enum(['all', 'enabled', 'disabled', 'administrators']).default('all'),
});

export const PageOfAccounts = PageOfList.extend({
  ...AccountsFilter.shape,
  order: z.enum(['id', 'name', 'login']).default('id'),
});

const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined);

export const NewUserInput = z.object({
  userid: z.string(),
  /** Empty: the user is invited by mail. */
  password: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  displayName: optionalText,
  email: optionalText,
  /** As `readQuota` reads it; empty as `default`. */
  quota: optionalText,
  groups: z
    .union([z.array(z.string()), z.literal('').transform(() => [])])
    .nullish()
    .transform((groups) => groups ?? []),
});

export const UserToCheck = NewUserInput.pick({
  userid: true,
  password: true,
  displayName: true,
  email: true,
});

export const UserEdit = z.object({
  key: z.string(),
  value: z.string(),
  /** The caller's, for one's own email address in a session. */
  password: z.string().max(4096).optional(),
});

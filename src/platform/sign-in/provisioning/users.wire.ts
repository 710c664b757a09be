import { z } from 'zod';
import type { StorageUse } from '../../../common/ports/storage-use.js';
import type { ListedUser } from '../../accounts/users/users.service.js';

/** A user in the host's OCS API. */
export type UserJson = ReturnType<typeof toUserJson>;

/** "No limit" in this protocol. */
const NO_QUOTA = -3;

/** Profile fields that do not exist here; programs require the keys. */
const NOTHING_SAID = {
  additional_mail: [],
  phone: '',
  address: '',
  website: '',
  twitter: '',
  fediverse: '',
  organisation: '',
  role: '',
  headline: '',
  biography: '',
  profile_enabled: '1',
  pronouns: '',
} as const;

/**
 * @param groupIds undefined without groups
 * @param storage undefined without files
 */
export function toUserJson(
  {
    userId,
    displayName,
    email,
    emailConfirmed,
    disabled,
    hasSecondFactor,
    lastLoginSeconds,
    leaveAskedSeconds,
    leavesSeconds,
    heldSeconds,
    heldUntilSeconds,
  }: ListedUser,
  groupIds: readonly string[] | undefined,
  storage: StorageUse | undefined,
) {
  return {
    ...NOTHING_SAID,
    enabled: !disabled,
    id: userId,
    lastLogin: lastLoginSeconds * 1000,
    backend: 'Database',
    backendCapabilities: { setDisplayName: true, setPassword: true },
    storageLocation: '',
    subadmin: [],
    manager: '',
    notify_email: null,
    quota: toQuotaJson(storage),
    email,
    emailConfirmed,
    // Clients use one spelling or the other.
    displayname: displayName,
    'display-name': displayName,
    groups: groupIds ?? [],
    secondFactor: hasSecondFactor,
    leaveAskedSeconds,
    leavesSeconds,
    heldSeconds,
    heldUntilSeconds,
    language: 'en',
    locale: 'en',
  };
}

function toQuotaJson(storage: StorageUse | undefined) {
  const { usedBytes: used = 0, freeBytes = 0, quotaBytes = null } = storage ?? {};
  const assigned = storage?.quota ?? 'default';
  const free = Number.isFinite(freeBytes) ? freeBytes : NO_QUOTA;
  const total = quotaBytes ?? (free === NO_QUOTA ? NO_QUOTA : used + free);
  // Per cent with two decimals.
  const relative = total <= 0 ? 0 : Math.round((used / total) * 10_000) / 100;
  return { free, used, total, relative, quota: quotaBytes ?? NO_QUOTA, assigned };
}

const UserSchema = z
  .object({
    enabled: z.boolean(),
    id: z.string(),
    lastLogin: z.int().describe('Unix milliseconds.'),
    backend: z.string(),
    backendCapabilities: z.object({ setDisplayName: z.boolean(), setPassword: z.boolean() }),
    storageLocation: z.string(),
    subadmin: z.array(z.string()),
    manager: z.string(),
    notify_email: z.string().nullable(),
    quota: z.object({
      free: z.int(),
      used: z.int(),
      total: z.int(),
      relative: z.number(),
      quota: z.int().describe('-3 without a limit.'),
      assigned: z
        .union([z.int(), z.enum(['none', 'default'])])
        .describe('What an administrator gave the account; bytes, unless it is a word.'),
    }),
    email: z.string().nullable(),
    emailConfirmed: z.boolean().describe('Whether links for the password may be sent there.'),
    displayname: z.string(),
    'display-name': z.string(),
    groups: z.array(z.string()),
    secondFactor: z.boolean(),
    leaveAskedSeconds: z
      .int()
      .nullable()
      .describe('When the owner asked for the deletion: Unix seconds.'),
    leavesSeconds: z
      .int()
      .nullable()
      .describe('When that happens: Unix seconds; null: not, or an administrator decides.'),
    heldSeconds: z
      .int()
      .nullable()
      .describe('Since when nothing of the account is removed: Unix seconds; null: not held.'),
    heldUntilSeconds: z
      .int()
      .nullable()
      .describe('When the hold ends: Unix seconds; null: not by itself.'),
    language: z.string(),
    locale: z.string(),
    additional_mail: z.array(z.string()),
    phone: z.string(),
    address: z.string(),
    website: z.string(),
    twitter: z.string(),
    fediverse: z.string(),
    organisation: z.string(),
    role: z.string(),
    headline: z.string(),
    biography: z.string(),
    profile_enabled: z.string(),
    pronouns: z.string(),
  })
  .meta({ id: 'User' });

export const UserAnswer = UserSchema;

export const UserIdsAnswer = z.object({ users: z.array(z.string()) });

/** Details by user id. */
export const UserDetailsAnswer = z.object({ users: z.record(z.string(), UserSchema) });

export const EditableFieldsAnswer = z.array(z.string());

export const NewUserAnswer = z.object({ id: z.string() });

export const UserCountAnswer = z.object({ count: z.int() });

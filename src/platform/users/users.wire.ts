import type { StorageUse } from '../../common/ports/storage-use.js';
import type { ListedUser } from './users.service.js';

/** A user in the host's OCS API. */
export type UserJson = ReturnType<typeof toUserJson>;

/** Stands for "no limit" in this protocol. */
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
  { userId, displayName, email, disabled, lastLoginSeconds }: ListedUser,
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
    // Clients use one spelling or the other.
    displayname: displayName,
    'display-name': displayName,
    groups: groupIds ?? [],
    language: 'en',
    locale: 'en',
  };
}

function toQuotaJson(storage: StorageUse | undefined) {
  const { usedBytes: used = 0, freeBytes: free = 0, quotaBytes = null } = storage ?? {};
  const total = quotaBytes ?? used + free;
  // Per cent with two decimals.
  const relative = total === 0 ? 0 : Math.round((used / total) * 10_000) / 100;
  return { free, used, total, relative, quota: quotaBytes ?? NO_QUOTA };
}

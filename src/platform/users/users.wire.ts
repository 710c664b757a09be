import type { StorageUse } from '../../common/ports/storage-use.js';
import type { ListedUser } from './users.service.js';

/** A user as the clients of the host's own interface know them. */
export type UserJson = ReturnType<typeof toUserJson>;

/** Stands for "no limit" in this protocol. */
const NO_QUOTA = -3;

/** What people may say of themselves elsewhere; programs read the keys without asking for them. */
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
 * @param groupIds undefined for somebody who is in none
 * @param storage undefined for somebody who keeps nothing
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
    // Half of the clients read the one spelling, half the other.
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
  // Per cent with two digits.
  const relative = total === 0 ? 0 : Math.round((used / total) * 10_000) / 100;
  return { free, used, total, relative, quota: quotaBytes ?? NO_QUOTA };
}

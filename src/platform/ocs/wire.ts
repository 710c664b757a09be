import type { StorageUse } from '../../common/ports/storage-use.js';
import type { ListedUser } from '../users/users.service.js';
import { ADMIN_GROUP } from './admin-group.js';

/** A user as the clients of the host's own interface know them. */
export type UserJson = ReturnType<typeof toUserJson>;

/** Stands for "no limit" in this protocol. */
const NO_QUOTA = -3;

/** @param storage undefined for somebody who keeps nothing */
export function toUserJson(
  { userId, displayName, email, isAdmin, disabled, lastLoginSeconds }: ListedUser,
  storage: StorageUse | undefined,
) {
  return {
    enabled: !disabled,
    id: userId,
    lastLogin: lastLoginSeconds * 1000,
    quota: toQuotaJson(storage),
    email,
    // Half of the clients read the one spelling, half the other.
    displayname: displayName,
    'display-name': displayName,
    groups: isAdmin ? [ADMIN_GROUP] : [],
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

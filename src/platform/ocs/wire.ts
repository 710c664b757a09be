import type { ListedUser } from '../users/users.service.js';
import { ADMIN_GROUP } from './admin-group.js';

/** A user as the clients of the host's own interface know them. */
export type UserJson = ReturnType<typeof toUserJson>;

export function toUserJson({
  userId,
  displayName,
  email,
  isAdmin,
  disabled,
  lastLoginSeconds,
}: ListedUser) {
  return {
    enabled: !disabled,
    id: userId,
    lastLogin: lastLoginSeconds * 1000,
    // Stands for "no limit" in this protocol.
    quota: { free: 0, used: 0, total: 0, relative: 0, quota: -3 },
    email,
    // Half of the clients read the one spelling, half the other.
    displayname: displayName,
    'display-name': displayName,
    groups: isAdmin ? [ADMIN_GROUP] : [],
    language: 'en',
    locale: 'en',
  };
}

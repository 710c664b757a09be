import type { Account } from '../../common/ports/user-directory.js';

/** A user as the clients of the host's own interface know them. */
export type UserJson = ReturnType<typeof toUserJson>;

export function toUserJson({ userId, displayName, isAdmin, lastLoginSeconds }: Account) {
  return {
    enabled: true,
    id: userId,
    lastLogin: lastLoginSeconds * 1000,
    // Stands for "no limit" in this protocol.
    quota: { free: 0, used: 0, total: 0, relative: 0, quota: -3 },
    email: null,
    // Half of the clients read the one spelling, half the other.
    displayname: displayName,
    'display-name': displayName,
    groups: isAdmin ? ['admin'] : [],
    language: 'en',
    locale: 'en',
  };
}

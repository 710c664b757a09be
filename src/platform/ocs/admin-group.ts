import { UnknownGroup } from '../platform.errors.js';

/** The one group there is: whoever is in it is an administrator. */
export const ADMIN_GROUP = 'admin';

/** @throws UnknownGroup for every other */
export function assertAdminGroup(groupId: string): void {
  if (groupId !== ADMIN_GROUP) {
    throw new UnknownGroup(groupId);
  }
}

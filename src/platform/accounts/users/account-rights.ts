import type { Account } from '../../../common/ports/user-directory.js';
import { AccountNotFound, NotToOneself } from '../../platform.errors.js';

/** The group of administrators: it has no rows, since `account.is_admin` says who is in it. */
export const ADMIN_GROUP = 'admin';

/** Whether people may mistake a name for the administrators' group. */
export function isAdminGroup(name: string): boolean {
  return name.normalize('NFKC').trim().toLowerCase() === ADMIN_GROUP;
}

/** Only administrators see other accounts, or whether they exist. @throws AccountNotFound */
export function assertMayKnow(actor: Account, userId: string): void {
  if (!actor.isAdmin && actor.userId !== userId) {
    throw new AccountNotFound(userId);
  }
}

/** @throws NotToOneself */
export function assertOther(actor: Account, userId: string, what: string): void {
  if (actor.userId === userId) {
    throw new NotToOneself(what);
  }
}

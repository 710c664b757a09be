import type { Account } from '../../../common/ports/user-directory.js';
import { AccountNotFound, NotToOneself } from '../../platform.errors.js';

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

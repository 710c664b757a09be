import type { Account } from '../../../common/ports/user-directory.js';
import type { AccountRow } from './accounts.sql.js';

export function toAccount(row: AccountRow): Account {
  const { userId, displayName, isAdmin, lastLoginSeconds } = row;
  return { userId, displayName, isAdmin, lastLoginSeconds };
}

import type { SqlRunner } from '../../../database/database.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { AccountEntity } from './account.entity.js';

const COLUMNS = selectList(AccountEntity, 'a', [
  'userId',
  'displayName',
  'email',
  'emailConfirmed',
  'isAdmin',
  'passwordHash',
  'hasSecondFactor',
]);

/** The columns of `account a` that make an `AccountRow`. */
export const ACCOUNT_COLUMNS = `${COLUMNS}, a.disabled_at is not null as disabled,
  coalesce(floor(extract(epoch from a.last_login_at)), 0)::bigint as "lastLoginSeconds"`;

/** An account as a login needs it. */
export type AccountRow = RowOf<typeof COLUMNS> & {
  readonly disabled: boolean;
  /** Unix seconds; 0 before the first login. */
  readonly lastLoginSeconds: number;
};

/** Row lock on one account until the transaction ends. */
export async function lockAccount(tx: SqlRunner, userId: string): Promise<void> {
  await tx.query('select from account where user_id = $1 for update', [userId]);
}

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
  coalesce(floor(extract(epoch from a.last_login_at)), 0)::bigint as "lastLoginSeconds",
  floor(extract(epoch from a.leave_asked_at))::bigint as "leaveAskedSeconds",
  floor(extract(epoch from a.leaves_at))::bigint as "leavesSeconds",
  floor(extract(epoch from a.held_at))::bigint as "heldSeconds",
  floor(extract(epoch from a.held_until))::bigint as "heldUntilSeconds"`;

/**
 * SQL of what another system manages of `account a`, also while its part is off: `login`, since a directory
 * or an identity provider decides who may log in; `account`, since a provisioning service disables it; or null.
 */
export const MANAGED_ELSEWHERE = `(case
  when exists (select from ldap_account l where l.user_id = a.user_id)
    or exists (select from oidc_identity o where o.user_id = a.user_id) then 'login'
  when exists (select from scim_user u where u.user_id = a.user_id) then 'account' end)`;

/** An account as a login needs it. */
export type AccountRow = RowOf<typeof COLUMNS> & {
  readonly disabled: boolean;
  /** Unix seconds; 0 before the first login. */
  readonly lastLoginSeconds: number;
  /** Unix seconds at which the owner asked for the deletion; null: not. */
  readonly leaveAskedSeconds: number | null;
  /** Unix seconds at which that deletion begins; null: undecided, or none. */
  readonly leavesSeconds: number | null;
  /** Unix seconds since which nothing of the account is removed; null: not held. */
  readonly heldSeconds: number | null;
  /** Unix seconds at which the hold ends; null: not by itself. */
  readonly heldUntilSeconds: number | null;
};

/** Row lock on one account until the transaction ends. */
export async function lockAccount(tx: SqlRunner, userId: string): Promise<void> {
  await tx.query('select from account where user_id = $1 for update', [userId]);
}

import type { SqlRunner } from '../../../database/database.js';
import { prepared } from '../../../database/prepared.js';
import { selectList, type RowOf } from '../../../database/select-list.js';
import { ADMIN_GROUP } from '../groups/admin-group.js';
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

/** Conditions of a list of accounts. */
export interface AccountFilter {
  /** Part of the user id, display name or email, case-insensitive; empty matches all. */
  readonly text: string;
  /** Id of a group; empty matches all. */
  readonly group?: string;
  readonly state?: 'all' | 'enabled' | 'disabled' | 'administrators';
}

/** Condition on `account a`, with the parameters of `filterValues`. */
const MATCHES = `($1 = '' or exists (
  select from unnest(array[a.user_id, a.display_name, a.email]) as known
   where strpos(lower(known), lower($1)) > 0))
  and ($2 = '' or ($2 = '${ADMIN_GROUP}' and a.is_admin) or exists (
    select from account_group_member m where m.group_id = $2 and m.user_id = a.user_id))
  and case $3 when 'enabled' then a.disabled_at is null when 'disabled' then a.disabled_at is not null
              when 'administrators' then a.is_admin else true end`;

function filterValues({ text, group = '', state = 'all' }: AccountFilter): string[] {
  return [text, group, state];
}

/** By the user id, by the name that people see, or the latest login first. */
export type AccountOrder = 'id' | 'name' | 'login';

const FIND = prepared(
  'find-account',
  `select ${ACCOUNT_COLUMNS} from account a where a.user_id = $1`,
);

/** Runs with nearly every request; one row by primary key. */
export async function findAccount(
  runner: SqlRunner,
  userId: string,
): Promise<AccountRow | undefined> {
  const [row] = await runner.query<AccountRow>(FIND, [userId]);
  return row;
}

/** Reads the whole table, for administrators. @param limit null for all */
export async function searchAccounts(
  runner: SqlRunner,
  filter: AccountFilter,
  order: AccountOrder,
  limit: number | null,
  offset: number,
): Promise<AccountRow[]> {
  return runner.query<AccountRow>(
    `select ${ACCOUNT_COLUMNS} from account a where ${MATCHES}
      order by case $4 when 'name' then lower(a.display_name) end,
               case $4 when 'login' then a.last_login_at end desc nulls last,
               a.user_id collate "C" limit $5 offset $6`,
    [...filterValues(filter), order, limit, offset],
  );
}

/** How many `searchAccounts` finds on all pages. Reads the whole table. */
export async function countAccounts(runner: SqlRunner, filter: AccountFilter): Promise<number> {
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from account a where ${MATCHES}`,
    filterValues(filter),
  );
  return row?.count ?? 0;
}

/**
 * Accounts that are not disabled: exact matches first, then names that begin with the text, then the
 * rest. Email addresses are not searched, or they could be guessed letter by letter.
 */
export async function suggestAccounts(
  runner: SqlRunner,
  text: string,
  exceptUserId: string,
  limit: number,
): Promise<AccountRow[]> {
  return runner.query<AccountRow>(
    `select ${ACCOUNT_COLUMNS}
       from account a,
            lateral (select min(case when lower(name) = lower($1) then 0 else
                                  strpos(lower(name), lower($1)) end) as place
                       from unnest(array[a.user_id, a.display_name]) as name
                      where strpos(lower(name), lower($1)) > 0) found
      where a.disabled_at is null and a.user_id <> $2 and found.place is not null
      order by least(found.place, 2), lower(a.display_name), a.user_id collate "C" limit $3`,
    [text, exceptUserId, limit],
  );
}

/** The name of an account that differs at most in case. Reads all accounts. */
export async function findNameIgnoringCase(
  tx: SqlRunner,
  userId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ userId: string }>(
    `select user_id as "userId" from account where lower(user_id) = lower($1) limit 1`,
    [userId],
  );
  return row?.userId;
}

/** @param lock any number; transactions that take the same one run one after the other */
export async function lockUntilCommit(tx: SqlRunner, lock: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [lock]);
}

/** Row lock on one account until the transaction ends. */
export async function lockAccount(tx: SqlRunner, userId: string): Promise<void> {
  await tx.query('select from account where user_id = $1 for update', [userId]);
}

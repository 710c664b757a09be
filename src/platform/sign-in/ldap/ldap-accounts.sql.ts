import type { SqlRunner } from '../../../database/database.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../accounts/users/accounts.sql.js';

/** An account of the directory, for the check whether it is still there. */
export interface LinkedAccount {
  readonly userId: string;
  readonly entryId: string;
  readonly disabled: boolean;
  /** Whether it is disabled because the directory had no entry. */
  readonly disabledByDirectory: boolean;
}

/** The account of an entry; by `entry_id`. */
export async function findByEntry(
  runner: SqlRunner,
  entryId: string,
): Promise<AccountRow | undefined> {
  const [row] = await runner.query<AccountRow>(
    `select ${ACCOUNT_COLUMNS} from ldap_account l join account a on a.user_id = l.user_id
      where l.entry_id = $1`,
    [entryId],
  );
  return row;
}

/** Links unless the account has another entry, or the entry another account. @returns whether it did */
export async function linkEntry(
  runner: SqlRunner,
  userId: string,
  entryId: string,
): Promise<boolean> {
  const rows = await runner.query(
    `insert into ldap_account (user_id, entry_id) values ($1, $2)
     on conflict do nothing returning 1`,
    [userId, entryId],
  );
  return rows.length > 0;
}

/** Updates display name and email, each only where the account has what the directory had before. */
export async function updateProfile(
  runner: SqlRunner,
  userId: string,
  name: string | null,
  email: string | null,
): Promise<void> {
  await runner.query(
    `with former as (
       select user_id, told_name, told_email from ldap_account where user_id = $1 for update
     ), told as (
       update ldap_account
          set told_name = coalesce($2, told_name), told_email = coalesce($3, told_email)
        where user_id = $1
          and (told_name, told_email) is distinct from
              (coalesce($2, told_name), coalesce($3, told_email))
     )
     update account a
        -- The display name of a new account is its user id.
        set display_name = case when a.display_name = coalesce(f.told_name, a.user_id)
                                then coalesce($2, a.display_name) else a.display_name end,
            email = case when a.email is not distinct from f.told_email
                         then coalesce($3, a.email) else a.email end
       from former f
      where a.user_id = f.user_id
        and (f.told_name, f.told_email) is distinct from
            (coalesce($2, f.told_name), coalesce($3, f.told_email))`,
    [userId, name, email],
  );
}

/** By user id. Reads the whole table. */
export async function listLinked(runner: SqlRunner): Promise<LinkedAccount[]> {
  return runner.query<LinkedAccount>(
    `select l.user_id as "userId", l.entry_id as "entryId", a.disabled_at is not null as disabled,
            a.disabled_at is not null and a.disabled_at = l.disabled_at as "disabledByDirectory"
       from ldap_account l join account a on a.user_id = l.user_id
      where a.deletion_requested_at is null order by l.user_id`,
  );
}

/** Whether the account is disabled because the directory had no entry. */
export async function isDisabledByDirectory(runner: SqlRunner, userId: string): Promise<boolean> {
  const rows = await runner.query(
    `select from ldap_account l join account a on a.user_id = l.user_id
      where l.user_id = $1 and a.disabled_at = l.disabled_at`,
    [userId],
  );
  return rows.length > 0;
}

/** Notes that the account is disabled because of the directory, until somebody disables it anew. */
export async function markDisabled(runner: SqlRunner, userId: string): Promise<void> {
  await runner.query(
    `update ldap_account l set disabled_at = a.disabled_at
       from account a where a.user_id = l.user_id and l.user_id = $1`,
    [userId],
  );
}

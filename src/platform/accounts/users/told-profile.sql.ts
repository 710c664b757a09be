import type { SqlRunner } from '../../../database/database.js';
import type { ToldProfile } from './told-profile.js';

/**
 * Updates display name and email if they changed at the provider. Values that were changed here, or that
 * the provider does not send, are kept.
 *
 * @param link table with `user_id`, `told_name` and `told_email`
 * @param isLink condition on its row, with parameters from `$3`
 */
export async function followProfile(
  database: Pick<SqlRunner, 'query'>,
  link: 'ldap_account' | 'oidc_identity',
  isLink: string,
  { name, email }: ToldProfile,
  params: readonly string[],
): Promise<void> {
  await database.query(
    `with former as (
       select user_id, told_name, told_email from ${link} where ${isLink} for update
     ), told as (
       update ${link}
          set told_name = coalesce($1, told_name), told_email = coalesce($2, told_email)
        where ${isLink}
          and (told_name, told_email) is distinct from
              (coalesce($1, told_name), coalesce($2, told_email))
     )
     update account a
        -- The display name of a new account is its user id.
        set display_name = case when a.display_name = coalesce(f.told_name, a.user_id)
                                then coalesce($1, a.display_name) else a.display_name end,
            email = case when a.email is not distinct from f.told_email
                         then coalesce($2, a.email) else a.email end
       from former f
      where a.user_id = f.user_id
        and (f.told_name, f.told_email) is distinct from
            (coalesce($1, f.told_name), coalesce($2, f.told_email))`,
    [name ?? null, email ?? null, ...params],
  );
}

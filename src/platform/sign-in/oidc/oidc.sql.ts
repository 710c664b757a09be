import type { SqlRunner } from '../../../database/database.js';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../accounts/users/accounts.sql.js';
import type { OidcIdentity } from './oidc-identity.entity.js';

/** A session that began with a login at a provider. */
export interface OidcSession {
  readonly sessionId: number;
  readonly userId: string;
}

/** The account that an identity is linked to; by primary key. */
export async function findLinkedAccount(
  runner: SqlRunner,
  { issuer, subject }: OidcIdentity,
): Promise<AccountRow | undefined> {
  const [row] = await runner.query<AccountRow>(
    `select ${ACCOUNT_COLUMNS} from oidc_identity i join account a on a.user_id = i.user_id
      where i.issuer = $1 and i.subject = $2`,
    [issuer, subject],
  );
  return row;
}

/** Links unless the account has another identity of this issuer. @returns whether it did */
export async function linkIdentity(
  tx: SqlRunner,
  { issuer, subject }: OidcIdentity,
  userId: string,
): Promise<boolean> {
  const linked = await tx.query(
    `insert into oidc_identity (issuer, subject, user_id)
     select $1, $2, $3
      where not exists (select from oidc_identity where issuer = $1 and user_id = $3)
     on conflict do nothing returning 1`,
    [issuer, subject, userId],
  );
  return linked.length > 0;
}

/**
 * Updates display name and email from the provider, each only where the account still has what the
 * provider said before.
 */
export async function updateProfile(
  runner: SqlRunner,
  { issuer, subject }: OidcIdentity,
  name: string | null,
  email: string | null,
): Promise<void> {
  await runner.query(
    `with former as (
       select user_id, told_name, told_email from oidc_identity
        where issuer = $1 and subject = $2 for update
     ), told as (
       update oidc_identity
          set told_name = coalesce($3, told_name), told_email = coalesce($4, told_email)
        where issuer = $1 and subject = $2
     )
     update account a
        -- The display name of a new account is its user id.
        set display_name = case when a.display_name = coalesce(f.told_name, a.user_id)
                                then coalesce($3, a.display_name) else a.display_name end,
            email = case when a.email is not distinct from f.told_email
                         then coalesce($4, a.email) else a.email end
       from former f where a.user_id = f.user_id`,
    [issuer, subject, name, email],
  );
}

/**
 * Sessions that a logout token ends: those with its `sid`, and those of its subject. A session
 * without a `sid` ends with every logout of its subject.
 */
export async function listSessionsToEnd(
  runner: SqlRunner,
  issuer: string,
  subject: string | null,
  sid: string | null,
): Promise<OidcSession[]> {
  return runner.query<OidcSession>(
    `select l.id as "sessionId", l.user_id as "userId"
       from login_session l
       left join oidc_session s on s.session_id = l.id
      where l.provider = 'oidc'
        and ($2::text is null or l.user_id in (
              select user_id from oidc_identity where issuer = $1 and subject = $2))
        and ($3::text is null or (s.issuer = $1 and s.sid = $3)
             or ($2::text is not null and s.sid is null))
        and coalesce(s.issuer, $1) = $1`,
    [issuer, subject, sid],
  );
}

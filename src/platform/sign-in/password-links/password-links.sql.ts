import type { SqlRunner } from '../../../database/database.js';
import type { PasswordLinkPurpose } from './password-link.entity.js';

/** A user who can get a link. */
export interface LinkRecipient {
  readonly userId: string;
  readonly email: string;
}

/** A link to add. */
export interface NewPasswordLink extends LinkRecipient {
  readonly purpose: PasswordLinkPurpose;
  readonly tokenHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Condition on `account a`: somebody else decides how the user logs in. */
const IS_MANAGED = `(exists (select from oidc_identity i where i.user_id = a.user_id)
  or exists (select from scim_user s where s.user_id = a.user_id)
  or exists (select from ldap_account l where l.user_id = a.user_id))`;

const MAY_GET_LINKS = `a.disabled_at is null and a.email is not null and a.email_confirmed
  and not ${IS_MANAGED}`;

/** Of `account a`: changes with the password and the email address. */
const ACCOUNT_STATE = `sha256(convert_to(a.password_hash || ' ' || a.email, 'UTF8'))`;

/** Whether an identity provider or a provisioning service decides how the user logs in. */
export async function isManaged(runner: SqlRunner, userId: string): Promise<boolean> {
  const rows = await runner.query(`select from account a where a.user_id = $1 and ${IS_MANAGED}`, [
    userId,
  ]);
  return rows.length > 0;
}

/** Users with this id or email address; by their indexes. */
export async function listRecipients(
  runner: SqlRunner,
  userIdOrEmail: string,
  most: number,
): Promise<LinkRecipient[]> {
  return runner.query<LinkRecipient>(
    `select a.user_id as "userId", a.email from account a
      where (a.user_id = $1 or lower(a.email) = lower($1)) and ${MAY_GET_LINKS}
      order by a.user_id <> $1, a.user_id limit $2`,
    [userIdOrEmail, most],
  );
}

/** Accounts that get no links because nobody has confirmed their address. */
export async function countUnconfirmed(runner: SqlRunner): Promise<number> {
  const [row] = await runner.query<{ count: number }>(
    `select count(*)::int as count from account a
      where a.email is not null and not a.email_confirmed and a.disabled_at is null
        and not ${IS_MANAGED}`,
  );
  return row?.count ?? 0;
}

/** The email address for a link; undefined when the user cannot get one. */
export async function findRecipient(
  runner: SqlRunner,
  userId: string,
): Promise<LinkRecipient | undefined> {
  const [row] = await runner.query<LinkRecipient>(
    `select a.user_id as "userId", a.email from account a
      where a.user_id = $1 and ${MAY_GET_LINKS}`,
    [userId],
  );
  return row;
}

/** Adds the link, or replaces that of the same purpose. @returns false if the address has changed */
export async function putLink(runner: SqlRunner, link: NewPasswordLink): Promise<boolean> {
  const { userId, email, purpose, tokenHash, createdAt, expiresAt } = link;
  const rows = await runner.query(
    `insert into password_link
            (user_id, purpose, token_hash, account_state, created_at, expires_at)
     select a.user_id, $3, $4, ${ACCOUNT_STATE}, $5, $6
       from account a where a.user_id = $1 and a.email = $2 and ${MAY_GET_LINKS}
     on conflict (user_id, purpose) do update set
       token_hash = excluded.token_hash, account_state = excluded.account_state,
       created_at = excluded.created_at, expires_at = excluded.expires_at, sent_at = null
     returning 1`,
    [userId, email, purpose, tokenHash, createdAt, expiresAt],
  );
  return rows.length > 0;
}

/** The user of a valid link; by `token_hash`. */
export async function findLink(
  runner: SqlRunner,
  tokenHash: Buffer,
  now: Date,
): Promise<{ readonly userId: string; readonly purpose: PasswordLinkPurpose } | undefined> {
  const [row] = await runner.query<{ userId: string; purpose: PasswordLinkPurpose }>(
    `select l.user_id as "userId", l.purpose
       from password_link l join account a on a.user_id = l.user_id
      where l.token_hash = $1 and l.expires_at > $2
        and l.account_state = ${ACCOUNT_STATE} and ${MAY_GET_LINKS}`,
    [tokenHash, now],
  );
  return row;
}

/** Removes a link, once. @returns whether this call did */
export async function takeLink(runner: SqlRunner, tokenHash: Buffer): Promise<boolean> {
  const rows = await runner.query('delete from password_link where token_hash = $1 returning 1', [
    tokenHash,
  ]);
  return rows.length > 0;
}

export async function removeExpiredLinks(runner: SqlRunner, now: Date): Promise<void> {
  await runner.query('delete from password_link where expires_at <= $1', [now]);
}

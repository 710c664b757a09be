import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { entityOf, p } from '../../../database/entity-of.js';
import { MANAGED_ELSEWHERE } from '../../accounts/users/accounts.sql.js';
import { SignInSettings } from '../sign-in.settings.js';

/** The link of a mail with which a user sets the password. A new one replaces it. */
export class PasswordLinkEntity extends entityOf('password_link', {
  userId: p.text().primary(),
  purpose: p.text().$type<PasswordLinkPurpose>().primary(),
  /** SHA-256. */
  tokenHash: p.blob().$type<Buffer>().unique(),
  /** Hash of the password hash and the email address: when one changes, the link ends. */
  accountState: p.blob().$type<Buffer>(),
  createdAt: p.datetime(),
  expiresAt: p.datetime(),
  /** Null until the mail server has taken the mail. */
  sentAt: p.datetime().strictNullable(),
}) {}

export type PasswordLinkPurpose = 'invitation' | 'reset';

/** Accounts that share an address; the service sends no more mails for one request. */
const MOST_RECIPIENTS = 5;

/** A user who can get a link. */
export interface LinkRecipient {
  readonly userId: string;
  readonly email: string;
}

/** A link to add. */
interface NewPasswordLink extends LinkRecipient {
  readonly purpose: PasswordLinkPurpose;
  readonly tokenHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const MAY_GET_LINKS = `a.disabled_at is null and a.email is not null and a.email_confirmed
  and ${MANAGED_ELSEWHERE} is null`;

/** State of `account a`: changes with the password and the email address. */
const ACCOUNT_STATE = `sha256(convert_to(a.password_hash || ' ' || a.email, 'UTF8'))`;

/** Links of mails with which users set their password: at most one per user and purpose. */
@Injectable()
export class PasswordLinksRepository {
  constructor(
    private readonly database: Database,
    private readonly settings: SignInSettings,
  ) {}

  /** Users with this id or email address who can get a link; by their indexes. */
  async recipients(userIdOrEmail: string): Promise<LinkRecipient[]> {
    const rows = await this.database.query<LinkRecipient>(
      `select a.user_id as "userId", a.email from account a
        where (a.user_id = $1 or lower(a.email) = lower($1)) and ${MAY_GET_LINKS}
        order by a.user_id <> $1, a.user_id limit $2`,
      [userIdOrEmail, MOST_RECIPIENTS],
    );
    return rows.filter((row) => this.settings.takesPasswordOf(row.userId));
  }

  /** Accounts that get no links because their address is unconfirmed. */
  async countUnconfirmed(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from account a
        where a.email is not null and not a.email_confirmed and a.disabled_at is null
          and ${MANAGED_ELSEWHERE} is null`,
    );
    return row?.count ?? 0;
  }

  /** @returns null when the user cannot get a link */
  async recipient(userId: string): Promise<LinkRecipient | null> {
    const [row] = await this.database.query<LinkRecipient>(
      `select a.user_id as "userId", a.email from account a
        where a.user_id = $1 and ${MAY_GET_LINKS}`,
      [userId],
    );
    return row !== undefined && this.settings.takesPasswordOf(userId) ? row : null;
  }

  /**
   * Adds a link, which replaces one of the same purpose, and removes expired ones of all users.
   *
   * @returns false when the user's address has changed
   */
  async put(link: NewPasswordLink): Promise<boolean> {
    const { userId, email, purpose, tokenHash, createdAt, expiresAt } = link;
    await this.removeExpired(createdAt);
    const rows = await this.database.query(
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

  async markSent(tokenHash: Buffer, sentAt: Date): Promise<void> {
    await this.database.entities((em) =>
      em.nativeUpdate(PasswordLinkEntity, { tokenHash }, { sentAt }),
    );
  }

  /** Whether a mail with such a link was sent to the user since a time. */
  async wasSent(userId: string, purpose: PasswordLinkPurpose, since: Date): Promise<boolean> {
    const sent = { userId, purpose, sentAt: { $gt: since } };
    return (await this.database.entities((em) => em.count(PasswordLinkEntity, sent))) > 0;
  }

  /** Accounts that were sent such a link since a time. */
  async countSent(purpose: PasswordLinkPurpose, since: Date): Promise<number> {
    return this.database.entities((em) =>
      em.count(PasswordLinkEntity, { purpose, sentAt: { $gt: since } }),
    );
  }

  /**
   * The user of a valid link; by `token_hash`.
   *
   * @returns null for an unknown or expired link, and after a change of the password or address
   */
  async find(
    tokenHash: Buffer,
    now: Date,
  ): Promise<{ readonly userId: string; readonly purpose: PasswordLinkPurpose } | null> {
    const [row] = await this.database.query<{ userId: string; purpose: PasswordLinkPurpose }>(
      `select l.user_id as "userId", l.purpose
         from password_link l join account a on a.user_id = l.user_id
        where l.token_hash = $1 and l.expires_at > $2
          and l.account_state = ${ACCOUNT_STATE} and ${MAY_GET_LINKS}`,
      [tokenHash, now],
    );
    return row !== undefined && this.settings.takesPasswordOf(row.userId) ? row : null;
  }

  /** Removes a link. @returns false when another call was faster */
  async take(tokenHash: Buffer): Promise<boolean> {
    const rows = await this.database.query(
      'delete from password_link where token_hash = $1 returning 1',
      [tokenHash],
    );
    return rows.length > 0;
  }

  async removeExpired(now: Date): Promise<void> {
    await this.database.query('delete from password_link where expires_at <= $1', [now]);
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { PasswordLinkEntity, type PasswordLinkPurpose } from './password-link.entity.js';
import {
  countUnconfirmed,
  findLink,
  findRecipient,
  isManaged,
  listRecipients,
  putLink,
  removeExpiredLinks,
  takeLink,
  type LinkRecipient,
  type NewPasswordLink,
} from './password-links.sql.js';

export type { LinkRecipient, PasswordLinkPurpose };

/** Accounts that share an address; the service sends no more mails for one request. */
const MOST_RECIPIENTS = 5;

/** Links of mails with which users set their password: at most one per user and purpose. */
@Injectable()
export class PasswordLinksRepository {
  constructor(private readonly database: Database) {}

  /** Whether an identity provider or a provisioning service decides how the user logs in. */
  async isManaged(userId: string): Promise<boolean> {
    return isManaged(this.database, userId);
  }

  /** Users with this id or email address who can get a link. */
  async recipients(userIdOrEmail: string): Promise<LinkRecipient[]> {
    return listRecipients(this.database, userIdOrEmail, MOST_RECIPIENTS);
  }

  /** Accounts that get no links because nobody has confirmed their address. */
  async countUnconfirmed(): Promise<number> {
    return countUnconfirmed(this.database);
  }

  /** @returns null when the user cannot get a link */
  async recipient(userId: string): Promise<LinkRecipient | null> {
    return (await findRecipient(this.database, userId)) ?? null;
  }

  /**
   * Adds a link, which replaces that of the same purpose, and removes expired ones of all users.
   *
   * @returns false when the address is no longer that of the user
   */
  async put(link: NewPasswordLink): Promise<boolean> {
    await removeExpiredLinks(this.database, link.createdAt);
    return putLink(this.database, link);
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

  /** @returns null for an unknown or expired link, and after a change of the password or address */
  async find(
    tokenHash: Buffer,
    now: Date,
  ): Promise<{ readonly userId: string; readonly purpose: PasswordLinkPurpose } | null> {
    return (await findLink(this.database, tokenHash, now)) ?? null;
  }

  /** Removes a link. @returns false when another call was faster */
  async take(tokenHash: Buffer): Promise<boolean> {
    return takeLink(this.database, tokenHash);
  }

  async removeExpired(now: Date): Promise<void> {
    await removeExpiredLinks(this.database, now);
  }
}

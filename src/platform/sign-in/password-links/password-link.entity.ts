import { entityOf, p } from '../../../database/entity-of.js';

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

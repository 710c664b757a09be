import { defineEntity, p } from '@mikro-orm/core';

const PasswordLinkSchema = defineEntity({
  name: 'PasswordLinkEntity',
  tableName: 'password_link',
  properties: {
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
  },
});

/** The link of a mail with which a user sets the password. A new one replaces it. */
export class PasswordLinkEntity extends PasswordLinkSchema.class {}

PasswordLinkSchema.setClass(PasswordLinkEntity);

export type PasswordLinkPurpose = 'invitation' | 'reset';

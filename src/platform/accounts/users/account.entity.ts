import { entityOf, p } from '../../../database/entity-of.js';

/** A user account. Other rooms get it as `Account`, without the password hash. */
export class AccountEntity extends entityOf('account', {
  userId: p.text().primary(),
  displayName: p.text(),
  email: p.text().strictNullable(),
  /** Whether the owner, with the account password, or an administrator has set the address. */
  emailConfirmed: p.boolean().default(true),
  /** argon2id, in the PHC string format. */
  passwordHash: p.text(),
  isAdmin: p.boolean().default(false),
  /** Whether there is a confirmed one; maintained by `SecondFactorsRepository`. */
  hasSecondFactor: p.boolean().default(false),
  disabledAt: p.datetime().strictNullable(),
  createdAt: p.datetime().defaultRaw('now()'),
  lastLoginAt: p.datetime().strictNullable(),
  /** Set while an account is being erased. */
  deletionRequestedAt: p.datetime().strictNullable(),
  /** When the owner asked for the deletion; null: not, or no longer. */
  leaveAskedAt: p.datetime().strictNullable(),
  /** When the deletion that the owner asked for begins; null while an administrator decides. */
  leavesAt: p.datetime().strictNullable(),
  /** Since when an administrator wants nothing of the account removed; null: not. */
  heldAt: p.datetime().strictNullable(),
  /** When the hold ends; null: not by itself. */
  heldUntil: p.datetime().strictNullable(),
}) {}

/** A directory whose groups are synchronised. */
export type GroupManager = 'oidc' | 'ldap' | 'scim';

/** A group that an account is in. */
export class AccountGroupMemberEntity extends entityOf('account_group_member', {
  groupId: p.text().primary(),
  userId: p.text().primary(),
  /** The directory that it follows; null when it was made here. */
  managedBy: p.text().$type<GroupManager>().nullable(),
}) {}

import { entityOf, p } from '../../../database/entity-of.js';

/** A directory whose groups are synchronised. */
export type GroupManager = 'oidc' | 'ldap' | 'scim';

export class AccountGroupEntity extends entityOf('account_group', {
  groupId: p.text().primary(),
  displayName: p.text(),
  /** The directory that it follows; null when it was made here. */
  managedBy: p.text().$type<GroupManager>().nullable(),
}) {}

export class AccountGroupMemberEntity extends entityOf('account_group_member', {
  groupId: p.text().primary(),
  userId: p.text().primary(),
  /** The directory that it follows; null when it was made here. */
  managedBy: p.text().$type<GroupManager>().nullable(),
}) {}

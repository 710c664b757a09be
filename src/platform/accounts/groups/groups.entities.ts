import { entityOf, p } from '../../../database/entity-of.js';
import type { GroupManager } from '../users/account.entity.js';

export class AccountGroupEntity extends entityOf('account_group', {
  groupId: p.text().primary(),
  displayName: p.text(),
  /** The directory that it follows; null when it was made here. */
  managedBy: p.text().$type<GroupManager>().strictNullable(),
}) {}

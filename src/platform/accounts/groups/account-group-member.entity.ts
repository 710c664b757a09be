import { entityOf, p } from '../../../database/entity-of.js';
import type { GroupManager } from './group-manager.js';

export class AccountGroupMemberEntity extends entityOf('account_group_member', {
  groupId: p.text().primary(),
  userId: p.text().primary(),
  /** The directory that it follows; null when it was made here. */
  managedBy: p.text().$type<GroupManager>().nullable(),
}) {}

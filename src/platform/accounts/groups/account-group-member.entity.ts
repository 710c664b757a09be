import { defineEntity, p } from '@mikro-orm/core';
import type { GroupManager } from './group-manager.js';

const AccountGroupMemberSchema = defineEntity({
  name: 'AccountGroupMemberEntity',
  tableName: 'account_group_member',
  properties: {
    groupId: p.text().primary(),
    userId: p.text().primary(),
    /** The directory that it follows; null when it was made here. */
    managedBy: p.text().$type<GroupManager>().nullable(),
  },
});

export class AccountGroupMemberEntity extends AccountGroupMemberSchema.class {}

AccountGroupMemberSchema.setClass(AccountGroupMemberEntity);

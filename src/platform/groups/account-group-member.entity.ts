import { defineEntity, p } from '@mikro-orm/core';

const AccountGroupMemberSchema = defineEntity({
  name: 'AccountGroupMemberEntity',
  tableName: 'account_group_member',
  properties: {
    groupId: p.text().primary(),
    userId: p.text().primary(),
  },
});

export class AccountGroupMemberEntity extends AccountGroupMemberSchema.class {}

AccountGroupMemberSchema.setClass(AccountGroupMemberEntity);

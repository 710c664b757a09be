import { defineEntity, p } from '@mikro-orm/core';

const AccountGroupSchema = defineEntity({
  name: 'AccountGroupEntity',
  tableName: 'account_group',
  properties: {
    groupId: p.text().primary(),
    displayName: p.text(),
  },
});

export class AccountGroupEntity extends AccountGroupSchema.class {}

AccountGroupSchema.setClass(AccountGroupEntity);

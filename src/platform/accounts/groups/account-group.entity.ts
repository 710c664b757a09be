import { defineEntity, p } from '@mikro-orm/core';
import type { GroupManager } from './group-manager.js';

const AccountGroupSchema = defineEntity({
  name: 'AccountGroupEntity',
  tableName: 'account_group',
  properties: {
    groupId: p.text().primary(),
    displayName: p.text(),
    /** The directory that it follows; null when it was made here. */
    managedBy: p.text().$type<GroupManager>().nullable(),
  },
});

export class AccountGroupEntity extends AccountGroupSchema.class {}

AccountGroupSchema.setClass(AccountGroupEntity);

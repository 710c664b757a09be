import { defineEntity, p } from '@mikro-orm/core';

const UsedAllowanceSchema = defineEntity({
  name: 'UsedAllowanceEntity',
  tableName: 'used_allowance',
  properties: {
    owner: p.text().primary(),
    kind: p.text().primary(),
    endsAt: p.datetime(),
    used: p.integer(),
    granted: p.integer(),
  },
});

export class UsedAllowanceEntity extends UsedAllowanceSchema.class {}

UsedAllowanceSchema.setClass(UsedAllowanceEntity);

import { defineEntity, p } from '@mikro-orm/core';

const AccountSchema = defineEntity({
  name: 'AccountEntity',
  tableName: 'account',
  properties: {
    userId: p.text().primary(),
    displayName: p.text(),
    email: p.text().nullable(),
    passwordHash: p.text(),
    isAdmin: p.boolean().default(false),
    disabledAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    lastLoginAt: p.datetime().nullable(),
    deletionRequestedAt: p.datetime().nullable(),
  },
});

/** A person who may log in. Leaves this folder as an `Account`, without its secret. */
export class AccountEntity extends AccountSchema.class {}

AccountSchema.setClass(AccountEntity);

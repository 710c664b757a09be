import { defineEntity, p } from '@mikro-orm/core';

const LoginSessionSchema = defineEntity({
  name: 'LoginSessionEntity',
  tableName: 'login_session',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    userId: p.text(),
    tokenHash: p.blob(),
    provider: p.text(),
    userAgent: p.text(),
    address: p.text(),
    createdAt: p.datetime(),
    lastSeenAt: p.datetime(),
    expiresAt: p.datetime(),
  },
});

export class LoginSessionEntity extends LoginSessionSchema.class {}

LoginSessionSchema.setClass(LoginSessionEntity);

import { defineEntity, p } from '@mikro-orm/core';

const LoginFlowSchema = defineEntity({
  name: 'LoginFlowEntity',
  tableName: 'login_flow',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    pollTokenHash: p.blob(),
    loginTokenHash: p.blob(),
    clientName: p.text(),
    network: p.text(),
    expiresAt: p.datetime(),
    userId: p.text().strictNullable(),
    appPasswordId: p.bigint('number').strictNullable(),
    sealedAppPassword: p.blob().strictNullable(),
  },
});

export class LoginFlowEntity extends LoginFlowSchema.class {}

LoginFlowSchema.setClass(LoginFlowEntity);

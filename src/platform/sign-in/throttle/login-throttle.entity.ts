import { defineEntity, p } from '@mikro-orm/core';

const LoginThrottleSchema = defineEntity({
  name: 'LoginThrottleEntity',
  tableName: 'login_throttle',
  properties: {
    key: p.text().primary(),
    failures: p.integer(),
    lastFailureAt: p.datetime().strictNullable(),
    trustedUntil: p.datetime().strictNullable(),
  },
});

export class LoginThrottleEntity extends LoginThrottleSchema.class {}

LoginThrottleSchema.setClass(LoginThrottleEntity);

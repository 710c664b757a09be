import { entityOf, p } from '../../../database/entity-of.js';

export class LoginThrottleEntity extends entityOf('login_throttle', {
  key: p.text().primary(),
  failures: p.integer(),
  lastFailureAt: p.datetime().strictNullable(),
  trustedUntil: p.datetime().strictNullable(),
}) {}

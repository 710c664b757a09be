import { entityOf, p } from '../../../database/entity-of.js';

export class LoginThrottleEntity extends entityOf('login_throttle', {
  key: p.text().primary(),
  failures: p.integer(),
  lastFailureAt: p.datetime().strictNullable(),
  trustedUntil: p.datetime().strictNullable(),
}) {}

// Rows are only counted and deleted in bulk; the table itself has no key.
export class GatewayFailureEntity extends entityOf('gateway_failure', {
  network: p.text().primary(),
  failedAt: p.datetime().primary(),
  claimHash: p.text().primary().default(''),
}) {}

export class UsedAllowanceEntity extends entityOf('used_allowance', {
  owner: p.text().primary(),
  kind: p.text().primary(),
  endsAt: p.datetime(),
  used: p.integer(),
  granted: p.integer(),
}) {}

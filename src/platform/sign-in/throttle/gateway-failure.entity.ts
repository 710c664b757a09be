import { entityOf, p } from '../../../database/entity-of.js';

// Rows are only counted and deleted in bulk; the table itself has no key.
export class GatewayFailureEntity extends entityOf('gateway_failure', {
  network: p.text().primary(),
  failedAt: p.datetime().primary(),
  claimHash: p.text().primary().default(''),
}) {}

import { entityOf, p } from '../../database/entity-of.js';

/** An address at which a process of the service listens. */
export class ServiceAddressEntity extends entityOf('service_address', {
  address: p.text().primary(),
  announcedAt: p.datetime().defaultRaw('now()'),
}) {}
